/* A policy that does wrong. HOSTILE in the environment says in which way; ways.txt lists them with
 * what must become of each. */
#ifndef TESTS_HOSTILE_HOSTILE_H
#define TESTS_HOSTILE_HOSTILE_H

#include <tide/policy.h>

struct hostile {
	const struct tide_view *view;
};

/* Is this the way that was asked for? */
bool hostile_is(const char *way);

/* wrong_struct.c: changes the struct before tide looks at it. */
void hostile_spoil(struct tide_policy *p);

#endif
