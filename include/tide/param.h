/* Parameters of policies and workloads. The command line, the help and the manual are made from one
 * table for each policy or workload. */
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
	double min, max;     /* inclusive; for numbers */
	const char *help;    /* one line, no full stop */
};

/* Policies inside another policy. The outer policy tells them what happens, and asks them. */
struct tide_members {
	unsigned n;
	struct {
		const struct tide_policy *policy; /* of policy.h */
		void *self;
	} at[16];
};

/* The value of a parameter. create() gets one value per row of the table, in the table's order. */
union tide_value {
	int64_t i;
	double r;
	const char *text; /* also for a trace */
	const struct tide_members *members;
};

#endif
