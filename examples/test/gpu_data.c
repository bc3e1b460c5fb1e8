/* Input of the GPU examples, and what they are to give.
 * usage: gpu_data numbers FILE N            N doubles, 0, 1, 2 ..
 *        gpu_data scaled FILE N FACTOR      exits 1 where the file is not these, scaled
 *        gpu_data graph OFFSETS TARGETS N   a graph with some vertices that no edge leads to
 *        gpu_data reached OFFSETS TARGETS   the line that gpu_bfs is to print, from vertex 0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static FILE *open_file(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (!file)
		die(path);
	return file;
}

static void put(FILE *to, const void *at, size_t bytes)
{
	if (fwrite(at, bytes, 1, to) != 1)
		die("write");
}

static int numbers(const char *path, uint64_t n)
{
	FILE *to = open_file(path, "w");

	for (uint64_t i = 0; i < n; i++)
		put(to, &(double){(double)i}, sizeof(double));
	return fclose(to) ? 1 : 0;
}

static int scaled(const char *path, uint64_t n, double factor)
{
	FILE *from = open_file(path, "r");
	double x;

	for (uint64_t i = 0; i < n; i++) {
		if (fread(&x, sizeof x, 1, from) != 1)
			die("read");
		if (x != (double)i * factor) {
			printf("number %" PRIu64 " is %g\n", i, x);
			return 1;
		}
	}
	return fgetc(from) == EOF ? 0 : 1;
}

static uint64_t random_of(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Vertices of the last quarter have edges and are nobody's target. One vertex has many. */
static int graph(const char *offsets, const char *targets, uint64_t n)
{
	FILE *to_offsets = open_file(offsets, "w"), *to_targets = open_file(targets, "w");
	uint64_t state = 1, at = 0;

	for (uint64_t v = 0; v <= n; v++) {
		uint64_t edges = v == n ? 0 : v == n / 3 ? 5000 : random_of(&state) % 8;
		put(to_offsets, &at, sizeof at);
		for (uint64_t e = 0; e < edges || (v == 0 && e < 4); e++, at++)
			put(to_targets, &(uint32_t){(uint32_t)(random_of(&state) % (n * 3 / 4))},
			    sizeof(uint32_t));
	}
	return fclose(to_offsets) || fclose(to_targets) ? 1 : 0;
}

static void *load(const char *path, size_t *bytes)
{
	FILE *from = open_file(path, "r");
	void *at;

	if (fseek(from, 0, SEEK_END) || ftell(from) < 0)
		die(path);
	*bytes = (size_t)ftell(from);
	rewind(from);
	at = malloc(*bytes + 1);
	if (!at || fread(at, 1, *bytes, from) != *bytes)
		die(path);
	fclose(from);
	return at;
}

static int reached(const char *offsets_path, const char *targets_path)
{
	size_t bytes, target_bytes;
	const uint64_t *offsets = load(offsets_path, &bytes);
	const uint32_t *targets = load(targets_path, &target_bytes);
	size_t n = bytes / sizeof *offsets - 1, first = 0, last = 1, levels = 0, end = 1;
	uint64_t edges = 0;
	uint32_t *queue = calloc(n, sizeof *queue);
	char *seen = calloc(n, 1);

	if (!queue || !seen)
		die("memory");
	for (seen[0] = 1; first < last; levels++, end = last)
		for (; first < end; first++) {
			uint32_t v = queue[first];
			edges += offsets[v + 1] - offsets[v];
			for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++)
				if (!seen[targets[e]]) {
					seen[targets[e]] = 1;
					queue[last++] = targets[e];
				}
		}
	printf("%zu of %zu vertices reached, %zu levels, %" PRIu64 " edges\n", last, n, levels,
	       edges);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "numbers") == 0)
		return numbers(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 5 && strcmp(argv[1], "scaled") == 0)
		return scaled(argv[2], strtoull(argv[3], NULL, 10), atof(argv[4]));
	if (argc == 5 && strcmp(argv[1], "graph") == 0)
		return graph(argv[2], argv[3], strtoull(argv[4], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "reached") == 0)
		return reached(argv[2], argv[3]);
	fprintf(stderr, "usage: see gpu_data.c\n");
	return 2;
}
