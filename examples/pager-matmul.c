/* A plain threaded program that knows nothing of tide, for `tide run`. It multiplies two matrices
 * and prints a checksum that depends on every bit of the product.
 * usage: pager-matmul [SIZE [THREADS]] */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	size_t n, first, last; /* rows */
	const double *a, *b;
	double *c;
};

/* Row by row of b, so that every pass walks through all of it. */
static void *multiply(void *arg)
{
	const struct job *j = arg;
	for (size_t i = j->first; i < j->last; i++) {
		double *row = j->c + i * j->n;
		for (size_t k = 0; k < j->n; k++) {
			double x = j->a[i * j->n + k];
			const double *from = j->b + k * j->n;
			for (size_t col = 0; col < j->n; col++)
				row[col] += x * from[col];
		}
	}
	return NULL;
}

/* Small whole numbers: every product and sum is exact, in any order. */
static void fill(double *m, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n * n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		m[i] = (double)(seed >> 60);
	}
}

static uint64_t checksum(const double *m, size_t n)
{
	uint64_t sum = 1469598103934665603u, bits;
	for (size_t i = 0; i < n * n; i++) {
		memcpy(&bits, &m[i], sizeof bits);
		sum = (sum ^ bits) * 1099511628211u;
	}
	return sum;
}

static int run(struct job whole, size_t threads)
{
	pthread_t thread[64];
	struct job job[64];
	for (size_t t = 0; t < threads; t++) {
		job[t] = whole;
		job[t].first = whole.n * t / threads;
		job[t].last = whole.n * (t + 1) / threads;
		if (pthread_create(&thread[t], NULL, multiply, &job[t]))
			return 1;
	}
	for (size_t t = 0; t < threads; t++)
		pthread_join(thread[t], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 512;
	size_t threads = argc > 2 ? strtoull(argv[2], NULL, 0) : 2;
	if (n == 0 || n > 16384 || threads == 0 || threads > 64) {
		fprintf(stderr, "usage: pager-matmul [SIZE [THREADS]]\n");
		return 2;
	}
	double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b);
	double *c = calloc(n * n, sizeof *c);
	if (!a || !b || !c) {
		fprintf(stderr, "pager-matmul: no memory\n");
		return 1;
	}
	fill(a, n, 1);
	fill(b, n, 2);
	if (run((struct job){n, 0, n, a, b, c}, threads)) {
		fprintf(stderr, "pager-matmul: no threads\n");
		return 1;
	}
	printf("%016llx\n", (unsigned long long)checksum(c, n));
	free(a);
	free(b);
	free(c);
	return 0;
}
