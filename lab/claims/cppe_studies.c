/* Sensitivity studies of the CPPE paper, and of what the model assumes: CPPE over the baseline for
 * several values of one parameter. */
#include <math.h>
#include <string.h>

#include "cppe.h"

#define CPPE "mhpe", "pattern"
#define THRESHOLD(key, value) \
	{ \
		value, "mhpe:" key "=" value, "pattern", "cppe", NULL \
	}

static const struct td_cli_cppe_study studies[] = {
	{"t1",
	 "untouched pages of one interval that switch to LRU",
	 false,
	 {THRESHOLD("t1", "8"), THRESHOLD("t1", "16"), THRESHOLD("t1", "24"), THRESHOLD("t1", "32"),
	  THRESHOLD("t1", "40"), THRESHOLD("t1", "48"), THRESHOLD("t1", "64")}},
	{"t2",
	 "untouched pages of the first four intervals that switch to LRU",
	 false,
	 {THRESHOLD("t2", "10"), THRESHOLD("t2", "20"), THRESHOLD("t2", "30"),
	  THRESHOLD("t2", "40"), THRESHOLD("t2", "50"), THRESHOLD("t2", "70"),
	  THRESHOLD("t2", "100")}},
	{"t3",
	 "limit of the forward distance",
	 false,
	 {THRESHOLD("t3", "16"), THRESHOLD("t3", "20"), THRESHOLD("t3", "24"),
	  THRESHOLD("t3", "28"), THRESHOLD("t3", "32"), THRESHOLD("t3", "36"),
	  THRESHOLD("t3", "40")}},
	{"scheme",
	 "deletion of patterns",
	 false,
	 {{"scheme 1", "mhpe", "pattern:scheme=1", "cppe", NULL},
	  {"scheme 2", "mhpe", "pattern:scheme=2", "cppe", NULL},
	  {"no patterns", "mhpe", "locality", "cppe", NULL}}},
	{"latency",
	 "what a fault takes",
	 true,
	 {{"10 us", CPPE, "cppe:block_ns=10000", NULL},
	  {"20 us", CPPE, "cppe", NULL},
	  {"45 us", CPPE, "cppe:block_ns=45000", NULL}}},
	{"service",
	 "how faults are served: 20 us for each or for a batch, how many at once, how many of a warp",
	 true,
	 {{"each fault", CPPE, "cppe", NULL},
	  {"each batch", CPPE, "cppe:block_ns=0,batch_ns=20000", NULL},
	  {"32 at most", CPPE, "cppe:batch=32", NULL},
	  {"one by one", CPPE, "cppe:batch=1", NULL},
	  {"32 misses", CPPE, "cppe:misses=32", NULL}}},
	{"jitter",
	 "rounds by which multiprocessors start apart",
	 true,
	 {{"0", CPPE, "cppe", NULL},
	  {"64", CPPE, "cppe", "jitter=64"},
	  {"1024", CPPE, "cppe", "jitter=1024"}}},
};

#define STUDIES (sizeof studies / sizeof *studies)

const char *td_cli_cppe_study(size_t i)
{
	return i < STUDIES ? studies[i].name : NULL;
}

int td_cli_cppe_find_study(struct td_cli_cppe *p, struct tide_error *err)
{
	size_t found;
	int rc = td_cli_choose_study(p->e.args->study, td_cli_cppe_study, &found, err);

	p->study = rc ? NULL : &studies[found];
	return rc;
}

void td_cli_cppe_plan_study(struct td_cli_cppe *p, enum td_cli_cppe_app a)
{
	const struct td_cli_cppe_value *v = p->study->values;

	for (unsigned s = 0; s < CPPE_SIZES; s++)
		for (unsigned i = 0; v[i].text; i++) {
			struct td_cli_cppe_value base = v[i];
			base.evict = "lrm";
			base.prefetch = "locality";
			/* One baseline does where it does not depend on the value. */
			p->study_at[a][s][i][0] = i && !p->study->baseline
							  ? p->study_at[a][s][0][0]
							  : td_cli_cppe_add(p, a, s, &base);
			p->study_at[a][s][i][1] = td_cli_cppe_add(p, a, s, &v[i]);
		}
}

static double speedup(const struct td_cli_cppe *p, unsigned a, unsigned s, unsigned i)
{
	return td_cli_cppe_time(p, p->study_at[a][s][i][0]) /
	       td_cli_cppe_time(p, p->study_at[a][s][i][1]);
}

/* Of those that were run; as everywhere without the two that crashed for the paper. */
static double average(const struct td_cli_cppe *p, unsigned s, unsigned i)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; a < CPPE_APPS; a++) {
		if (!p->wanted[a] || td_cli_cppe_crashed(a))
			continue;
		sum += speedup(p, a, s, i);
		n++;
	}
	return sum / n;
}

/* The paper chose T3 by the average of these. */
static double t3_average(const struct td_cli_cppe *p, unsigned i)
{
	static const unsigned apps[] = {CPPE_SRD, CPPE_HSD, CPPE_MRQ};
	double sum = 0;

	for (size_t k = 0; k < 3; k++)
		for (unsigned s = 0; s < CPPE_SIZES; s++)
			sum += speedup(p, apps[k], s, i) / 6;
	return sum;
}

static void claim_t3(struct td_cli_cppe *p)
{
	unsigned best = 0;
	double most = 0, paper = (double)NAN;

	for (unsigned i = 0; p->study->values[i].text; i++) {
		double x = t3_average(p, i);
		if (x > most) {
			most = x;
			best = i;
		}
		if (!strcmp(p->study->values[i].text, "32"))
			paper = x;
	}
	td_cli_state_claim(&p->e.r, "t3-best", "limit with the best average of srd, hsd and mrq",
			   "32", !isnan(paper), paper > most * 0.98, NULL, "%s: %.3f, and 32: %.3f",
			   p->study->values[best].text, most, paper);
}

void td_cli_cppe_study_claims(struct td_cli_cppe *p)
{
	for (unsigned s = 0; s < CPPE_SIZES; s++)
		for (unsigned i = 0; p->study->values[i].text; i++) {
			char id[60], what[200];
			double x = average(p, s, i);
			snprintf(id, sizeof id, "%s-%u-%.2s", p->study->name, i + 1,
				 td_cli_cppe_sizes[s]);
			snprintf(what, sizeof what, "CPPE over the baseline at %s, average, %s: %s",
				 td_cli_cppe_sizes[s], p->study->what, p->study->values[i].text);
			td_cli_state(&p->e.r, &(struct td_cli_statement){id, what, json_null(),
									 isnan(x) ? json_null()
										  : json_real(x),
									 TD_CLI_UNJUDGED, NULL});
		}
	if (!strcmp(p->study->name, "t3"))
		claim_t3(p);
}

static void print_row(struct td_cli_table *t, const struct td_cli_cppe *p, const char *name,
		      unsigned a, unsigned s)
{
	td_cli_cell(t, "%s", name);
	for (unsigned i = 0; p->study->values[i].text; i++) {
		double x = a == CPPE_APPS ? average(p, s, i) : speedup(p, a, s, i);
		if (isnan(x))
			td_cli_cell(t, "-");
		else
			td_cli_cell(t, "%.2f", x);
	}
}

int td_cli_cppe_print_study(const struct td_cli_cppe *p, struct tide_error *err)
{
	size_t columns = 1;

	while (p->study->values[columns - 1].text)
		columns++;
	for (unsigned s = 0; s < CPPE_SIZES; s++) {
		struct td_cli_table t = {0};
		char align[] = "lrrrrrrrr";
		align[columns] = '\0';
		t.align = align;
		printf("%s of the footprint in near memory: CPPE over the baseline, by %s.\n\n",
		       td_cli_cppe_sizes[s], p->study->what);
		td_cli_cell(&t, "%s", "app");
		for (unsigned i = 0; p->study->values[i].text; i++)
			td_cli_cell(&t, "%s", p->study->values[i].text);
		for (unsigned a = 0; a < CPPE_APPS; a++)
			if (p->wanted[a])
				print_row(&t, p, td_cli_cppe_published[a].name, a, s);
		print_row(&t, p, "average", CPPE_APPS, s);
		int rc = td_cli_table_end(&t, err);
		if (rc)
			return rc;
		putchar('\n');
	}
	return 0;
}
