#include "assert.h"

#include <string.h>
#include <unistd.h>

static void say(const char *text)
{
	size_t length = strlen(text);
	while (length > 0) {
		ssize_t n = write(STDERR_FILENO, text, length);
		if (n <= 0)
			return;
		text += n;
		length -= (size_t)n;
	}
}

_Noreturn void td_core_assert_failed(const char *file, int line, const char *condition)
{
	char digits[12], *at = digits + sizeof digits;
	*--at = '\0';
	do
		*--at = (char)('0' + line % 10);
	while (line /= 10);
	say(file);
	say(":");
	say(at);
	say(": an invariant of tide does not hold: ");
	say(condition);
	say("\n");
	__builtin_trap();
}
