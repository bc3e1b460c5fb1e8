/* What tournament and duel share: policies that work inside another policy. Each member sees
 * everything and keeps its own lists. One member names the victim. If the victim faults again, that
 * member is blamed. The struct of the outer policy begins with a struct members. */
#ifndef TIDE_EVICT_MEMBERS_H
#define TIDE_EVICT_MEMBERS_H

#include "tide/policy.h"

#define MOST (sizeof((struct tide_members *)0)->at / sizeof *((struct tide_members *)0)->at)

struct members {
	const struct tide_view *view;
	const struct tide_members *of;
	tide_chunk named;                    /* the last victim */
	unsigned named_by;                   /* the member that named it */
	uint64_t blame[MOST], victims[MOST]; /* in the whole run */
};

static inline void members_init(struct members *m, const struct tide_view *view,
				const union tide_value *of)
{
	m->view = view;
	m->of = of->members;
	m->named = TIDE_NO_CHUNK;
}

static inline unsigned members_needs(const union tide_value *of)
{
	unsigned needs = 0;
	for (unsigned i = 0; i < of->members->n; i++)
		needs |= of->members->at[i].policy->needs;
	return needs;
}

/* Calls every member that has the callback. */
#define TELL(m, callback, ...) \
	do { \
		const struct tide_members *of_ = (m)->of; \
		for (unsigned i_ = 0; i_ < of_->n; i_++) { \
			if (of_->at[i_].policy->callback) \
				of_->at[i_].policy->callback(of_->at[i_].self, ##__VA_ARGS__); \
		} \
	} while (0)

/* ---- what is only passed on ---- */

static inline void members_on_full(void *self)
{
	TELL((struct members *)self, on_full);
}

static inline bool wants_accesses(const struct tide_policy *member)
{
	return member->on_access && (member->needs & TIDE_NEEDS_ACCESSES || member->needs_with);
}

static inline void members_on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	const struct tide_members *of = ((struct members *)self)->of;
	for (unsigned i = 0; i < of->n; i++) {
		if (wants_accesses(of->at[i].policy))
			of->at[i].policy->on_access(of->at[i].self, c, p, ref);
	}
}

static inline void members_on_notice(void *self, tide_chunk c, tide_page p,
				     enum tide_purpose purpose)
{
	TELL((struct members *)self, on_notice, c, p, purpose);
}

static inline void members_on_boundary(void *self, uint64_t kernel)
{
	TELL((struct members *)self, on_boundary, kernel);
}

/* ---- questions to one member ---- */

static inline tide_chunk members_ask_victim(struct members *m, unsigned i)
{
	m->named_by = i;
	m->named = m->of->at[i].policy->pick_victim(m->of->at[i].self);
	return m->named;
}

static inline tide_chunk members_ask_observed(const struct members *m, unsigned i)
{
	const struct tide_policy *member = m->of->at[i].policy;
	return member->pick_observed ? member->pick_observed(m->of->at[i].self) : TIDE_NO_CHUNK;
}

/* ---- report ---- */

static inline void members_report(const struct members *m, const struct tide_report *r)
{
	r->list(r->to, "victims_by_member", m->victims, m->of->n);
	r->list(r->to, "blame_by_member", m->blame, m->of->n);
}

/* clang-format off */
#define MEMBERS_CALLBACKS \
	.on_full = members_on_full, \
	.on_access = members_on_access, \
	.on_notice = members_on_notice, \
	.on_boundary = members_on_boundary
/* clang-format on */

#endif
