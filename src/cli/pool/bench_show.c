/* What came of tide pool bench. */
#include <stdlib.h>

#include "bench.h"

/* Counts of the accesses alone: without those that warmed. */
static void subtract(struct td_pool_bench *b)
{
	struct tide_counts *c = &b->after.counts;
	const struct tide_counts *was = &b->before.counts;

#define TIDE_COUNTER(name, help) c->name -= was->name;
#include "tide/counters.def"
#undef TIDE_COUNTER
}

static double index_share(const struct tide_pool_stats *s)
{
	return (double)s->index_bytes / (double)(s->main_bytes + s->batch_bytes + s->device_bytes);
}

static double sharing(const struct tide_pool_stats *s)
{
	uint64_t used = s->main_used_bytes + s->device_used_bytes;

	return used ? (double)s->held_bytes / (double)used : 1;
}

static json_t *input_json(const struct td_pool_bench *b, const struct td_pool_use_options *args)
{
	return json_pack("{ss sf sf sf sf sI sI sI sI sI}", "pattern",
			 args->pattern ? args->pattern : "uniform", "working_set", b->set,
			 "duplicates", b->copies, "updates_percent", b->updates,
			 "compressible_percent", b->zeros, "pages", (json_int_t)b->pages,
			 "accesses", (json_int_t)b->accesses, "warm", (json_int_t)b->warm,
			 "threads", (json_int_t)b->threads, "depth", (json_int_t)b->depth);
}

static json_t *counts_json(const struct tide_counts *c)
{
	json_t *o = json_object();

#define TIDE_COUNTER(name, help) json_object_set_new(o, #name, json_integer((json_int_t)c->name));
#include "tide/counters.def"
#undef TIDE_COUNTER
	return o;
}

static int document(struct td_pool_bench *b, const struct td_pool_use_options *args, json_t **out,
		    struct tide_error *err)
{
	char *text;
	int rc = tide_pool_stats_json(b->pool, &text, err);

	if (rc)
		return rc;
	json_t *o = json_loads(text, 0, NULL);
	free(text);
	json_object_set_new(o, "verb", json_string("pool bench"));
	json_object_set_new(o, "input", input_json(b, args));
	json_object_set_new(o, "counts", counts_json(&b->after.counts));
	json_object_set_new(o, "index_share", json_real(index_share(&b->after)));
	json_object_set_new(o, "sharing", json_real(sharing(&b->after)));
	json_object_set_new(o, "wall",
			    json_pack("{sf sI}", "seconds", b->seconds, "accesses_per_second",
				      (json_int_t)((double)b->accesses / b->seconds)));
	*out = o;
	return 0;
}

static void print_row(struct td_cli_table *t, const char *what, uint64_t n, uint64_t of)
{
	td_cli_cell(t, "%s", what);
	td_cli_cell(t, "%s", td_cli_grouped(n).text);
	td_cli_cell(t, "%s", td_cli_share(n, of).text);
}

static double per(uint64_t ns, uint64_t bytes, uint64_t page_bytes)
{
	return bytes ? (double)ns / ((double)bytes / (double)page_bytes) : 0;
}

static void print_held(const struct tide_pool_stats *s)
{
	bool packed = s->packed_bytes || s->same_blocks;

	if (!s->index_bytes && !packed)
		return;
	printf("held    %.2f times what is stored", sharing(s));
	if (s->index_bytes)
		printf("; index %.2f%% of the block memory", 100 * index_share(s));
	if (packed)
		printf("; %s blocks of one word, %s not compressed",
		       td_cli_grouped(s->same_blocks).text, td_cli_grouped(s->plain_blocks).text);
	printf("\n");
}

static int print(const struct td_pool_bench *b, struct tide_error *err)
{
	const struct tide_pool_stats *s = &b->after;
	const struct tide_counts *c = &s->counts;
	struct td_cli_table t = {.align = "lrr"};

	print_row(&t, "accesses", c->accesses, c->accesses);
	print_row(&t, "hits", c->hits, c->accesses);
	print_row(&t, "tier2_hits", c->tier2_hits, c->accesses);
	print_row(&t, "tier3_reads", c->tier3_reads, c->accesses);
	print_row(&t, "tier3_writes", c->tier3_writes, c->accesses);
	int rc = td_cli_table_end(&t, err);
	if (rc)
		return rc;
	print_held(s);
	printf("speed   %.0f accesses a second, %.2f us each; batches of %.1f pages; transfers "
	       "%.0f ns a page\n",
	       (double)b->accesses / b->seconds, b->seconds * 1e6 / (double)b->accesses,
	       s->batches ? (double)s->batched_pages / (double)s->batches : 0,
	       per(s->device_ns, s->gathered_bytes + s->scattered_bytes, b->page_bytes));
	return 0;
}

int td_pool_bench_show(struct td_pool_bench *b, const struct td_pool_use_options *args,
		       struct tide_error *err)
{
	json_t *o = NULL;
	int rc;

	subtract(b);
	if (!args->json)
		return print(b, err);
	rc = document(b, args, &o, err);
	return rc ? rc : td_cli_print_json(o, err);
}
