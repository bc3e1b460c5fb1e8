/* Parameters of policies and workloads: one table each, from which the command line, the
 * help and the manual are made. */
#ifndef TIDE_PARAM_H
#define TIDE_PARAM_H

#include <stdint.h>

enum tide_param_type {
	TIDE_PARAM_INT,
	TIDE_PARAM_REAL,
	TIDE_PARAM_TEXT,
	TIDE_PARAM_POLICIES, /* other policies of the same role: "lru+mhpe+leu" */
	TIDE_PARAM_TRACE,    /* a trace that the policy learns from before the run; "": none */
};

struct tide_param {
	const char *name;
	enum tide_param_type type;
	const char *initial; /* the default, written as on the command line */
	double min, max;     /* inclusive; of numbers */
	const char *help;    /* one line, no full stop */
};

/* Policies at work inside another one, which tells them what happens and asks them. */
struct tide_members {
	unsigned n;
	struct {
		const struct tide_policy *policy; /* of policy.h */
		void *self;
	} at[16];
};

/* A value of the type its table row names; create() gets one per row, in the table's order. */
union tide_value {
	int64_t i;
	double r;
	const char *text; /* of a trace too */
	const struct tide_members *members;
};

#endif
