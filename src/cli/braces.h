/* Braces in the values of options: `mhpe:t1={16,32},t2={30..50..10}` is six values. */
#ifndef TD_CLI_BRACES_H
#define TD_CLI_BRACES_H

#include "options.h"

#define TD_CLI_VALUES_MAX 1000000 /* of one axis */

struct td_cli_axis {
	size_t n, room;
	char **at;
};

/* Adds the values that text stands for. option: in errors. */
int td_cli_axis_add(struct td_cli_axis *axis, const char *option, const char *text,
		    struct tide_error *err);
/* The same for every word of a list. */
int td_cli_axis_fill(struct td_cli_axis *axis, const char *option, const struct td_cli_list *list,
		     struct tide_error *err);
/* Whether braces of the text stand for several values. */
bool td_cli_is_several(const char *text);
/* All values, with commas between them; freed with free(). NULL: no memory. */
char *td_cli_axis_join(const struct td_cli_axis *axis);
/* A list with commas, in which braces are expanded, too. room: what to free() afterwards, or NULL.
 */
int td_cli_expand(const char *option, const char **list, char **room, struct tide_error *err);
void td_cli_axis_free(struct td_cli_axis *axis);

#endif
