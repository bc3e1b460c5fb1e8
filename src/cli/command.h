/* Command lines: for a shell or for people to read, and for programs that are started. */
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
/* For every shell, and byte for byte: in single quotes, behind a blank. */
void td_cli_put_exact(struct td_cli_text *text, const char *word);

/* Words that grow; at ends with a NULL. */
struct td_cli_argv {
	char **at;
	size_t n, room;
	bool failed;
};

__attribute__((format(printf, 2, 3))) void td_cli_argv_add(struct td_cli_argv *argv,
							   const char *format, ...);
/* The words of a text, which blanks separate. */
void td_cli_argv_split(struct td_cli_argv *argv, const char *text);
/* The options that a verb was given, but for those named in except, which ends with a NULL. */
struct td_cli_option;
void td_cli_argv_given(struct td_cli_argv *argv, const struct td_cli_option *options,
		       const void *given, const char *const *except);
/* kind_text.c: an option whose value is a const char *. */
void td_cli_put_text(const void *at, const struct td_cli_option *o, struct td_cli_argv *to);
void td_cli_argv_free(struct td_cli_argv *argv);

#endif
