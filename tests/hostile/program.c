/* A program for tide run: more memory than is near, written and read twice. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	size_t n = (size_t)12 << 20, step = 512;
	unsigned char *at = malloc(n);
	if (!at)
		return 1;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i += step)
			at[i] = (unsigned char)(i / step + (size_t)round);
		for (size_t i = 0; i < n; i += step) {
			if (at[i] != (unsigned char)(i / step + (size_t)round))
				return 1;
		}
	}
	puts("all is well");
	free(at);
	return 0;
}
