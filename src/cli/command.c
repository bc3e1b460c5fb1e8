/* Command lines that a shell can read. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

static void put(struct td_cli_text *text, const char *from, size_t n)
{
	if (text->room - text->n <= n) {
		size_t room = (text->n + n + 1) * 2;
		char *at = realloc(text->at, room);
		if (!at) {
			text->failed = true;
			return;
		}
		text->at = at;
		text->room = room;
	}
	memcpy(text->at + text->n, from, n);
	text->n += n;
	text->at[text->n] = '\0';
}

void td_cli_put_word(struct td_cli_text *text, const char *word)
{
	put(text, word, strlen(word));
}

/* Bytes that are no text, or that a terminal obeys, as the newer shells write them. */
static void put_bytes(struct td_cli_text *text, const char *word)
{
	char one[8];

	td_cli_put_word(text, "$'");
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;
		bool plain = c >= ' ' && c < 127 && c != '\'' && c != '\\';
		snprintf(one, sizeof one, plain ? "%c" : "\\x%02x", c);
		td_cli_put_word(text, one);
	}
	td_cli_put_word(text, "'");
}

static void put_single(struct td_cli_text *text, const char *word)
{
	size_t n;

	td_cli_put_word(text, "'");
	while (n = strcspn(word, "'"), put(text, word, n), word[n]) {
		td_cli_put_word(text, "'\\''");
		word += n + 1;
	}
	td_cli_put_word(text, "'");
}

/* As a shell reads it: in single quotes where a character could mean something to it. */
static void put_quoted(struct td_cli_text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";

	if (!word[strspn(word, plain)]) {
		td_cli_put_word(text, word);
		return;
	}
	if (td_core_escape(NULL, 0, word, true) != strlen(word)) {
		put_bytes(text, word);
		return;
	}
	put_single(text, word);
}

void td_cli_put_option(struct td_cli_text *text, const char *name, const char *value)
{
	if (!value)
		return;
	td_cli_put_word(text, " --");
	td_cli_put_word(text, name);
	/* A word with two dashes is an option, unless it is held on to one. */
	td_cli_put_word(text, strncmp(value, "--", 2) == 0 ? "=" : " ");
	put_quoted(text, value);
}

void td_cli_put_exact(struct td_cli_text *text, const char *word)
{
	td_cli_put_word(text, " ");
	put_single(text, word);
}
