/* Between faults.c, which chooses and compares, and serve.c, which measures. */
#ifndef BENCH_PAGER_FAULTS_H
#define BENCH_PAGER_FAULTS_H

#include "common.h"

/* What is accessed. */
struct load {
	size_t unit, bytes;
	bool random, write;
	unsigned threads, rounds;
};

/* Who serves it; page NULL: the minimal handler. */
struct server {
	const char *page, *chunk, *mapping, *service, *evict;
};

struct run {
	struct load load;
	struct server server;
};

/* Keeps the better one in best. */
void bench_serve(const struct run *r, struct bench_result *best);

#endif
