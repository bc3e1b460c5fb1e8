#include "books.h"

#include <errno.h>
#include <string.h>

#include "core/assert.h"
#include "engine/lanes.h"
#include "engine/page.h"

/* Which block of a process has which number, ascending. */
struct td_kernel_map {
	struct tide_vec entries; /* struct entry */
	uint64_t n, cursor;
};

struct entry {
	uint64_t place; /* the block's first page / 512 */
	uint32_t block;
};

static struct td_kernel_block *block_at(const struct td_kernel_books *b, uint32_t i)
{
	return &((struct td_kernel_block *)(void *)b->blocks.at)[i];
}

static struct td_kernel_map *map_at(const struct td_kernel_books *b, uint32_t process)
{
	return &((struct td_kernel_map *)(void *)b->maps.at)[process];
}

static struct entry *entries(const struct td_kernel_map *m)
{
	return (struct entry *)(void *)m->entries.at;
}

/* Bits from .. end - 1 of word w of a bitmap of a block. */
static uint64_t part(unsigned w, unsigned from, unsigned end)
{
	unsigned low = w * 64;
	unsigned first = from > low ? from - low : 0, last = end - low < 64 ? end - low : 64;
	return (UINT64_MAX << first) & (UINT64_MAX >> (64 - last));
}

static void set_bits(uint64_t *bits, unsigned from, unsigned end)
{
	for (unsigned w = from / 64; w * 64 < end; w++)
		bits[w] |= part(w, from, end);
}

/* ---- runs ---- */

static void add_run(struct td_kernel_books *b, struct td_kernel_runs *r, uint32_t process,
		    uint64_t page)
{
	struct td_kernel_run *all = (struct td_kernel_run *)(void *)r->runs.at;
	struct td_kernel_run *last = r->n ? &all[r->n - 1] : NULL;
	if (last && last->process == process && last->page + last->pages == page &&
	    last->pages < TD_KERNEL_RUN) {
		last->pages++;
		return;
	}
	if (tide_vec_reserve(&r->runs, r->n + 1)) {
		b->failed = -ENOMEM;
		return;
	}
	((struct td_kernel_run *)(void *)r->runs.at)[r->n++] =
		(struct td_kernel_run){process, 1, page};
}

/* The pages of a chunk, whose bits these are. */
static void add_pages(struct td_kernel_books *b, struct td_kernel_runs *r, tide_chunk c,
		      uint64_t pages)
{
	uint64_t first = (uint64_t)c.index * b->engine->near.chunk_pages;
	const struct td_kernel_block *k = block_at(b, (uint32_t)(first / TD_KERNEL_BLOCK));
	for (; pages; pages &= pages - 1)
		add_run(b, r, k->process,
			k->page + first % TD_KERNEL_BLOCK + (unsigned)__builtin_ctzll(pages));
}

/* ---- what the engine decides ---- */

/* A chunk lies in one word of its block's bitmaps: its size is a power of two up to 64. */
struct place {
	struct td_kernel_lanes *lanes;
	unsigned word, shift;
};

static struct place place_of(const struct td_kernel_books *b, tide_chunk c)
{
	uint64_t first = (uint64_t)c.index * b->engine->near.chunk_pages;
	unsigned at = (unsigned)(first % TD_KERNEL_BLOCK);
	return (struct place){&block_at(b, (uint32_t)(first / TD_KERNEL_BLOCK))->lanes, at / 64,
			      at % 64};
}

static void leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	struct td_kernel_books *b = arg;
	struct place p = place_of(b, c);
	uint64_t pages = was->resident << p.shift;
	uint64_t there = pages & p.lanes->present[p.word] & ~p.lanes->ahead[p.word];
	(void)to;
	p.lanes->near[p.word] &= ~pages;
	p.lanes->ahead[p.word] &= ~pages;
	/* As it will be, if all goes well; else what left now would seem to have come. */
	p.lanes->present[p.word] &= ~there;
	p.lanes->swapped[p.word] |= there;
	b->out_pages += td_lanes_count(there);
	add_pages(b, &b->out, c, there >> p.shift);
}

static void come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from)
{
	struct td_kernel_books *b = arg;
	struct place p = place_of(b, c);
	uint64_t early = (pages & ~fault_bit) << p.shift & ~p.lanes->present[p.word];
	uint64_t wanted = early & p.lanes->swapped[p.word];
	(void)from;
	p.lanes->near[p.word] |= pages << p.shift;
	p.lanes->stayed[p.word] &= ~(pages << p.shift);
	p.lanes->ahead[p.word] |= early;
	b->ahead_pages += td_lanes_count(wanted);
	add_pages(b, &b->ahead, c, wanted >> p.shift);
}

/* An armed page goes to the swap cache: its next touch is seen, and costs no reading. */
static void watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	struct td_kernel_books *b = arg;
	struct place p = place_of(b, c);
	uint64_t there = pages << p.shift & p.lanes->present[p.word] & ~p.lanes->ahead[p.word];
	if (!armed)
		return;
	p.lanes->ahead[p.word] |= there;
	add_pages(b, &b->arm, c, there >> p.shift);
}

static void spill(void *arg, tide_chunk c, bool dirty)
{
	(void)arg, (void)c, (void)dirty;
}

static void clean(void *arg, tide_chunk c, tide_tier from)
{
	(void)arg, (void)c, (void)from;
}

void td_kernel_books_carrier(struct td_kernel_books *b, struct td_engine_carrier *carrier)
{
	*carrier = (struct td_engine_carrier){.arg = b,
					      .leave = leave,
					      .come = come,
					      .spill = spill,
					      .clean = clean,
					      .watch = watch};
}

/* ---- life ---- */

void td_kernel_books_init(struct td_kernel_books *b, uint64_t near_pages)
{
	*b = (struct td_kernel_books){.near_pages = near_pages};
	tide_vec_init(&b->blocks, sizeof(struct td_kernel_block));
	tide_vec_init(&b->free, sizeof(uint32_t));
	tide_vec_init(&b->maps, sizeof(struct td_kernel_map));
	tide_vec_init(&b->news, sizeof(uint32_t));
	tide_vec_init(&b->out.runs, sizeof(struct td_kernel_run));
	tide_vec_init(&b->ahead.runs, sizeof(struct td_kernel_run));
	tide_vec_init(&b->arm.runs, sizeof(struct td_kernel_run));
}

void td_kernel_books_free(struct td_kernel_books *b)
{
	for (uint32_t i = 0; i < b->maps_n; i++)
		tide_vec_free(&map_at(b, i)->entries);
	tide_vec_free(&b->blocks);
	tide_vec_free(&b->free);
	tide_vec_free(&b->maps);
	tide_vec_free(&b->news);
	tide_vec_free(&b->out.runs);
	tide_vec_free(&b->ahead.runs);
	tide_vec_free(&b->arm.runs);
}

/* ---- blocks ---- */

static int take_number(struct td_kernel_books *b, uint32_t *number)
{
	if (b->free_n) {
		*number = ((uint32_t *)(void *)b->free.at)[--b->free_n];
		return 0;
	}
	int rc = tide_vec_reserve(&b->blocks, b->blocks_n + 1);
	/* Whatever is taken can be given back. */
	if (!rc)
		rc = tide_vec_reserve(&b->free, b->blocks_n + 1);
	if (!rc)
		*number = (uint32_t)b->blocks_n++;
	return rc;
}

static void give_number(struct td_kernel_books *b, uint32_t number)
{
	block_at(b, number)->process = UINT32_MAX;
	((uint32_t *)(void *)b->free.at)[b->free_n++] = number;
}

static int make_block(struct td_kernel_books *b, uint32_t process, uint64_t place, uint32_t *number)
{
	int rc = take_number(b, number);
	if (rc)
		return rc;
	*block_at(b, *number) =
		(struct td_kernel_block){.page = place * TD_KERNEL_BLOCK, .process = process};
	rc = td_engine_map(b->engine, (uint64_t)*number * TD_KERNEL_BLOCK, TD_KERNEL_BLOCK, NULL);
	if (rc)
		give_number(b, *number);
	return rc;
}

static void drop_block(struct td_kernel_books *b, uint32_t number)
{
	if (td_engine_gone(b->engine, (uint64_t)number * TD_KERNEL_BLOCK, TD_KERNEL_BLOCK, NULL)) {
		b->failed = -ENOMEM;
		return;
	}
	give_number(b, number);
}

/* The block at a place; places are asked for in ascending order. */
static struct td_kernel_block *find_block(struct td_kernel_books *b, uint32_t process,
					  uint64_t place)
{
	struct td_kernel_map *m = map_at(b, process);
	uint32_t number;
	while (m->cursor < m->n && entries(m)[m->cursor].place < place)
		m->cursor++;
	if (m->cursor < m->n && entries(m)[m->cursor].place == place)
		return block_at(b, entries(m)[m->cursor].block);
	if (tide_vec_reserve(&m->entries, m->n + 1) || make_block(b, process, place, &number)) {
		b->failed = -ENOMEM;
		return NULL;
	}
	memmove(entries(m) + m->cursor + 1, entries(m) + m->cursor,
		(m->n - m->cursor) * sizeof(struct entry));
	entries(m)[m->cursor] = (struct entry){place, number};
	m->n++;
	return block_at(b, number);
}

/* ---- a look at a process ---- */

static int reserve_map(struct td_kernel_books *b, uint32_t process)
{
	int rc = tide_vec_reserve(&b->maps, (uint64_t)process + 1);
	for (; !rc && b->maps_n <= process; b->maps_n++) {
		*map_at(b, (uint32_t)b->maps_n) = (struct td_kernel_map){.n = 0};
		tide_vec_init(&map_at(b, (uint32_t)b->maps_n)->entries, sizeof(struct entry));
	}
	return rc;
}

void td_kernel_books_begin(struct td_kernel_books *b, uint32_t process)
{
	if (reserve_map(b, process)) {
		b->failed = -ENOMEM;
		return;
	}
	struct td_kernel_map *m = map_at(b, process);
	m->cursor = 0;
	for (uint64_t i = 0; i < m->n; i++) {
		struct td_kernel_lanes *l = &block_at(b, entries(m)[i].block)->lanes;
		memcpy(l->was, l->swapped, sizeof l->was);
		memset(l->swapped, 0, sizeof l->swapped);
		memset(l->present, 0, sizeof l->present);
	}
}

void td_kernel_books_range(struct td_kernel_books *b, uint32_t process, uint64_t first,
			   uint64_t end, bool swapped)
{
	while (first < end && process < b->maps_n) {
		uint64_t place = first / TD_KERNEL_BLOCK, base = place * TD_KERNEL_BLOCK;
		uint64_t to = end - base < TD_KERNEL_BLOCK ? end - base : TD_KERNEL_BLOCK;
		struct td_kernel_block *k = find_block(b, process, place);
		if (!k)
			return;
		set_bits(swapped ? k->lanes.swapped : k->lanes.present, (unsigned)(first - base),
			 (unsigned)to);
		first = base + to;
	}
}

/* Pages of a word that the engine has, and that are not there. */
static void lose(struct td_kernel_books *b, uint64_t first, uint64_t gone)
{
	while (gone) {
		unsigned at = (unsigned)__builtin_ctzll(gone);
		uint64_t rest = ~(gone >> at);
		unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : 64;
		td_engine_lose(b->engine, first + at, n);
		gone &= n + at < 64 ? UINT64_MAX << (n + at) : 0;
	}
}

/* What a word of a block has become; true: something is new in it. */
static bool settle_word(struct td_kernel_books *b, uint32_t number, unsigned w)
{
	struct td_kernel_lanes *l = &block_at(b, number)->lanes;
	uint64_t gone = l->near[w] & ~l->present[w] & ~(l->ahead[w] & l->swapped[w]);
	l->near[w] &= ~gone;
	l->ahead[w] &= ~gone;
	l->stayed[w] &= l->present[w];
	b->kernel_out_pages += td_lanes_count(gone & l->swapped[w]);
	lose(b, (uint64_t)number * TD_KERNEL_BLOCK + w * 64, gone);
	uint64_t new = l->present[w] & ~l->near[w] & ~l->stayed[w];
	b->new_pages += td_lanes_count(new);
	b->back_pages += td_lanes_count((new | (l->ahead[w] & l->present[w])) & l->was[w]);
	return new | (l->ahead[w] & l->present[w]);
}

static bool is_empty(const struct td_kernel_lanes *l)
{
	uint64_t any = 0;
	for (unsigned w = 0; w < TD_KERNEL_WORDS; w++)
		any |= l->present[w] | l->swapped[w];
	return !any;
}

static void note_news(struct td_kernel_books *b, uint32_t number)
{
	if (tide_vec_reserve(&b->news, b->news_n + 1))
		b->failed = -ENOMEM;
	else
		((uint32_t *)(void *)b->news.at)[b->news_n++] = number;
}

void td_kernel_books_end(struct td_kernel_books *b, uint32_t process)
{
	if (process >= b->maps_n)
		return;
	struct td_kernel_map *m = map_at(b, process);
	uint64_t kept = 0;
	for (uint64_t i = 0; i < m->n; i++) {
		uint32_t number = entries(m)[i].block;
		bool new = false;
		for (unsigned w = 0; w < TD_KERNEL_WORDS; w++)
			new |= settle_word(b, number, w);
		if (is_empty(&block_at(b, number)->lanes)) {
			drop_block(b, number);
			continue;
		}
		if (new)
			note_news(b, number);
		entries(m)[kept++] = entries(m)[i];
	}
	m->n = kept;
}

void td_kernel_books_drop(struct td_kernel_books *b, uint32_t process)
{
	if (process >= b->maps_n)
		return;
	struct td_kernel_map *m = map_at(b, process);
	for (uint64_t i = 0; i < m->n; i++)
		drop_block(b, entries(m)[i].block);
	m->n = 0;
}

/* ---- what is new ---- */

static void serve_page(struct td_kernel_books *b, uint64_t page)
{
	struct td_engine *e = b->engine;
	struct td_event event = {.page = page};
	tide_chunk c = {(uint32_t)(page / e->near.chunk_pages)};
	unsigned bit = (unsigned)(page % e->near.chunk_pages);
	enum td_engine_touched what = TD_ABSENT;
	int rc = 0;
	if (td_lanes_load(td_engine_record(e, c.index), e->near.lane_bytes).resident >> bit & 1)
		rc = td_engine_touch(e, c, bit, &event, &what, NULL);
	if (!rc && what == TD_NOTICE)
		rc = td_engine_notice(e, c, &event, NULL);
	if (!rc && what == TD_ABSENT) {
		td_engine_tick(e, c);
		rc = td_engine_fault(e, c, bit, &event, NULL);
	}
	b->failed = rc ? rc : b->failed;
}

static void serve_block(struct td_kernel_books *b, uint32_t number)
{
	for (unsigned w = 0; w < TD_KERNEL_WORDS; w++) {
		struct td_kernel_lanes *l = &block_at(b, number)->lanes;
		uint64_t touched = l->ahead[w] & l->present[w];
		uint64_t new = touched | (l->present[w] & ~l->near[w] & ~l->stayed[w]);
		l->ahead[w] &= ~touched;
		for (; new; new &= new - 1)
			serve_page(b, (uint64_t)number * TD_KERNEL_BLOCK + w * 64 +
					      (unsigned)__builtin_ctzll(new));
	}
}

static uint64_t resident_pages(const struct td_kernel_books *b)
{
	return b->engine->near.capacity_pages - b->engine->near.free_pages;
}

/* What the engine may have: never more than policies were told at first, and enough for one fault
 * to find a victim. */
static uint64_t bounded(const struct td_kernel_books *b, int64_t pages)
{
	int64_t least = 4 * (int64_t)b->engine->near.chunk_pages;
	if (pages < least)
		pages = least;
	return (uint64_t)pages > b->near_pages ? b->near_pages : (uint64_t)pages;
}

static void resize(struct td_kernel_books *b, uint64_t pages)
{
	int rc = td_engine_resize(b->engine, &pages, NULL);
	b->failed = rc ? rc : b->failed;
}

void td_kernel_books_serve(struct td_kernel_books *b, int64_t excess_pages)
{
	int64_t was = (int64_t)resident_pages(b);
	int64_t target = was + (int64_t)b->new_pages - excess_pages;
	/* Victims leave for what comes, as policies expect; the rest leaves for nothing. */
	resize(b, bounded(b, target > was ? target : was));
	for (uint64_t i = 0; i < b->news_n; i++)
		serve_block(b, ((uint32_t *)(void *)b->news.at)[i]);
	b->news_n = b->new_pages = 0;
	if (excess_pages > 0 && !b->engine->full)
		td_engine_become_full(b->engine);
	resize(b, bounded(b, target));
}

/* ---- what could not leave ---- */

void td_kernel_books_stayed(struct td_kernel_books *b, uint32_t process, uint64_t first,
			    uint64_t end)
{
	map_at(b, process)->cursor = 0;
	for (; first < end; first++) {
		struct td_kernel_block *k = find_block(b, process, first / TD_KERNEL_BLOCK);
		unsigned bit = (unsigned)(first % TD_KERNEL_BLOCK);
		if (!k)
			return;
		k->lanes.stayed[bit / 64] |= UINT64_C(1) << bit % 64;
		k->lanes.swapped[bit / 64] &= ~(UINT64_C(1) << bit % 64);
		b->stayed_pages++;
	}
}

void td_kernel_books_retry(struct td_kernel_books *b)
{
	for (uint32_t i = 0; i < b->blocks_n; i++)
		memset(block_at(b, i)->lanes.stayed, 0, sizeof block_at(b, i)->lanes.stayed);
}
