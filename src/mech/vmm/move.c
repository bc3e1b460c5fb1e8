/* Carries a decision out. The chunk is `moving`: nobody else changes it, and no work that names it
 * is between enter and leave without waiting for us. What was submitted before may still use it. */
#include "inside.h"

/* False: it may be in use, and stays where it is. */
static bool wait_for_users(struct td_vmm *v, uint32_t chunk)
{
	struct td_vmm_chunk *c = &v->chunk[chunk];
	if (c->arrival && td_vmm_wait(v, &v->in, c->arrival))
		return false;
	c->arrival = 0;
	return v->trust == TD_VMM_TRUST_NONE || td_vmm_wait_uses(v, chunk) == CU_OK;
}

/* ---- from the card ---- */

/* The hash of what the card has. */
static bool hash(struct td_vmm_mover *m, uint32_t chunk, uint64_t to[2])
{
	const struct td_cuda *cuda = m->v->cuda;
	cu_ptr at = td_vmm_address(m->v, chunk);
	uint64_t words = td_vmm_bytes(&m->v->chunk[chunk]) / 8;
	void *params[] = {&at, &words, &m->hash};
	if (!m->v->hash || cuda->cuMemsetD8Async(m->hash, 0, 16, m->out) ||
	    cuda->cuLaunchKernel(m->v->hash, 1024, 1, 1, 256, 1, 1, 0, m->out, params, NULL) ||
	    cuda->cuMemcpyDtoHAsync_v2(m->said, m->hash, 16, m->out) ||
	    cuda->cuStreamSynchronize(m->out))
		return false;
	to[0] = m->said[0];
	to[1] = m->said[1];
	return true;
}

/* Has the host's piece what the card has? Then nothing need be copied. */
static bool is_clean(struct td_vmm_mover *m, struct td_vmm_chunk *c, uint32_t chunk)
{
	uint64_t now[2];
	if (c->blank || (c->valid && !c->used))
		return true;
	if (!hash(m, chunk, now)) {
		c->hashed = false;
		return false;
	}
	bool same = c->valid && c->hashed && now[0] == c->hash[0] && now[1] == c->hash[1];
	c->hash[0] = now[0];
	c->hash[1] = now[1];
	c->hashed = true;
	return same;
}

static bool bring_to_host(struct td_vmm_mover *m, struct td_vmm_chunk *c, uint32_t chunk,
			  bool *copied)
{
	const struct td_cuda *cuda = m->v->cuda;
	*copied = !is_clean(m, c, chunk);
	if (!*copied)
		return true;
	bool done = cuda->cuMemcpyDtoDAsync_v2(c->host.home, td_vmm_address(m->v, chunk),
					       td_vmm_bytes(c), m->out) == CU_OK &&
		    cuda->cuStreamSynchronize(m->out) == CU_OK;
	c->hashed &= done;
	return done;
}

void td_vmm_move_out(struct td_vmm_mover *m, uint32_t chunk)
{
	struct td_vmm *v = m->v;
	struct td_vmm_chunk *c = &v->chunk[chunk];
	bool copied = false, done = false;
	if (c->place != TD_VMM_ON_CARD)
		return; /* it never came, for want of room */
	bool idle = wait_for_users(v, chunk);
	pthread_mutex_lock(&v->lock);
	while (idle && !c->host.id && td_vmm_stock(v, c->pages, 1))
		c->host = td_vmm_take_host(v, c->pages);
	pthread_mutex_unlock(&v->lock);
	if (idle && c->host.id && bring_to_host(m, c, chunk, &copied))
		done = td_vmm_lead(v, chunk, 0);
	pthread_mutex_lock(&v->lock);
	v->figures.failures += !done;
	if (done) {
		td_vmm_give_card(v, c->pages, c->card);
		c->card.id = 0;
		c->place = TD_VMM_ON_HOST;
		c->valid = false;
		v->figures.out_bytes += td_vmm_bytes(c);
		v->figures.clean_bytes += copied ? 0 : td_vmm_bytes(c);
	}
	pthread_mutex_unlock(&v->lock);
}

/* ---- to the card ---- */

static bool fill(struct td_vmm *v, struct td_vmm_chunk *c, uint32_t chunk)
{
	if (c->blank)
		return true;
	pthread_mutex_lock(&v->in_lock);
	cu_result rc = v->cuda->cuMemcpyDtoDAsync_v2(td_vmm_address(v, chunk), c->host.home,
						     td_vmm_bytes(c), v->in.handle);
	c->arrival = rc ? 0 : td_vmm_record(v, &v->in);
	pthread_mutex_unlock(&v->in_lock);
	if (!rc && !c->arrival && v->cuda->cuStreamSynchronize(v->in.handle))
		rc = td_vmm_wait_everything(v);
	return rc == CU_OK;
}

void td_vmm_move_in(struct td_vmm_mover *m, uint32_t chunk)
{
	struct td_vmm *v = m->v;
	struct td_vmm_chunk *c = &v->chunk[chunk];
	struct td_vmm_piece card = m->card;
	bool idle = wait_for_users(v, chunk);
	cu_piece was = c->shown;
	bool done = idle && card.id && td_vmm_lead(v, chunk, card.id);
	if (done && !fill(v, c, chunk)) {
		td_vmm_lead(v, chunk, was);
		done = false;
	}
	pthread_mutex_lock(&v->lock);
	v->figures.failures += !done;
	if (done) {
		c->card = card;
		c->place = TD_VMM_ON_CARD;
		c->valid = !c->blank;
		c->used = false;
		v->figures.in_bytes += td_vmm_bytes(c);
	} else if (card.id) {
		td_vmm_give_card(v, c->pages, card);
	}
	pthread_mutex_unlock(&v->lock);
}
