/* Which schedules are run. A run is known by its deviations: at which points it did not do the
 * plain thing, and what instead. Every set of up to `bound` deviations is run, parents before
 * children. */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8, POINTS = 4096 };

struct deviation {
	uint64_t point;
	unsigned which;
};

struct plan {
	struct deviation at[DEPTH];
	unsigned n, next;
	uint8_t *options; /* of each point after the last deviation; NULL: not wanted */
	uint64_t from;    /* the first of them */
};

static void describe(const struct plan *p, char *text, size_t room)
{
	size_t used = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < p->n && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%llu:%u", i ? "," : "",
					 (unsigned long long)p->at[i].point, p->at[i].which);
}

static unsigned planned(void *arg, uint64_t point, unsigned options)
{
	struct plan *p = arg;
	if (p->next < p->n && p->at[p->next].point == point) {
		unsigned which = p->at[p->next++].which;
		return which < options ? which : 0;
	}
	if (p->options && p->next == p->n && point >= p->from && point - p->from < POINTS)
		p->options[point - p->from] = (uint8_t)options;
	return 0;
}

/* False: something was found, or it is enough. */
static bool extend(struct plan *p, unsigned bound, uint64_t most, struct found *out)
{
	uint8_t options[POINTS] = {0};
	bool deeper = p->n < bound;
	p->next = 0;
	p->from = p->n ? p->at[p->n - 1].point + 1 : 0;
	p->options = deeper ? options : NULL;
	schedule_run(planned, p, false, &out->outcome);
	out->runs++;
	if (out->outcome.text[0]) {
		describe(p, out->how, sizeof out->how);
		return false;
	}
	if (out->runs >= most) {
		out->whole = false;
		return false;
	}
	uint64_t from = p->from;
	for (uint64_t i = 0; deeper && i < POINTS && options[i]; i++) {
		for (unsigned which = 1; which < options[i]; which++) {
			p->at[p->n++] = (struct deviation){from + i, which};
			bool on = extend(p, bound, most, out);
			p->n--;
			if (!on)
				return false;
		}
	}
	return true;
}

/* ---- random ones ---- */

struct walk {
	uint64_t state;
	unsigned rarely;
};

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static unsigned drawn(void *arg, uint64_t point, unsigned options)
{
	struct walk *w = arg;
	(void)point;
	if (draw(&w->state) % w->rarely)
		return 0;
	return (unsigned)(draw(&w->state) % options);
}

static bool walk(uint64_t seed, bool loud, struct found *out)
{
	struct walk w = {.state = seed};
	w.rarely = 1u << (1 + draw(&w.state) % 6);
	schedule_run(drawn, &w, loud, &out->outcome);
	out->runs++;
	if (!out->outcome.text[0])
		return true;
	snprintf(out->how, sizeof out->how, "walk %llu", (unsigned long long)seed);
	return false;
}

void search(const struct effort *effort, struct found *out)
{
	*out = (struct found){.whole = true};
	for (unsigned bound = 0; bound <= effort->bound; bound++) {
		struct plan p = {0};
		uint64_t most = out->runs + effort->runs;
		out->whole = true;
		if (!extend(&p, bound, most, out) && out->outcome.text[0])
			return;
	}
	for (unsigned i = 0; i < effort->walks; i++) {
		if (!walk(effort->seed + i, false, out))
			return;
	}
}

void search_replay(const char *how, struct found *out)
{
	struct plan p = {0};
	*out = (struct found){.whole = true};
	if (strncmp(how, "walk ", 5) == 0) {
		walk(strtoull(how + 5, NULL, 10), true, out);
		return;
	}
	while (*how && p.n < DEPTH) {
		char *end;
		p.at[p.n].point = strtoull(how, &end, 10);
		p.at[p.n++].which = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
		how = *end == ',' ? end + 1 : end;
	}
	schedule_run(planned, &p, true, &out->outcome);
}
