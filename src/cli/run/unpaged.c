/* What was not paged, though it is more than near memory holds, and why. */
#include <string.h>
#include <sys/resource.h>

#include "run.h"

static const char *const kinds[] = {
#define TD_UNPAGED(kind, words) words,
	TD_UNPAGED_KINDS
#undef TD_UNPAGED
};
#define KINDS (sizeof kinds / sizeof *kinds)

const char *td_run_threshold(const struct td_run *r)
{
	return r->args->threshold ? r->args->threshold : "1M";
}

#define ALL_OF_IT (1u << TD_UNPAGED_FORKED | 1u << TD_UNPAGED_OVER) /* whatever its size is */

static void put_why(const struct td_run *r, const struct td_unpaged *u, char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < KINDS && n < size; i++)
		if (u->kinds >> i & 1)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "; " : "", kinds[i]);
	if (n < size && !(u->kinds & ALL_OF_IT))
		snprintf(text + n, size - n, "%sallocations below %s", n ? "; " : "",
			 td_run_threshold(r));
}

static unsigned noted(const struct td_run *r)
{
	unsigned n = r->slots ? atomic_load(&r->slots->unpaged_n) : 0;

	return n < TD_UNPAGED_MAX ? n : TD_UNPAGED_MAX;
}

static bool some_cut_short(const struct td_run *r)
{
	for (unsigned i = 0; i < td_run_processes(r); i++)
		if (td_slot_is_cut(&r->slots->at[i]))
			return true;
	return false;
}

/* Of the largest process that tide was not in; 0: there was none that near memory could not hold,
 * or one that tide was in could not say how large it was. A process counts as large as the one that
 * it was forked from, the first as large as this one. */
static uint64_t stranger_bytes(const struct td_run *r)
{
	struct rusage children, own;
	uint64_t most, known = atomic_load(&r->slots->most_bytes);

	if (!r->near_bytes || some_cut_short(r) || getrusage(RUSAGE_CHILDREN, &children) ||
	    getrusage(RUSAGE_SELF, &own))
		return 0;
	most = (uint64_t)children.ru_maxrss << 10;
	known = known > r->near_bytes ? known : r->near_bytes;
	known += (uint64_t)own.ru_maxrss << 10;
	return most > known ? most : 0;
}

void td_run_print_unpaged(const struct td_run *r)
{
	uint64_t bytes = stranger_bytes(r);
	char why[512];

	for (unsigned i = 0; i < noted(r); i++) {
		const struct td_unpaged *u = &r->slots->unpaged[i];
		put_why(r, u, why, sizeof why);
		fprintf(stderr, "tide %s: %s (%d): at least %s were not paged: %s\n", r->verb,
			u->program, (int)u->pid, td_cli_bytes(u->bytes).text, why);
	}
	if (bytes)
		fprintf(stderr,
			"tide %s: a process with %s was not paged, since tide was not in it: it is linked\n"
			"  statically, has other rights, a cleared environment or another LD_PRELOAD, or\n"
			"  was killed\n",
			r->verb, td_cli_bytes(bytes).text);
}

json_t *td_run_unpaged_json(const struct td_run *r)
{
	json_t *list = json_array();
	char why[512];

	for (unsigned i = 0; i < noted(r); i++) {
		const struct td_unpaged *u = &r->slots->unpaged[i];
		put_why(r, u, why, sizeof why);
		json_array_append_new(list, json_pack("{si so sI ss}", "pid", (int)u->pid,
						      "program", td_cli_json_text(u->program),
						      "bytes", (json_int_t)u->bytes, "why", why));
	}
	return list;
}
