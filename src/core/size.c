/* Sizes and counts as people write them: 4096, 64K, 1.5G, 512 MB, 1e6. They are computed in whole
 * numbers, so that no size is off by what a double cannot hold. */
#include <errno.h>
#include <string.h>

#include "text.h"

#define POWER_MOST 9999 /* more zeros than any number of ours has */

/* mantissa x 10^power */
struct decimal {
	uint64_t mantissa;
	int power;
	bool over; /* it has more than 64 bits */
};

static bool is_digit(const char *at, const char *end)
{
	return at < end && *at >= '0' && *at <= '9';
}

/* Digits with at most one point among them. NULL: there is no digit. */
static const char *read_mantissa(const char *at, const char *end, struct decimal *d)
{
	bool point = false, any = false;

	for (; is_digit(at, end) || (at < end && *at == '.' && !point); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		any = true;
		d->over |= __builtin_mul_overflow(d->mantissa, 10, &d->mantissa);
		d->over |= __builtin_add_overflow(d->mantissa, (uint64_t)(*at - '0'), &d->mantissa);
		d->power -= point;
	}
	return any && at[-1] != '.' ? at : NULL;
}

/* `e6`, `E+6` or `e-3`, if it is there. */
static const char *read_power(const char *at, const char *end, struct decimal *d)
{
	const char *digits = at + 1;
	bool minus = digits < end && *digits == '-';
	int power = 0;

	digits += minus || (digits < end && *digits == '+');
	if (at == end || (*at != 'e' && *at != 'E') || !is_digit(digits, end))
		return at;
	for (; is_digit(digits, end); digits++)
		power = power > POWER_MOST ? power : power * 10 + (*digits - '0');
	d->power += minus ? -power : power;
	return digits;
}

/* Where the number ends; NULL: there is none. */
static const char *read_number(const char *text, size_t n, struct decimal *d)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	const char *end = text + n;

	*d = (struct decimal){0};
	if (n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		size_t digits = 2;
		while (digits < n && memchr(hex, text[digits], sizeof hex - 1))
			digits++;
		int rc = td_core_u64(text, digits, &d->mantissa);
		d->over = rc == -ERANGE;
		return rc == -EINVAL ? NULL : text + digits;
	}
	text = read_mantissa(text, end, d);
	return text ? read_power(text, end, d) : NULL;
}

/* d x unit, rounded up, and whether it had to be. */
static int multiply(const struct decimal *d, uint64_t unit, uint64_t *out, bool *rounded)
{
	unsigned __int128 value = (unsigned __int128)d->mantissa * unit;
	int power = d->power;

	*rounded = false;
	if (d->over)
		return -ERANGE;
	for (; power > 0 && value && value <= UINT64_MAX; power--)
		value *= 10;
	for (; power < 0 && value; power++) {
		*rounded |= value % 10 != 0;
		value = value / 10 + (value % 10 != 0);
		if (value == 1 && *rounded)
			break;
	}
	if (value > UINT64_MAX)
		return -ERANGE;
	*out = (uint64_t)value;
	return 0;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* As GNU's programs have it: K, Ki and KiB are 1024, and KB is 1000. 0: it is no unit. */
static uint64_t unit_of(const char *text, size_t n)
{
	static const char letters[] = "KMGT";
	const char *letter = n ? memchr(letters, upper(*text), sizeof letters - 1) : NULL;
	uint64_t base = n == 2 && upper(text[1]) == 'B' ? 1000 : 1024, unit = 1;
	bool binary = n == 1 || ((n == 2 || n == 3) && upper(text[1]) == 'I');

	if (n == 0 || (n == 1 && upper(*text) == 'B'))
		return 1;
	if (!letter || (base == 1024 && !binary) || (n == 3 && upper(text[2]) != 'B'))
		return 0;
	for (const char *l = letters; l <= letter; l++)
		unit *= base;
	return unit;
}

/* A unit of 1 cannot be cut: `12.5` alone is no number of bytes. */
static int read_units(const struct decimal *d, uint64_t unit, uint64_t *out)
{
	bool rounded = false;
	uint64_t value = 0;
	int rc = unit ? multiply(d, unit, &value, &rounded) : -EINVAL;

	if (!rc && rounded && unit == 1)
		return -EINVAL;
	if (!rc)
		*out = value;
	return rc;
}

int td_core_size(const char *text, size_t n, uint64_t *bytes)
{
	struct decimal d;
	const char *end = text + n, *at = read_number(text, n, &d);

	if (!at)
		return -EINVAL;
	while (at < end - 1 && *at == ' ')
		at++;
	return read_units(&d, unit_of(at, (size_t)(end - at)), bytes);
}

int td_core_count(const char *text, size_t n, uint64_t *out)
{
	struct decimal d;

	return read_number(text, n, &d) == text + n ? read_units(&d, 1, out) : -EINVAL;
}
