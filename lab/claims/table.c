/* Figures of a paper, as tables: a line per application, a column per setting or configuration. */
#include <math.h>
#include <string.h>

#include "claims.h"

#define COLUMNS_MAX 16

static void number(struct td_cli_table *t, int digits, double value)
{
	if (isnan(value))
		td_cli_cell(t, "-");
	else
		td_cli_cell(t, "%.*f", digits, value);
}

static void print_app(const struct td_claims *p, struct td_cli_table *t,
		      const struct td_claims_table *table, unsigned a)
{
	td_cli_cell(t, "%s", p->paper->app(a));
	for (size_t i = 0; i < table->columns_n; i++) {
		const struct td_claims_column *col = &table->columns[i];
		if (col->words)
			td_cli_cell(t, "%s", col->words(p, col->s, a, col->c).text);
		else if (col->row)
			number(t, col->digits, td_claims_published(p, col->row, p->paper->app(a)));
		else
			number(t, col->digits, col->figure(p, col->s, a, col->c));
	}
}

static void print_summary(const struct td_claims *p, struct td_cli_table *t,
			  const struct td_claims_table *table, const struct td_claims_summary *sum)
{
	td_cli_cell(t, "%s", sum->name);
	for (size_t i = 0; i < table->columns_n; i++) {
		const struct td_claims_column *col = &table->columns[i];
		bool alone = col->words || col->row || col->alone;
		struct td_fold f = {0};
		for (unsigned a = 0; a < p->paper->apps && !alone; a++)
			if (sum->apps >> a & 1)
				td_fold_add(&f, a, col->figure(p, col->s, a, col->c));
		if (alone)
			td_cli_cell(t, "%s", !i && sum->type ? sum->type : "");
		else
			number(t, col->digits, sum->fold(f));
	}
}

static void print_published(struct td_cli_table *t, const struct td_claims_table *table)
{
	td_cli_cell(t, "published");
	for (size_t i = 0; i < table->columns_n; i++)
		td_cli_cell(t, "%s",
			    table->columns[i].published ? table->columns[i].published : "");
}

int td_claims_print(const struct td_claims *p, const struct td_claims_table *table, uint32_t apps,
		    struct tide_error *err)
{
	char align[COLUMNS_MAX + 2] = "l";
	struct td_cli_table t = {.align = align};

	printf("%s\n", table->title);
	td_cli_cell(&t, "%s", table->corner ? table->corner : "");
	for (size_t i = 0; i < table->columns_n; i++) {
		align[i + 1] = table->columns[i].left ? 'l' : 'r';
		td_cli_cell(&t, "%s", table->columns[i].head);
	}
	for (unsigned a = 0; a < p->paper->apps; a++)
		if (apps >> a & 1)
			print_app(p, &t, table, a);
	for (size_t i = 0; i < table->summaries_n; i++)
		print_summary(p, &t, table, &table->summaries[i]);
	if (table->published)
		print_published(&t, table);
	int rc = td_cli_table_end(&t, err);
	putchar('\n');
	return rc;
}
