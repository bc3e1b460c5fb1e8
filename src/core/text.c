#include "text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

int td_core_u64(const char *text, size_t n, uint64_t *out)
{
	bool hex = n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned base = hex ? 16 : 10;
	uint64_t value = 0;
	bool over = false;

	if (n == 0)
		return -EINVAL;
	/* To the end even after an overflow: a word that is no number is never "too large". */
	for (size_t i = hex ? 2 : 0; i < n; i++) {
		unsigned digit = digit_of(text[i]);
		if (digit >= base)
			return -EINVAL;
		over |= __builtin_mul_overflow(value, base, &value);
		over |= __builtin_add_overflow(value, digit, &value);
	}
	if (over)
		return -ERANGE;
	*out = value;
	return 0;
}

static size_t skip_digits(const char *text)
{
	size_t n = 0;

	while (text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

static bool is_decimal(const char *text)
{
	size_t digits;

	text += *text == '-' || *text == '+';
	digits = skip_digits(text);
	text += digits;
	if (*text == '.') {
		size_t decimals = skip_digits(++text);
		digits += decimals;
		text += decimals;
	}
	if (digits == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		digits = skip_digits(text);
		text += digits;
	}
	return digits > 0 && *text == '\0';
}

int td_core_real(const char *text, double *out)
{
	locale_t plain;
	double value;

	/* strtod() also takes hexadecimal, "inf" and blanks, and the decimal point of the locale
	 * that the calling program has set. */
	if (!is_decimal(text))
		return -EINVAL;
	plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!plain)
		return -EINVAL;
	value = strtod_l(text, NULL, plain);
	freelocale(plain);
	if (!isfinite(value))
		return -EINVAL;
	*out = value;
	return 0;
}

int td_core_share(const char *text, double *out)
{
	size_t n = strlen(text);
	bool percent = n && text[n - 1] == '%';
	char number[64];

	if (n >= sizeof number)
		return -EINVAL;
	memcpy(number, text, n);
	number[n - percent] = '\0';
	if (td_core_real(number, out))
		return -EINVAL;
	*out /= percent ? 100 : 1;
	return 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Longer words are no misspelling of any name of ours. */
#define WORD_MAX 64

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to add, drop, change or swap with a neighbour; case does not count. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);
			now[j] = min_size(last[j - 1] + !same, min_size(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				now[j] = min_size(now[j], before[j - 2] + 1);
		}
		size_t *spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[b_len];
}

static size_t unlikeness(const char *word, size_t word_len, const char *name)
{
	size_t name_len = strnlen(name, WORD_MAX + 1);

	if (name_len > WORD_MAX)
		return SIZE_MAX;
	/* The beginning of a name counts as one letter off, however much is missing. */
	if (word_len > 1 && strncmp(word, name, word_len) == 0)
		return name_len > word_len;
	return distance(word, word_len, name, name_len);
}

const char *td_core_nearest(const char *word, const char *const *names, size_t n)
{
	size_t len = strnlen(word, WORD_MAX + 1);
	/* A word changed in every letter is another word. */
	size_t limit = min_size(len / 3 > 1 ? len / 3 : 1, len - 1);
	const char *best = NULL;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t d = unlikeness(word, len, names[i]);
		if (d <= limit && (!best || d < limit)) {
			best = names[i];
			limit = d;
		}
	}
	return best;
}

struct td_core_word td_core_shown(const char *text, size_t n)
{
	struct td_core_word word;
	size_t len = min_size(strnlen(text, n), sizeof word.text - 1);

	for (size_t i = 0; i < len; i++) {
		bool control = (unsigned char)text[i] < ' ' || text[i] == 127;
		word.text[i] = control ? '?' : text[i];
	}
	word.text[len] = '\0';
	return word;
}

/* The bytes of the character at text, 0 if it is none: too long for what it says, of no character,
 * or of a half of a pair. */
static size_t utf8_bytes(const unsigned char *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *text < 0x80 ? 1 : *text < 0xc0 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
	uint32_t code = n < 2 ? *text : *text & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return *text < 0xf8 ? n : 0;
}

bool td_core_is_line(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t n = utf8_bytes(at);
		if (!n || *at < ' ' || *at == 127)
			return false;
		at += n;
	}
	return true;
}

/* What a terminal obeys: also the controls of 8 bits, which take two bytes. */
static bool is_control(const unsigned char *text)
{
	return text[0] < ' ' || text[0] == 127 || (text[0] == 0xc2 && text[1] < 0xa0);
}

size_t td_core_escape(char *to, size_t room, const char *text, bool controls)
{
	const unsigned char *from = (const unsigned char *)text;
	size_t used = 0;

	while (*from) {
		size_t n = utf8_bytes(from);
		bool plain = n && !(controls && is_control(from));
		size_t bytes = n ? n : 1, width = plain ? bytes : 4 * bytes;
		for (size_t i = 0; i < bytes && used + width < room; i++)
			if (plain)
				to[used + i] = (char)from[i];
			else
				snprintf(to + used + 4 * i, 5, "\\x%02x", from[i]);
		if (used < room)
			to[used + width < room ? used + width : used] = '\0';
		used += width;
		from += bytes;
	}
	if (room && !used)
		*to = '\0';
	return used;
}

/* The length of a `name` at the start of a text, with its marks; 0: there is none. */
static size_t marked_name(const char *text)
{
	size_t n = *text == '`' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
	return n && text[n + 1] == '`' ? n + 2 : 0;
}

static char *put_option(char *to, const char *name, size_t n)
{
	if (n > 5 && !memcmp(name + n - 5, "_size", 5))
		n -= 5;
	*to++ = '-';
	*to++ = '-';
	for (size_t i = 0; i < n; i++)
		*to++ = name[i] == '_' ? '-' : name[i];
	return to;
}

size_t td_core_as_options(char *text)
{
	char *to = text, name[64];
	for (const char *from = text; *from;) {
		size_t n = marked_name(from);
		if (n < 3 || n > sizeof name) {
			*to++ = *from++;
			continue;
		}
		memcpy(name, from + 1, n - 2);
		from += n;
		to = put_option(to, name, n - 2);
	}
	*to = '\0';
	return (size_t)(to - text);
}
