/* Curves as plain numbers. */
#include "report/csv.h"
#include "mrc.h"

static const char heads[] = "input,policy,page_bytes,near_pages,near_bytes,near_share,misses,"
			    "miss_ratio,error,prefix_hits,byte_miss_ratio,cost_miss_ratio,tide\n";

/* Bytes of objects are theirs; a share is of the footprint, or of all objects' sizes. */
static void put_size(const struct td_cli_mrc *all, const struct tide_mrc *m, size_t i)
{
	double pages = m->at[i].pages;
	double bytes =
		m->objects ? (double)m->objects[i].near_bytes : pages * (double)all->page_bytes;
	double most = m->objects ? (double)m->object_bytes
				 : (double)m->footprint_pages * (double)all->page_bytes;

	printf(",%.15g,%.15g,", pages, bytes);
	if (most > 0)
		printf("%.15g", bytes / most);
}

/* What a curve does not have is an empty cell. */
static void put_rest(const struct tide_mrc *m, size_t i)
{
	putchar(',');
	if (m->errors)
		printf("%.15g", m->errors[i]);
	putchar(',');
	if (m->prefix_hits)
		printf("%llu", (unsigned long long)m->prefix_hits[i]);
	if (m->objects)
		printf(",%.15g,%.15g", m->objects[i].byte_miss_ratio,
		       m->objects[i].cost_miss_ratio);
	else
		fputs(",,", stdout);
}

static void put_curve(const struct td_cli_mrc *all, const struct td_cli_mrc_curve *c)
{
	const struct td_cli_input *in = &all->args->in;

	for (size_t i = 0; i < c->mrc->n; i++) {
		td_report_csv(stdout, in->trace ? in->trace : in->workload);
		putchar(',');
		td_report_csv(stdout, c->policy);
		printf(",%llu", (unsigned long long)all->page_bytes);
		put_size(all, c->mrc, i);
		printf(",%llu,%.15g", (unsigned long long)c->mrc->at[i].misses,
		       c->mrc->at[i].miss_ratio);
		put_rest(c->mrc, i);
		printf(",%s\n", tide_version());
	}
}

void td_cli_mrc_csv(const struct td_cli_mrc *all)
{
	fputs(heads, stdout);
	for (size_t c = 0; c < all->n; c++)
		put_curve(all, &all->at[c]);
}
