/* Decisions of the engine that wait to be carried out. They are begun in their order, except those
 * that cannot begin yet: of a chunk that work uses where it is, or of one that would come to the
 * card before there is room. A mover waits for the GPU only if none can do without. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "inside.h"

static bool may_move(const struct td_vmm *v)
{
	return v->trust == TD_VMM_TRUST_ARGS || v->exclusive;
}

static void wake(struct td_vmm *v)
{
	if (may_move(v))
		pthread_cond_broadcast(&v->work);
}

static void take_out(struct td_vmm *v, uint32_t i)
{
	v->jobs_n--;
	memmove(&v->job[i], &v->job[i + 1], (v->jobs_n - i) * sizeof *v->job);
}

/* A decision takes back the one before it, if nobody has begun with that. So of each chunk there is
 * one job at most that has not begun. */
static bool take_back(struct td_vmm *v, uint32_t chunk)
{
	for (uint32_t i = v->jobs_n; i--;) {
		if (v->job[i].chunk != chunk)
			continue;
		v->outs -= !v->job[i].in;
		v->chunk[chunk].jobs--;
		take_out(v, i);
		pthread_cond_broadcast(&v->calm);
		return true;
	}
	return false;
}

void td_vmm_decide(struct td_vmm *v, uint32_t chunk, bool in)
{
	if (take_back(v, chunk))
		return;
	if (v->jobs_n == v->jobs_room) {
		uint32_t room = v->jobs_room ? v->jobs_room * 2 : 256;
		struct td_vmm_job *job = realloc(v->job, room * sizeof *job);
		if (!job)
			abort(); /* the engine has decided: there is no way back */
		v->job = job;
		v->jobs_room = room;
	}
	v->job[v->jobs_n++] = (struct td_vmm_job){chunk, in};
	v->chunk[chunk].jobs++;
	v->outs += !in;
	wake(v);
}

/* Decisions about memory that goes need not be carried out, if no mover has begun with them. */
void td_vmm_drop_jobs(struct td_vmm *v, uint32_t first)
{
	uint32_t end = first + v->allocation[first].chunks;
	for (uint32_t i = first; i < end; i++) {
		if (v->chunk[i].jobs)
			take_back(v, i);
	}
	wake(v); /* what waited for one to leave waits in vain */
}

/* A chunk that is pinned stays where it is, and one whose memory goes need not come. */
static bool comes(const struct td_vmm *v, const struct td_vmm_job *job)
{
	const struct td_vmm_chunk *c = &v->chunk[job->chunk];
	const struct td_vmm_allocation *a = &v->allocation[c->allocation];
	return job->in && c->place == TD_VMM_ON_HOST && !a->pinned && !a->dying;
}

/* If nothing leaves any more, a chunk that has no room gives up and stays where it is. */
static bool may_begin(const struct td_vmm *v, uint32_t i)
{
	const struct td_vmm_chunk *c = &v->chunk[v->job[i].chunk];
	if (c->moving || c->guards)
		return false;
	return !comes(v, &v->job[i]) || !v->outs || td_vmm_has_card(v, c->pages);
}

static bool take(struct td_vmm *v, struct td_vmm_job *job)
{
	uint32_t best = v->jobs_n;
	for (uint32_t i = 0; i < v->jobs_n && may_move(v); i++) {
		if (!may_begin(v, i))
			continue;
		bool unused = !td_vmm_is_used(v, v->job[i].chunk);
		if (unused || best == v->jobs_n)
			best = i;
		if (unused)
			break;
	}
	if (best == v->jobs_n)
		return false;
	*job = v->job[best];
	take_out(v, best);
	return true;
}

static void begin(struct td_vmm *v, struct td_vmm_mover *m, const struct td_vmm_job *job)
{
	struct td_vmm_chunk *c = &v->chunk[job->chunk];
	c->moving = true;
	m->comes = comes(v, job);
	if (m->comes)
		m->card = td_vmm_take_card(v, c->pages);
	if (v->moving_n++ == 0)
		v->moving_since_ns = td_clock_ns();
}

static void end(struct td_vmm *v, const struct td_vmm_job *job)
{
	struct td_vmm_chunk *c = &v->chunk[job->chunk];
	c->moving = false;
	c->jobs--;
	v->outs -= !job->in;
	if (--v->moving_n == 0)
		v->figures.moving_ns += td_clock_ns() - v->moving_since_ns;
	pthread_cond_broadcast(&v->calm);
	wake(v);
}

static void *move(void *arg)
{
	struct td_vmm_mover *m = arg;
	struct td_vmm *v = m->v;
	struct td_vmm_job job;
	td_vmm_step_in(v);
	pthread_mutex_lock(&v->lock);
	for (;;) {
		while (!take(v, &job))
			pthread_cond_wait(&v->work, &v->lock);
		begin(v, m, &job);
		pthread_mutex_unlock(&v->lock);
		if (!job.in)
			td_vmm_move_out(m, job.chunk);
		else if (m->comes)
			td_vmm_move_in(m, job.chunk);
		pthread_mutex_lock(&v->lock);
		end(v, &job);
	}
	return NULL;
}

void td_vmm_carry_out_all(struct td_vmm *v)
{
	v->exclusive = true;
	wake(v);
	while (v->jobs_n || v->moving_n)
		pthread_cond_wait(&v->calm, &v->lock);
	v->exclusive = false;
	td_vmm_lead_hidden(v);
}

int td_vmm_start_movers(struct td_vmm *v, struct tide_error *err)
{
	sigset_t all, saved;
	int rc = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	for (uint32_t i = 0; i < TD_VMM_MOVERS && !rc; i++)
		rc = pthread_create(&v->mover[i].thread, NULL, move, &v->mover[i]);
	if (!rc)
		rc = pthread_create(&v->stocker, NULL, td_vmm_keep_stock, v);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return rc ? tide_fail(err, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}
