/* Curves for people: a line about the method of each, and a table. */
#include <string.h>

#include "mrc.h"

static void print_input(const struct td_cli_mrc *all)
{
	const struct td_cli_mrc_options *args = all->args;
	const struct tide_mrc *m = all->at[0].mrc;

	printf("input   %s %s%s%s, %s accesses to %s%s %s, %s\n",
	       args->in.trace ? "trace" : "workload",
	       td_cli_name(args->in.trace ? args->in.trace : args->in.workload).text,
	       args->in.trace ? " as " : "", args->in.trace ? m->format : "",
	       td_cli_grouped(m->accesses).text, td_cli_mrc_is_sampled(m) ? "about " : "",
	       td_cli_grouped(m->footprint_pages).text, m->objects ? "objects" : "pages",
	       m->objects ? td_cli_bytes(m->object_bytes).text
			  : td_cli_pages(m->footprint_pages, all->page_bytes).text);
}

static void print_method(const struct td_cli_mrc_curve *c)
{
	printf("curve   %s: %s", td_cli_name(c->policy).text, c->mrc->method);
	if (td_cli_mrc_is_sampled(c->mrc))
		printf(", sampled: %u samples of %.3g%%, %s accesses; miss ratios +- %.4f",
		       c->mrc->samples, c->mrc->sample_share * 100,
		       td_cli_grouped(c->mrc->sampled_accesses).text, c->mrc->error);
	if (c->off >= 0)
		printf(", in truth %.4f", c->off);
	putchar('\n');
}

static double mean_of(const struct tide_mrc *m, enum td_cli_mrc_by by)
{
	double sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += td_cli_mrc_ratio(m, i, by);
	return sum / (double)m->n;
}

/* Four digits, as a share of accesses, bytes or costs. */
static void ratio_cell(struct td_cli_table *t, double ratio)
{
	if (isnan(ratio))
		td_cli_cell(t, "%s", "-");
	else
		td_cli_cell(t, "%.4f", ratio);
}

static void size_cells(struct td_cli_table *t, const struct td_cli_mrc *all, size_t i)
{
	const struct tide_mrc *m = all->at[0].mrc;
	uint64_t size = m->objects ? m->objects[i].near_bytes : m->at[i].size_pages;

	td_cli_cell(t, "%s", td_cli_grouped(size).text);
	td_cli_cell(t, "%s",
		    m->objects ? td_cli_bytes(size).text
			       : td_cli_pages(size, all->page_bytes).text);
	td_cli_cell(t, "%s",
		    td_cli_share(size, m->objects ? m->object_bytes : m->footprint_pages).text);
}

static int print_table(const struct td_cli_mrc *all, enum td_cli_mrc_by by, struct tide_error *err)
{
	const struct tide_mrc *first = all->at[0].mrc;
	char align[3 + TD_CLI_MRC_CURVES + 1] = "";
	struct td_cli_table t = {.align = memset(align, 'r', 3 + all->n)};

	td_cli_cell(&t, "%s", first->objects ? "bytes" : "pages");
	td_cli_cell(&t, "%s", "size");
	td_cli_cell(&t, "%s", "share");
	for (size_t c = 0; c < all->n; c++)
		td_cli_cell(&t, "%s", all->at[c].policy);
	for (size_t i = 0; i < first->n; i++) {
		size_cells(&t, all, i);
		for (size_t c = 0; c < all->n; c++)
			ratio_cell(&t, td_cli_mrc_ratio(all->at[c].mrc, i, by));
	}
	td_cli_cell(&t, "%s", "mean");
	td_cli_cell(&t, "%s", "");
	td_cli_cell(&t, "%s", "");
	for (size_t c = 0; c < all->n; c++)
		ratio_cell(&t, mean_of(all->at[c].mrc, by));
	return td_cli_table_end(&t, err);
}

/* Without costs in the input, every fetch costs 1, and the table would be the first one again. */
static bool has_costs(const struct td_cli_mrc *all)
{
	for (size_t c = 0; c < all->n; c++) {
		const struct tide_mrc *m = all->at[c].mrc;
		for (size_t i = 0; i < m->n; i++)
			if (m->objects[i].cost_miss_ratio != m->at[i].miss_ratio)
				return true;
	}
	return false;
}

/* Of an input with groups, unless all curves are sampled or bounds of variable size. */
static bool has_prefixes(const struct td_cli_mrc *all)
{
	for (size_t c = 0; c < all->n; c++)
		if (all->at[c].mrc->prefix_hits)
			return true;
	return false;
}

static int print_object_tables(const struct td_cli_mrc *all, struct tide_error *err)
{
	int rc;

	printf("\nByte miss ratio by size:\n\n");
	rc = print_table(all, TD_CLI_MRC_BYTES, err);
	if (rc || !has_costs(all))
		return rc;
	printf("\nCost miss ratio by size:\n\n");
	return print_table(all, TD_CLI_MRC_COST, err);
}

void td_cli_mrc_show_head(const struct td_cli_mrc *all)
{
	print_input(all);
	td_cli_note_sizes(&all->args->in, all->args->objects);
	for (size_t i = 0; i < all->n; i++)
		print_method(&all->at[i]);
	putchar('\n');
}

int td_cli_mrc_show_tables(const struct td_cli_mrc *all, struct tide_error *err)
{
	int rc;

	printf("Miss ratio by size:\n\n");
	rc = print_table(all, TD_CLI_MRC_COUNT, err);
	if (!rc && has_prefixes(all)) {
		printf("\nPrefix miss ratio by size (only hits before the first miss of their group "
		       "count):\n\n");
		rc = print_table(all, TD_CLI_MRC_PREFIX, err);
	}
	if (!rc && all->args->objects)
		rc = print_object_tables(all, err);
	return rc;
}

void td_cli_mrc_show_speed(const struct td_cli_mrc *all)
{
	printf("\nspeed   %.3f s, %.1f million accesses/s\n", all->seconds,
	       (double)(all->at[0].mrc->accesses * all->n) / all->seconds / 1e6);
}
