#include "sized.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* More is no size but what was in memory. */
#define SIZE_MOST 65536

int td_lib_size(const void *given, const char *name, size_t *size, struct tide_error *err)
{
	if (!given)
		return tide_fail(err, -EINVAL, "struct %s is NULL: give one", name);
	memcpy(size, given, sizeof *size);
	if (*size < sizeof *size || *size > SIZE_MOST)
		return tide_fail(err, -EINVAL,
				 "struct %s has no size: write struct %s x = {.size = sizeof x}",
				 name, name);
	return 0;
}

int td_lib_given(const void *pointer, const char *what, struct tide_error *err)
{
	return pointer ? 0 : tide_fail(err, -EINVAL, "%s is NULL: give one", what);
}

static bool is_zero(const unsigned char *from, size_t bytes)
{
	while (bytes && !*from) {
		from++;
		bytes--;
	}
	return !bytes;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

int td_lib_take(void *own, size_t own_bytes, const void *given, const char *name,
		struct tide_error *err)
{
	size_t size = 0;
	int rc = td_lib_size(given, name, &size, err);
	if (rc)
		return rc;
	if (size > own_bytes &&
	    !is_zero((const unsigned char *)given + own_bytes, size - own_bytes))
		return tide_fail(err, -EINVAL,
				 "struct %s sets what this libtide does not know: install the "
				 "libtide that the program was compiled for",
				 name);
	memcpy(own, given, least(size, own_bytes));
	memcpy(own, &own_bytes, sizeof own_bytes);
	return 0;
}

int td_lib_give(void *to, const void *own, size_t own_bytes, const char *name,
		struct tide_error *err)
{
	size_t size = 0;
	int rc = td_lib_size(to, name, &size, err);
	if (rc)
		return rc;
	memset(to, 0, size);
	memcpy(to, own, least(size, own_bytes));
	memcpy(to, &size, sizeof size);
	return 0;
}
