/* Errors: the code that knows the cause writes the message, once. Header only, so that a policy
 * built out of tree needs no symbol of the library. */
#ifndef TIDE_ERROR_H
#define TIDE_ERROR_H

#include <stdarg.h>
#include <stdio.h>

/* text is one sentence without a full stop: "what is wrong: what to do". The layout never changes,
 * because only the library and policies fill the struct. */
struct tide_error {
	int code; /* 0, or a negative errno */
	char text[512];
};

/* Fills err (which may be NULL) and returns code, so a caller can write
 * `return tide_fail(err, -EINVAL, "...")`. code is a negative errno. */
__attribute__((format(printf, 3, 4))) static inline int tide_fail(struct tide_error *err, int code,
								  const char *format, ...)
{
	if (err) {
		va_list args;
		va_start(args, format);
		vsnprintf(err->text, sizeof err->text, format, args);
		va_end(args);
		err->code = code;
	}
	return code;
}

#endif
