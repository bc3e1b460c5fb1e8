/* Numbers and policies as they are written on the command line. */
#include "oracle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void usage(const char *what)
{
	fprintf(stderr, "oracle: bad usage: %s\n", what);
	exit(2);
}

/* A number in decimal or 0x hex; *end is set behind it. */
uint64_t number(const char *text, const char **end)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned base = hex ? 16 : 10;
	unsigned __int128 value = 0;
	const char *p = text + (hex ? 2 : 0);

	if (!isxdigit((unsigned char)*p))
		usage("not a number");
	for (; hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p); p++) {
		unsigned digit = isdigit((unsigned char)*p)
					 ? (unsigned)(*p - '0')
					 : (unsigned)(tolower((unsigned char)*p) - 'a') + 10;

		value = value * base + digit;
		if (value > UINT64_MAX)
			usage("a number does not fit 64 bits");
	}
	*end = p;
	return (uint64_t)value;
}

uint64_t whole_number(const char *text)
{
	const char *end;
	uint64_t value = number(text, &end);

	if (*end)
		usage("not a number");
	return value;
}

struct decimal decimal(const char *text, const char **end)
{
	struct decimal d = {number(text, end), 1};

	if (**end != '.')
		return d;
	for (++*end; isdigit((unsigned char)**end) && d.scale < 1000000; ++*end) {
		d.digits = d.digits * 10 + (uint64_t)(**end - '0');
		d.scale *= 10;
	}
	return d;
}

uint64_t bytes(const char *text)
{
	const char *end;
	uint64_t value = number(text, &end);

	switch (*end) {
	case 'K':
		value <<= 10;
		end++;
		break;
	case 'M':
		value <<= 20;
		end++;
		break;
	case 'G':
		value <<= 30;
		end++;
		break;
	}
	if (*end)
		usage("not a size");
	return value;
}

/* "name:key=value,key=value": at the first colon, then commas, then the first equals sign. */
struct spec *parse_spec(const char *text)
{
	struct spec *s = own_state(sizeof(*s));
	char *rest, *part, *save = NULL;

	s->text = must(strdup(text));
	s->name = s->text;
	rest = strchr(s->text, ':');
	if (!rest)
		return s;
	*rest++ = '\0';
	for (part = strtok_r(rest, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(part, '=');

		if (!equals || s->n == 16)
			usage("a parameter without a value");
		*equals = '\0';
		s->key[s->n] = part;
		s->value[s->n++] = equals + 1;
	}
	return s;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += n)
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

void check_keys(const struct spec *s, const char *keys)
{
	for (size_t i = 0; i < s->n; i++)
		if (!keys || !has_word(keys, s->key[i]))
			usage("unknown parameter");
}

const char *param(const struct spec *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->key[i], key))
			return s->value[i];
	return NULL;
}

uint64_t param_number(const struct spec *s, const char *key, uint64_t otherwise)
{
	const char *value = param(s, key);

	return value ? whole_number(value) : otherwise;
}

struct decimal param_decimal(const struct spec *s, const char *key, const char *otherwise)
{
	const char *value = param(s, key), *end;

	return decimal(value ? value : otherwise, &end);
}

void *own_state(size_t size)
{
	return must(calloc(1, size));
}
