/* oracle --trace FILE.txt --near 160p|75% [--page 4K] [--chunk 64K] [--evict P] [--prefetch P]
 *        [--seed N]: prints the counts of one functional run as one JSON object. */
#include "oracle.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *trace, *near, *page, *chunk, *evict, *prefetch, *seed;
};

static void usage(const char *what)
{
	fprintf(stderr, "oracle: bad usage: %s\n", what);
	exit(2);
}

/* A number in decimal or 0x hex; *end is set behind it. Exits on what is no 64-bit number. */
static uint64_t number(const char *text, const char **end)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned base = hex ? 16 : 10;
	unsigned __int128 value = 0;
	const char *p = text + (hex ? 2 : 0);

	if (!isxdigit((unsigned char)*p))
		usage("not a number");
	for (; hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p); p++) {
		unsigned digit = isdigit((unsigned char)*p)
					 ? (unsigned)(*p - '0')
					 : (unsigned)(tolower((unsigned char)*p) - 'a') + 10;

		value = value * base + digit;
		if (value > UINT64_MAX)
			usage("a number does not fit 64 bits");
	}
	*end = p;
	return (uint64_t)value;
}

static uint64_t whole_number(const char *text)
{
	const char *end;
	uint64_t value = number(text, &end);

	if (*end)
		usage("not a number");
	return value;
}

static struct decimal decimal(const char *text, const char **end)
{
	struct decimal d = {number(text, end), 1};

	if (**end != '.')
		return d;
	for (++*end; isdigit((unsigned char)**end) && d.scale < 1000000; ++*end) {
		d.digits = d.digits * 10 + (uint64_t)(**end - '0');
		d.scale *= 10;
	}
	return d;
}

static uint64_t bytes(const char *text)
{
	const char *end;
	uint64_t value = number(text, &end);

	switch (*end) {
	case 'K':
		value <<= 10;
		end++;
		break;
	case 'M':
		value <<= 20;
		end++;
		break;
	case 'G':
		value <<= 30;
		end++;
		break;
	}
	if (*end)
		usage("not a size");
	return value;
}

static void read_line(struct oracle *o, size_t *room, char *line)
{
	char *word, *rest = NULL;
	struct access a = {0};

	line[strcspn(line, "#\n")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	if (!word)
		return;
	a.page = whole_number(word);
	word = strtok_r(NULL, " \t\r", &rest);
	a.write = word && !strcmp(word, "w");
	if (o->trace_len == *room) {
		*room = *room ? 2 * *room : 1024;
		o->trace = must(realloc(o->trace, *room * sizeof(*o->trace)));
	}
	o->trace[o->trace_len++] = a;
	if (a.page > o->max_page)
		o->max_page = a.page;
}

static void read_trace(struct oracle *o, const char *name)
{
	FILE *f = fopen(name, "r");
	char *line = NULL;
	size_t line_room = 0, room = 0;

	if (!f)
		usage("the trace cannot be opened");
	while (getline(&line, &line_room, f) > 0)
		read_line(o, &room, line);
	free(line);
	fclose(f);
	if (!o->trace_len)
		usage("the trace is empty");
}

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

static uint64_t near_pages(const struct oracle *o, const char *text, uint64_t page_bytes)
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

/* Cuts "name:key=value" and returns the value, or NULL if there is none. */
static const char *cut_value(char *text, const char *name, const char *key)
{
	char *colon = strchr(text, ':');

	if (!colon)
		return NULL;
	*colon++ = '\0';
	if (strcmp(text, name) || strncmp(colon, key, strlen(key)) || colon[strlen(key)] != '=')
		usage("unknown parameter");
	return colon + strlen(key) + 1;
}

static void choose_evict(struct oracle *o, const char *text)
{
	char *name = must(strdup(text));
	const char *value = cut_value(name, "reserved-lru", "pct"), *end;

	o->evict = find_evict(name);
	o->pct = decimal(value ? value : "10", &end);
	if (!o->evict)
		usage("unknown eviction policy");
	if (o->evict->study && o->pages_per_chunk != 1)
		usage("this policy needs one page per chunk");
	free(name);
}

static void choose_prefetch(struct oracle *o, const char *text)
{
	char *name = must(strdup(text));
	bool sequential = !strncmp(text, "sequential", 10);
	const char *value = sequential ? cut_value(name, "sequential", "n")
				       : cut_value(name, "tree", "threshold");

	o->prefetch = find_prefetch(name);
	if (!o->prefetch)
		usage("unknown prefetcher");
	if (o->evict->study && sequential)
		usage("this policy is defined for demand paging alone");
	o->pages = value && sequential ? whole_number(value) : 128;
	o->threshold = value && !sequential ? whole_number(value) : 51;
	if (!strcmp(name, "aggressive"))
		o->threshold = 1;
	free(name);
}

static struct options parse(int argc, char **argv)
{
	struct options opt = {NULL, NULL, "4K", "64K", "lrm", "tree", "1"};
	const char *names[] = {"--trace", "--near",     "--page", "--chunk",
			       "--evict", "--prefetch", "--seed"};
	const char **values[] = {&opt.trace, &opt.near,     &opt.page, &opt.chunk,
				 &opt.evict, &opt.prefetch, &opt.seed};

	for (int i = 1; i < argc; i += 2) {
		size_t k = 0;

		while (k < 7 && strcmp(argv[i], names[k]))
			k++;
		if (k == 7 || i + 1 == argc)
			usage(argv[i]);
		*values[k] = argv[i + 1];
	}
	if (!opt.trace || !opt.near)
		usage("--trace and --near are needed");
	return opt;
}

static void set_up(struct oracle *o, const struct options *opt)
{
	uint64_t page_bytes = bytes(opt->page), chunk_bytes = bytes(opt->chunk);

	if (!page_bytes || !chunk_bytes || chunk_bytes % page_bytes)
		usage("the chunk is no multiple of the page");
	o->pages_per_chunk = chunk_bytes / page_bytes;
	if (o->pages_per_chunk > 64)
		usage("more than 64 pages per chunk");
	read_trace(o, opt->trace);
	o->near = near_pages(o, opt->near, page_bytes);
	if (o->near < o->pages_per_chunk)
		usage("near memory is smaller than one chunk");
	o->random_state = whole_number(opt->seed);
	o->sieve_hand = NONE;
	choose_evict(o, opt->evict);
	choose_prefetch(o, opt->prefetch);
}

static void print(const struct counts *c)
{
	printf("{\"accesses\":%" PRIu64 ",\"hits\":%" PRIu64 ",\"faults\":%" PRIu64 ",",
	       c->accesses, c->hits, c->faults);
	printf("\"migrated_pages\":%" PRIu64 ",\"prefetched_pages\":%" PRIu64 ",", c->migrated,
	       c->prefetched);
	printf("\"evicted_chunks\":%" PRIu64 ",\"evicted_pages\":%" PRIu64 ",", c->evicted_chunks,
	       c->evicted);
	printf("\"writeback_pages\":%" PRIu64 ",\"untouched_evicted_pages\":%" PRIu64 ",",
	       c->writeback, c->untouched);
	printf("\"policy_errors\":%" PRIu64 "}\n", c->policy_errors);
}

static void release(struct oracle *o)
{
	free(o->trace);
	free(o->chunks);
	free(o->slots);
	free(o->set);
	free(o->a.at);
	free(o->b.at);
	free(o->c.at);
	free(o->d.at);
}

int main(int argc, char **argv)
{
	struct oracle o = {0};
	struct options opt = parse(argc, argv);

	set_up(&o, &opt);
	run(&o);
	print(&o.counts);
	release(&o);
	return 0;
}
