/* Parameters of policies and workloads: one table each, from which the command line, the
 * help and the manual are made. */
#ifndef TIDE_PARAM_H
#define TIDE_PARAM_H

#include <stdint.h>

enum tide_param_type {
	TIDE_PARAM_INT,
	TIDE_PARAM_REAL,
	TIDE_PARAM_TEXT,
};

struct tide_param {
	const char *name;
	enum tide_param_type type;
	const char *initial; /* the default, written as on the command line */
	double min, max;     /* inclusive; not looked at for text */
	const char *help;    /* one line, no full stop */
};

/* A value of the type its table row names; create() gets one per row, in the table's order. */
union tide_value {
	int64_t i;
	double r;
	const char *text;
};

#endif
