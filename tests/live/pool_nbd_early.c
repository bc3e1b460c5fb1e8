/* Before nbdkit under a sanitizer. Its runtime begins with the first malloc, and asks for the text
 * of an error then. That of nbdkit is in a constructor of libp11-kit, within newlocale(), under the
 * lock that such a text takes as well: the lock is left broken, and nbdkit may never end. This
 * library is linked to be initialised first. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
	void *volatile some = malloc(1);
	free(some);
}
