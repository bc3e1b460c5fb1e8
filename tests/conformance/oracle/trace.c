/* txt traces: PAGE [r|w] [REF] [STREAM]. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *next_word(char **rest)
{
	return strtok_r(NULL, " \t\r", rest);
}

static bool parse_line(char *line, struct access *a)
{
	const char *word;
	char *rest = NULL;

	*a = (struct access){0};
	line[strcspn(line, "#\n")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	if (!word)
		return false;
	a->page = whole_number(word);
	word = next_word(&rest);
	if (word && (!strcmp(word, "r") || !strcmp(word, "w"))) {
		a->write = *word == 'w';
		word = next_word(&rest);
	}
	if (word)
		a->ref = whole_number(word);
	return true;
}

void read_trace(const char *name, struct access **trace, size_t *length)
{
	FILE *f = fopen(name, "r");
	char *line = NULL;
	size_t line_room = 0, room = 0;
	struct access a;

	if (!f)
		usage("the trace cannot be opened");
	*trace = NULL;
	*length = 0;
	while (getline(&line, &line_room, f) > 0) {
		if (!parse_line(line, &a))
			continue;
		if (*length == room) {
			room = room ? 2 * room : 1024;
			*trace = must(realloc(*trace, room * sizeof(**trace)));
		}
		(*trace)[(*length)++] = a;
	}
	free(line);
	fclose(f);
	if (!*length)
		usage("the trace is empty");
}
