/* oracle --trace FILE.txt --near 160p|75% [--page 4K] [--chunk 64K] [--evict P] [--prefetch P]
 *        [--place P --host SIZE] [--seed N] [--flush]: prints the counts of one functional run as
 * one JSON object, then a line for each thing that the policy reports. Memory is left to the end of
 * the program. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *trace, *near, *page, *chunk, *evict, *prefetch, *place, *host, *seed;
	bool flush;
};

static int ascending(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* Distinct pages touched. */
static uint64_t footprint(const struct oracle *o)
{
	uint64_t *pages = must(malloc(o->trace_len * sizeof(*pages)));
	uint64_t n = 1;

	for (size_t i = 0; i < o->trace_len; i++)
		pages[i] = o->trace[i].page;
	qsort(pages, o->trace_len, sizeof(*pages), ascending);
	for (size_t i = 1; i < o->trace_len; i++)
		n += pages[i] != pages[i - 1];
	free(pages);
	return n;
}

static uint64_t size_in_pages(const struct oracle *o, const char *text, uint64_t page_bytes)
{
	const char *end;
	struct decimal d = decimal(text, &end);
	unsigned __int128 share = (unsigned __int128)d.digits * footprint(o);
	unsigned __int128 unit = (unsigned __int128)100 * d.scale;

	if (!strcmp(end, "p"))
		return d.digits;
	if (!strcmp(end, "%"))
		return (uint64_t)((share + unit - 1) / unit);
	return (bytes(text) + page_bytes - 1) / page_bytes;
}

static struct options parse(int argc, char **argv)
{
	struct options opt = {NULL, NULL, "4K", "64K", "lrm", "tree", NULL, NULL, "1", false};
	const char *names[] = {"--trace",    "--near",  "--page", "--chunk", "--evict",
			       "--prefetch", "--place", "--host", "--seed"};
	const char **values[] = {&opt.trace,    &opt.near,  &opt.page, &opt.chunk, &opt.evict,
				 &opt.prefetch, &opt.place, &opt.host, &opt.seed};

	for (int i = 1; i < argc; i += 2) {
		size_t k = 0;

		if (!strcmp(argv[i], "--flush")) {
			opt.flush = true;
			i--;
			continue;
		}
		while (k < 9 && strcmp(argv[i], names[k]))
			k++;
		if (k == 9 || i + 1 == argc)
			usage(argv[i]);
		*values[k] = argv[i + 1];
	}
	if (!opt.trace || !opt.near)
		usage("--trace and --near are needed");
	return opt;
}

static void set_up_memory(struct oracle *o, const struct options *opt)
{
	uint64_t page_bytes = bytes(opt->page), chunk_bytes = bytes(opt->chunk);

	if (!page_bytes || !chunk_bytes || chunk_bytes % page_bytes)
		usage("the chunk is no multiple of the page");
	o->pages_per_chunk = chunk_bytes / page_bytes;
	if (o->pages_per_chunk > 64)
		usage("more than 64 pages per chunk");
	read_trace(opt->trace, &o->trace, &o->trace_len);
	for (size_t i = 0; i < o->trace_len; i++)
		if (o->trace[i].page > o->max_page)
			o->max_page = o->trace[i].page;
	o->near = size_in_pages(o, opt->near, page_bytes);
	if (o->near < o->pages_per_chunk)
		usage("near memory is smaller than one chunk");
	if (opt->host)
		o->host = size_in_pages(o, opt->host, page_bytes);
}

static void set_up_policies(struct oracle *o, const struct options *opt)
{
	const struct spec *evict = parse_spec(opt->evict), *prefetch = parse_spec(opt->prefetch);

	o->evict = open_evictor(o, evict);
	o->prefetch = open_prefetcher(o, prefetch);
	if (o->evict->how->study && !strcmp(prefetch->name, "sequential"))
		usage("this policy is defined for demand paging alone");
	if (!opt->place != !opt->host)
		usage("--place and --host go together");
	if (opt->flush && !opt->place)
		usage("--flush without --place");
	if (!opt->place)
		return;
	if (strcmp(evict->name, "clock") || strcmp(prefetch->name, "none") ||
	    o->pages_per_chunk != 1)
		usage("--place takes single pages, clock and no prefetch");
	o->place = open_placer(o, parse_spec(opt->place));
}

static void print(const struct counts *c)
{
	const struct {
		const char *key;
		uint64_t value;
	} all[] = {
		{"accesses", c->accesses},
		{"hits", c->hits},
		{"faults", c->faults},
		{"migrated_pages", c->migrated},
		{"prefetched_pages", c->prefetched},
		{"evicted_chunks", c->evicted_chunks},
		{"evicted_pages", c->evicted},
		{"writeback_pages", c->writeback},
		{"untouched_evicted_pages", c->untouched},
		{"policy_errors", c->policy_errors},
		{"notices", c->notices},
		{"remote_accesses", c->remote},
		{"observe_pages", c->observe_pages},
		{"tier2_hits", c->tier2_hits},
		{"tier2_misses", c->tier2_misses},
		{"tier3_reads", c->tier3_reads},
		{"tier3_writes", c->tier3_writes},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		printf("%s\"%s\":%" PRIu64, i ? "," : "{", all[i].key, all[i].value);
	puts("}");
}

int main(int argc, char **argv)
{
	static struct oracle o;
	struct options opt = parse(argc, argv);

	o.random_state = whole_number(opt.seed);
	set_up_memory(&o, &opt);
	set_up_policies(&o, &opt);
	set_up_observation(&o);
	run(&o);
	if (opt.flush)
		flush_tiers(&o);
	print(&o.counts);
	if (o.evict->how->report)
		o.evict->how->report(o.evict);
	return 0;
}
