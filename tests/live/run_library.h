#ifndef RUN_LIBRARY_H
#define RUN_LIBRARY_H

#define LIBRARY_BYTES ((size_t)8 << 20)

/* Zeros, of which the first byte of every page is one more after every fork. */
char *library_state(void);

#endif
