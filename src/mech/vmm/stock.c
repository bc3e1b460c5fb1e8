/* A thread that makes host memory ahead. The driver takes milliseconds to make a piece, and the first
 * chunks that leave the card would wait for it. */
#include <time.h>

#include "inside.h"

#define PAUSE_NS 20000000

/* The size of which most is missing: a chunk on the card, and no piece to leave to. 0: none. */
static uint32_t most_missing(const struct td_vmm *v)
{
	uint32_t wanted[TD_VMM_CHUNK_PAGES + 1] = {0}, best = 0;
	for (uint32_t i = 0; i < v->chunks_n; i++) {
		const struct td_vmm_chunk *c = &v->chunk[i];
		wanted[c->pages] += c->allocation != TD_VMM_NONE && c->card.id && !c->host.id;
	}
	for (uint32_t pages = 1; pages <= TD_VMM_CHUNK_PAGES; pages++) {
		if (v->host_free[pages].n < wanted[pages] &&
		    v->host_pages + pages <= v->host_limit && wanted[pages] > wanted[best])
			best = pages;
	}
	return best;
}

void *td_vmm_keep_stock(void *arg)
{
	struct td_vmm *v = arg;
	struct timespec pause = {0, PAUSE_NS};
	td_vmm_step_in(v);
	for (;;) {
		pthread_mutex_lock(&v->lock);
		uint32_t pages = v->pressed ? most_missing(v) : 0;
		bool made = pages && td_vmm_stock(v, pages, v->host_free[pages].n + 1);
		pthread_mutex_unlock(&v->lock);
		if (!made)
			nanosleep(&pause, NULL);
	}
	return NULL;
}
