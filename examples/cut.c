/* Copies the accesses to a range of pages from one trace to another. Reads and writes every trace
 * format. OUT appears only when it is complete.
 * usage: cut IN OUT FIRST-PAGE LAST-PAGE */
#include <stdio.h>
#include <stdlib.h>
#include <tide/tide.h>

struct range {
	uint64_t first, last, kept;
};

static int copy(struct tide_trace *in, struct tide_trace_writer *out, struct range *range,
		struct tide_error *err)
{
	struct tide_event event = {.size = sizeof event};
	int rc;
	while ((rc = tide_trace_next(in, &event, err)) == 1) {
		if (event.page < range->first || event.page > range->last)
			continue;
		range->kept++;
		rc = tide_trace_put(out, &event, err);
		if (rc)
			return rc;
	}
	return rc;
}

static int cut(const char *from, const char *to, struct range *range, struct tide_error *err)
{
	struct tide_trace_options options = {.size = sizeof options, .path = from};
	struct tide_trace_writer *out = NULL;
	struct tide_trace *in;
	int rc = tide_trace_open(&in, &options, err);
	if (rc)
		return rc;
	rc = tide_trace_create(&out, to, NULL, err);
	if (!rc)
		rc = copy(in, out, range, err);
	if (!rc)
		rc = tide_trace_finish(out, err);
	else
		tide_trace_abandon(out);
	tide_trace_close(in);
	return rc;
}

int main(int argc, char **argv)
{
	struct tide_error err;
	if (argc != 5) {
		fprintf(stderr, "usage: cut IN OUT FIRST-PAGE LAST-PAGE\n");
		return 2;
	}
	struct range range = {strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0), 0};
	if (cut(argv[1], argv[2], &range, &err)) {
		fprintf(stderr, "cut: %s\n", err.text);
		return 1;
	}
	printf("%llu accesses kept\n", (unsigned long long)range.kept);
	return 0;
}
