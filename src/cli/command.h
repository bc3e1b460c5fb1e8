/* Command lines that a shell can read: they show people how to make a run again. */
#ifndef TD_CLI_COMMAND_H
#define TD_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* A text that grows; at is freed with free(). */
struct td_cli_text {
	char *at;
	size_t n, room;
	bool failed;
};

void td_cli_put_word(struct td_cli_text *text, const char *word);
/* --NAME VALUE, quoted as far as a shell needs it; nothing if the value is NULL. */
void td_cli_put_option(struct td_cli_text *text, const char *name, const char *value);

#endif
