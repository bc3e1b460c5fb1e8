/* Memory that the program takes and gives back. New memory lies on the card while there is room,
 * else on the host: what uses it first brings it. */
#include <stdlib.h>

#include "inside.h"

#define TRIES 4 /* others may take what was stocked */
#define SPARE_CHUNKS 2 /* on the host: a chunk can leave before another one has come */

static uint64_t pages_of(uint64_t bytes)
{
	return (bytes + TD_VMM_PAGE - 1) / TD_VMM_PAGE;
}

static uint32_t chunk_pages_at(const struct td_vmm *v, uint64_t pages, uint32_t i)
{
	uint64_t left = pages - (uint64_t)i * v->chunk_pages;
	return left < v->chunk_pages ? (uint32_t)left : v->chunk_pages;
}

/* ---- taking ---- */

static bool fits(const struct td_vmm *v, uint64_t pages)
{
	uint64_t spare = SPARE_CHUNKS * v->chunk_pages;
	uint64_t host = v->host_limit > spare ? v->host_limit - spare : 0;
	return v->allocated_pages + pages <= v->engine->near.capacity_pages + host ||
	       (!v->pressed && v->allocated_pages + pages <= v->engine->near.capacity_pages);
}

/* On the card, if the engine has room without a victim. */
static bool place_on_card(struct td_vmm *v, uint32_t chunk)
{
	struct td_vmm_chunk *c = &v->chunk[chunk];
	if (v->engine->near.free_pages < c->pages)
		return false;
	c->card = td_vmm_take_card(v, c->pages);
	if (!c->card.id)
		return false;
	if (!td_vmm_lead(v, chunk, c->card.id)) {
		td_vmm_give_card(v, c->pages, c->card);
		c->card.id = 0;
		return false;
	}
	v->placing = true;
	td_engine_bring(v->engine, (tide_chunk){chunk}, 1, &v->error);
	v->placing = false;
	c->place = TD_VMM_ON_CARD;
	return true;
}

static bool place_on_host(struct td_vmm *v, uint32_t chunk)
{
	struct td_vmm_chunk *c = &v->chunk[chunk];
	c->host = td_vmm_take_host(v, c->pages);
	if (!c->host.id)
		return false;
	/* Until work is followed, it does not say that it needs the memory. */
	if ((v->trust == TD_VMM_TRUST_NONE || !v->pressed) && !td_vmm_lead(v, chunk, c->host.id)) {
		td_vmm_give_host(v, c->pages, c->host);
		c->host.id = 0;
		return false;
	}
	c->place = TD_VMM_ON_HOST;
	return true;
}

/* Out of the program's addresses; its pieces are for others now. */
static bool take_down(struct td_vmm *v, uint32_t chunk)
{
	struct td_vmm_chunk *c = &v->chunk[chunk];
	bool down = td_vmm_lead(v, chunk, 0);
	if (c->card.id)
		td_vmm_give_card(v, c->pages, c->card);
	if (c->host.id)
		td_vmm_give_host(v, c->pages, c->host);
	c->card.id = c->host.id = 0;
	return down;
}

/* Addresses that the driver would not unmap cannot be used again. */
static void give_back(struct td_vmm *v, uint32_t first, uint64_t pages)
{
	uint32_t n = v->allocation[first].chunks;
	bool down = true;
	v->allocation[first].dying = true;
	td_vmm_cool(v, first);
	td_engine_gone(v->engine, (uint64_t)first * v->chunk_pages, pages, &v->error);
	for (uint32_t i = first; i < first + n; i++)
		down &= take_down(v, i);
	if (down)
		td_vmm_give_range(v, first);
	v->allocated_pages -= pages;
	v->figures.allocated_bytes = v->allocated_pages * TD_VMM_PAGE;
}

static bool place(struct td_vmm *v, uint32_t first, uint64_t pages)
{
	bool on_card = true;
	for (uint32_t i = 0; i < v->allocation[first].chunks; i++) {
		struct td_vmm_chunk *c = &v->chunk[first + i];
		c->pages = (uint8_t)chunk_pages_at(v, pages, i);
		c->blank = true;
		if (place_on_card(v, first + i))
			continue;
		on_card = false;
		if (!place_on_host(v, first + i))
			return false;
	}
	if (!on_card && !v->pressed)
		v->press_soon = true;
	return true;
}

static bool take(struct td_vmm *v, uint64_t bytes, uint32_t *first)
{
	uint64_t pages = pages_of(bytes);
	if (pages > (uint64_t)v->chunks_max * v->chunk_pages || !fits(v, pages))
		return false;
	*first = td_vmm_take_range(v, (uint32_t)((pages + v->chunk_pages - 1) / v->chunk_pages));
	if (*first == TD_VMM_NONE)
		return false;
	if (td_engine_map(v->engine, (uint64_t)*first * v->chunk_pages, pages, &v->error)) {
		td_vmm_give_range(v, *first);
		return false;
	}
	v->allocation[*first].bytes = bytes;
	v->allocated_pages += pages;
	if (place(v, *first, pages))
		return true;
	give_back(v, *first, pages);
	return false;
}

static void count(struct td_vmm *v, bool taken)
{
	struct td_gpu_figures *f = &v->figures;
	f->allocations += taken;
	f->refused_allocations += !taken;
	f->allocated_bytes = v->allocated_pages * TD_VMM_PAGE;
	if (f->allocated_most_bytes < f->allocated_bytes)
		f->allocated_most_bytes = f->allocated_bytes;
}

/* Pieces of host memory for what will not fit on the card. */
static void stock(struct td_vmm *v, uint64_t bytes, bool again)
{
	uint64_t pages = pages_of(bytes), near = again ? 0 : v->engine->near.free_pages;
	uint64_t whole = pages > near ? (pages - near + v->chunk_pages - 1) / v->chunk_pages : 0;
	uint32_t rest = (uint32_t)(pages % v->chunk_pages);
	if (!whole || !fits(v, pages))
		return;
	if (rest)
		td_vmm_stock(v, rest, 1);
	if (pages >= v->chunk_pages)
		td_vmm_stock(v, v->chunk_pages, (uint32_t)whole);
}

/* Two threads that make pieces of different sizes would take each other's for ever. */
static bool stock_and_take(struct td_vmm *v, uint64_t bytes, bool again, uint32_t *first)
{
	pthread_mutex_lock(&v->taking);
	pthread_mutex_lock(&v->lock);
	stock(v, bytes, again);
	bool taken = take(v, bytes, first);
	pthread_mutex_unlock(&v->lock);
	pthread_mutex_unlock(&v->taking);
	return taken;
}

/* Memory that is free once streams have come so far may be what is missing. */
static bool try_take(struct td_vmm *v, uint64_t bytes, uint32_t *first)
{
	bool taken = false;
	for (int tries = 0; tries < TRIES && !taken; tries++) {
		td_vmm_reap(v, tries > 0);
		taken = stock_and_take(v, bytes, tries > 0, first);
	}
	return taken;
}

cu_result td_vmm_alloc(struct td_vmm *v, uint64_t bytes, cu_ptr *at)
{
	uint32_t first;
	if (!bytes)
		return CU_INVALID_VALUE;
	struct td_vmm_inside was = td_vmm_step_in(v);
	bool taken = try_take(v, bytes, &first);
	td_vmm_step_out(v, was);
	pthread_mutex_lock(&v->lock);
	count(v, taken);
	pthread_mutex_unlock(&v->lock);
	if (!taken)
		return CU_OUT_OF_MEMORY;
	*at = td_vmm_address(v, first);
	if (v->press_soon)
		td_vmm_press(v);
	return CU_OK;
}

cu_result td_vmm_forbidden(struct td_vmm *v)
{
	cu_result rc = v->cuda->cuEventQuery(v->past);
	return rc == CU_STREAM_CAPTURE_UNSUPPORTED ? rc : CU_OK;
}

/* ---- giving back ---- */

/* The number of the chunk at which an allocation begins. */
static uint32_t first_at(struct td_vmm *v, cu_ptr at)
{
	if (!td_vmm_in(&v->arena, at) || (at - v->arena.base) % v->chunk_bytes)
		return TD_VMM_NONE;
	uint32_t first = (uint32_t)((at - v->arena.base) / v->chunk_bytes);
	return first < v->chunks_n && v->chunk[first].allocation == first &&
			       !v->allocation[first].dying
		       ? first
		       : TD_VMM_NONE;
}

static bool is_idle(const struct td_vmm *v, uint32_t first)
{
	for (uint32_t i = first; i < first + v->allocation[first].chunks; i++) {
		const struct td_vmm_chunk *c = &v->chunk[i];
		if (c->jobs || c->waits || c->guards || c->holds > c->kept)
			return false;
	}
	return true;
}

static void wait_idle(struct td_vmm *v, uint32_t first)
{
	v->ending++;
	for (td_vmm_drop_jobs(v, first); !is_idle(v, first); td_vmm_drop_jobs(v, first))
		pthread_cond_wait(&v->calm, &v->lock);
	v->ending--;
}

/* Of memory that a stream has given back, only what uses it is waited for. */
static void wait_users(struct td_vmm *v, uint32_t first)
{
	uint32_t end = first + v->allocation[first].chunks;
	for (uint32_t i = first; i < end && v->trust == TD_VMM_TRUST_ARGS; i++)
		td_vmm_wait_uses(v, i);
	for (uint32_t i = first; i < end; i++)
		td_vmm_wait(v, &v->in, v->chunk[i].arrival);
}

/* The driver waits for all work when memory is freed, and programs count on that. If it cannot be
 * waited for, the memory stays. While a graph is captured, only work that is followed is waited for. */
static cu_result end_allocation(struct td_vmm *v, uint32_t first, bool by_stream)
{
	cu_result rc = CU_OK;
	struct td_vmm_inside was = td_vmm_step_in(v);
	pthread_mutex_lock(&v->lock);
	wait_idle(v, first);
	pthread_mutex_unlock(&v->lock);
	if (!by_stream || !v->pressed || v->trust == TD_VMM_TRUST_NONE)
		td_vmm_wait_everything(v);
	wait_users(v, first);
	pthread_mutex_lock(&v->lock);
	wait_idle(v, first);
	rc = v->broken;
	if (!rc)
		give_back(v, first, pages_of(v->allocation[first].bytes));
	pthread_cond_broadcast(&v->calm);
	pthread_mutex_unlock(&v->lock);
	td_vmm_step_out(v, was);
	return rc;
}

cu_result td_vmm_free(struct td_vmm *v, cu_ptr at)
{
	pthread_mutex_lock(&v->lock);
	uint32_t first = first_at(v, at);
	if (first != TD_VMM_NONE)
		v->allocation[first].dying = true;
	pthread_mutex_unlock(&v->lock);
	if (first == TD_VMM_NONE)
		return CU_INVALID_VALUE;
	return end_allocation(v, first, false);
}

/* ---- later ---- */

static bool note_later(struct td_vmm *v, uint32_t first, struct td_vmm_use use)
{
	if (v->later_n == v->later_room) {
		uint32_t room = v->later_room ? v->later_room * 2 : 64;
		struct td_vmm_later *at = realloc(v->later, room * sizeof *at);
		if (!at)
			return false;
		v->later = at;
		v->later_room = room;
	}
	v->allocation[first].dying = true;
	v->later[v->later_n++] = (struct td_vmm_later){td_vmm_address(v, first), use};
	return true;
}

cu_result td_vmm_free_after(struct td_vmm *v, cu_ptr at, cu_stream stream)
{
	struct td_vmm_use use = {TD_VMM_NONE, 0};
	pthread_mutex_lock(&v->lock);
	uint32_t first = first_at(v, at);
	if (first != TD_VMM_NONE)
		use.stream = td_vmm_stream_of(v, stream);
	if (use.stream != TD_VMM_NONE)
		use.event = td_vmm_record(v, &v->stream[use.stream]);
	bool noted = use.event && note_later(v, first, use);
	pthread_mutex_unlock(&v->lock);
	return noted ? CU_OK : td_vmm_free(v, at);
}

/* Takes one of the list whose time has come. */
static bool next_later(struct td_vmm *v, bool wait, struct td_vmm_later *next)
{
	bool found = false;
	pthread_mutex_lock(&v->lock);
	for (uint32_t i = 0; i < v->later_n && !found; i++) {
		struct td_vmm_use use = v->later[i].use;
		found = wait || td_vmm_is_past(v, &v->stream[use.stream], use.event);
		if (found) {
			*next = v->later[i];
			v->later[i] = v->later[--v->later_n];
		}
	}
	pthread_mutex_unlock(&v->lock);
	return found;
}

void td_vmm_reap(struct td_vmm *v, bool wait)
{
	struct td_vmm_later next;
	while (v->later_n && next_later(v, wait, &next)) {
		td_vmm_wait(v, &v->stream[next.use.stream], next.use.event);
		end_allocation(v, (uint32_t)((next.at - v->arena.base) / v->chunk_bytes), true);
	}
}

/* ---- questions ---- */

bool td_vmm_find(struct td_vmm *v, uint64_t address, struct td_vmm_range *out)
{
	bool found = false;
	if (!td_vmm_in(&v->arena, address))
		return false;
	pthread_mutex_lock(&v->lock);
	uint32_t at = (uint32_t)((address - v->arena.base) / v->chunk_bytes);
	if (at < v->chunks_n && v->chunk[at].allocation != TD_VMM_NONE) {
		uint32_t first = v->chunk[at].allocation;
		out->base = td_vmm_address(v, first);
		out->end = out->base + v->allocation[first].bytes;
		found = address < out->end && !v->allocation[first].dying;
	}
	pthread_mutex_unlock(&v->lock);
	return found;
}

static bool has_jobs(const struct td_vmm *v, uint32_t first)
{
	uint32_t jobs = 0;
	for (uint32_t i = first; i < first + v->allocation[first].chunks; i++)
		jobs += v->chunk[i].jobs;
	return jobs;
}

/* Without trust, chunks move only while no work is under way, whatever it touches. */
void td_vmm_pin(struct td_vmm *v, uint64_t address)
{
	struct td_vmm_range range;
	if (v->trust == TD_VMM_TRUST_NONE || !td_vmm_find(v, address, &range))
		return;
	uint32_t first = (uint32_t)((range.base - v->arena.base) / v->chunk_bytes);
	pthread_mutex_lock(&v->lock);
	while (has_jobs(v, first))
		pthread_cond_wait(&v->calm, &v->lock);
	v->allocation[first].pinned = true;
	for (uint32_t i = first; i < first + v->allocation[first].chunks; i++) {
		if (!td_vmm_lead_all(v, &i, 1))
			td_vmm_say(v, "the driver lost a mapping: the next access to it ends the "
				      "program");
		if (!v->chunk[i].kept && td_vmm_is_near(v, i)) {
			v->chunk[i].kept = true;
			td_vmm_hold(v, i);
		}
	}
	pthread_mutex_unlock(&v->lock);
}

void td_vmm_room(struct td_vmm *v, size_t *free, size_t *total)
{
	pthread_mutex_lock(&v->lock);
	uint64_t spare = SPARE_CHUNKS * v->chunk_pages;
	uint64_t all = v->engine->near.capacity_pages +
		       (v->host_limit > spare ? v->host_limit - spare : 0);
	*total = all * TD_VMM_PAGE;
	*free = (all > v->allocated_pages ? all - v->allocated_pages : 0) * TD_VMM_PAGE;
	pthread_mutex_unlock(&v->lock);
}
