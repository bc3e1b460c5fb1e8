/* tide: the way from the arguments to the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "core/text.h"

static int run_parsed(const struct td_cli_verb *parent, const struct td_cli_verb *verb, int argc,
		      char **argv, struct td_cli_given *options, struct tide_error *err)
{
	int rc = td_cli_parse(verb, argc, argv, options, err);

	if (rc)
		return rc;
	if (options->help)
		td_cli_help_verb(stdout, parent, verb);
	else if (!verb->run)
		return tide_fail(err, -EINVAL, "no verb: tide %s --help lists them", verb->name);
	else
		return verb->run(options, err);
	return 0;
}

static int run_verb(const struct td_cli_verb *parent, const struct td_cli_verb *verb, int argc,
		    char **argv, struct tide_error *err)
{
	struct td_cli_given *options;
	int rc;

	if (verb->verbs && argc > 0 && argv[0][0] != '-') {
		const struct td_cli_verb *own = td_cli_find_verb(verb->verbs, argv[0]);
		if (!own)
			return td_cli_unknown_verb(verb->verbs, argv[0], err);
		return run_verb(verb, own, argc - 1, argv + 1, err);
	}
	options = malloc(verb->options_bytes);
	if (!options)
		return tide_fail(err, -ENOMEM, "no memory for the options: free some");
	rc = run_parsed(parent, verb, argc, argv, options, err);
	free(options);
	return rc;
}

static int run_first(int argc, char **argv, const char **name, struct tide_error *err)
{
	const struct td_cli_verb *verb;
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		return tide_fail(err, -EINVAL, "no verb: tide --help lists them");
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		td_cli_help_all(stdout);
		return 0;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
		printf("tide %s\n", tide_version());
		return 0;
	}
	if (strcmp(word, "--complete") == 0) {
		td_cli_complete(argc - 2, argv + 2);
		return 0;
	}
	if (word[0] == '-')
		return tide_fail(err, -EINVAL, "unknown option %s: tide --help lists the verbs",
				 td_cli_shown(word).text);
	verb = td_cli_find_verb(td_cli_verb_table, word);
	if (!verb)
		return td_cli_unknown_verb(td_cli_verb_table, word, err);
	*name = verb->name;
	return run_verb(NULL, verb, argc - 2, argv + 2, err);
}

/* What was printed has reached its reader or file, or the run has failed. */
static int finish_output(struct tide_error *err)
{
	bool bad = ferror(stdout);

	if (fclose(stdout) == 0 && !bad)
		return 0;
	return tide_fail(err, -EIO,
			 "cannot write standard output: is the disk full or the reader gone?");
}

/* One line, whatever the words of the user or the names of files hold. */
static void print_error(const char *verb, char *text)
{
	td_core_as_options(text);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	fprintf(stderr, "tide%s%s: %s\n", verb ? " " : "", verb ? verb : "", text);
}

/* Where standard output or error is closed, the next file to be opened would get its number, and
 * what is printed with it. */
static void keep_numbers(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void go_on(int sig)
{
	(void)sig;
}

/* A file at its limit (ulimit -f) is a write error like any other. A handler and not SIG_IGN, which
 * the program of tide run would inherit. */
static void survive_limits(void)
{
	if (signal(SIGXFSZ, go_on) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct tide_error err = {0, ""};
	const char *name = NULL;
	int rc, status;

	keep_numbers();
	survive_limits();
	rc = run_first(argc, argv, &name, &err);
	status = rc > 0 ? rc : 0; /* of a program that was run */
	if (rc >= 0)
		rc = finish_output(&err);
	if (!rc)
		return status;
	print_error(name, err.text);
	return rc == -EINVAL ? 2 : rc == -ENODEV ? 3 : 1;
}
