#include <sys/mman.h>

#include "stress.h"

/* ---- what a word holds: region, version and place ---- */

uint64_t stress_value(const struct stress_region *r, uint64_t word, uint32_t shadow)
{
	if (shadow & STRESS_ZERO)
		return 0;
	return (uint64_t)(shadow & 0xffffff) << 40 | r->id << 32 | (word & UINT32_MAX);
}

bool stress_is_counter(const struct stress *s, uint64_t word)
{
	return word % s->page_words == s->page_words - 1;
}

bool stress_right(const struct stress_region *r, uint64_t word, uint64_t value, uint32_t before,
		  uint32_t after)
{
	if (value == stress_value(r, word, before) || value == stress_value(r, word, after))
		return true;
	uint32_t version = (uint32_t)(value >> 40);
	return value == stress_value(r, word, version) && version >= (before & ~STRESS_ZERO) &&
	       version <= (after & ~STRESS_ZERO) + 1;
}

void stress_wrong(const struct stress *s, const struct stress_region *r, uint64_t word,
		  uint64_t value, uint32_t shadow, const char *when)
{
	fail("%s: region %llu (%s), page %llu, word %llu at %p: %016llx, not %016llx (shadow %x)",
	     when, (unsigned long long)r->id, r->path[0] ? r->path : "anonymous",
	     (unsigned long long)(word / s->page_words), (unsigned long long)(word % s->page_words),
	     (void *)(r->at + word * 8), (unsigned long long)value,
	     (unsigned long long)stress_value(r, word, shadow), shadow);
}

/* ---- regions ---- */

static void fill_file(const struct stress *s, struct stress_region *r)
{
	uint64_t buffer[512];
	FILE *f = fopen(r->path, "w");
	must(f, "%s: %s", r->path, strerror(errno));
	for (uint64_t word = 0; word < r->words;) {
		size_t n = 0;
		for (; n < 512 && word < r->words; word++)
			buffer[n++] = stress_is_counter(s, word) ? 0 : stress_value(r, word, 0);
		fwrite(buffer, 8, n, f);
	}
	fwrite("odd end", 1, r->bytes % 8, f);
	must(fclose(f) == 0, "%s: %s", r->path, strerror(errno));
}

static void map_region(struct stress *s, enum stress_kind kind, bool by_page, size_t bytes)
{
	struct stress_region *r = &s->region[s->regions];
	r->id = ++s->regions;
	r->kind = kind;
	r->by_page = by_page;
	r->bytes = bytes;
	r->words = bytes / 8;
	r->pages = (bytes + s->page_bytes - 1) / s->page_bytes;
	r->shadow = mmap(NULL, r->words * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	must(r->shadow != MAP_FAILED, "no memory for a shadow");
	for (uint64_t i = 0; kind == STRESS_ANONYMOUS && i < r->words; i++)
		r->shadow[i] = STRESS_ZERO;
	if (kind != STRESS_ANONYMOUS) {
		snprintf(r->path, sizeof r->path, "%s/region%llu", s->folder,
			 (unsigned long long)r->id);
		fill_file(s, r);
	}
	struct tide_map_options how = {.size = sizeof how,
				       .path = r->path[0] ? r->path : NULL,
				       .shared = kind == STRESS_SHARED};
	r->at = map(s->t, kind == STRESS_ANONYMOUS ? bytes : 0, &how);
}

void stress_map_regions(struct stress *s)
{
	size_t part = s->bytes / 8 / s->page_bytes * s->page_bytes;
	map_region(s, STRESS_ANONYMOUS, false, part * (s->files ? 3 : 6));
	map_region(s, STRESS_ANONYMOUS, true, part * 2);
	if (!s->files)
		return;
	map_region(s, STRESS_PRIVATE, false, part);
	map_region(s, STRESS_SHARED, false, part);
	map_region(s, STRESS_SHARED, false, part - s->page_bytes + 1003); /* ends within a page */
}

/* ---- accesses ---- */

static uint64_t *address(const struct stress_region *r, uint64_t word)
{
	return (uint64_t *)(void *)(r->at + word * 8);
}

static bool owns(const struct stress_worker *w, const struct stress_region *r, uint64_t word)
{
	uint64_t unit = r->by_page ? word / w->s->page_words : word;
	return unit % w->s->threads == w->number;
}

static void load(struct stress_worker *w, struct stress_region *r, uint64_t word)
{
	uint32_t before = atomic_load_explicit(&r->shadow[word], memory_order_acquire);
	uint64_t value = __atomic_load_n(address(r, word), __ATOMIC_ACQUIRE);
	uint32_t after = atomic_load_explicit(&r->shadow[word], memory_order_acquire);
	bool right = owns(w, r, word) ? value == stress_value(r, word, before)
				      : r->by_page || stress_right(r, word, value, before, after);
	if (!right)
		stress_wrong(w->s, r, word, value, after, "read");
}

static void store(struct stress_region *r, uint64_t word)
{
	uint32_t version = (r->shadow[word] & ~STRESS_ZERO) + 1;
	__atomic_store_n(address(r, word), stress_value(r, word, version), __ATOMIC_RELEASE);
	atomic_store_explicit(&r->shadow[word], version, memory_order_release);
}

static void access_word(struct stress_worker *w, struct stress_region *r, uint64_t word)
{
	if (word >= r->words)
		return;
	if (stress_is_counter(w->s, word)) {
		if (r->by_page || tide_random_next(&w->random) & 1)
			return;
		__atomic_fetch_add(address(r, word), 1, __ATOMIC_RELAXED);
		atomic_fetch_add_explicit(&r->added, 1, memory_order_relaxed);
		return;
	}
	load(w, r, word);
	if (owns(w, r, word) && below(&w->random, 100) < 40)
		store(r, word);
}

/* Mostly one of 64 words of the page that this thread owns, so that it comes back to each; or the
 * counter, or any word. */
static void access_page(struct stress_worker *w, struct stress_region *r, uint64_t page)
{
	uint64_t first = page * w->s->page_words;
	uint64_t word = first + below(&w->random, 64) * (w->s->page_words / 64);
	uint64_t kind = below(&w->random, 16);
	if (kind == 0)
		word = first + w->s->page_words - 1;
	else if (kind == 1)
		word = first + below(&w->random, w->s->page_words);
	else if (!r->by_page)
		word += w->number - word % w->s->threads;
	if (word >= first && word < first + w->s->page_words)
		access_word(w, r, word);
}

/* The owner forgets a page of its own. */
static void drop(struct stress_worker *w, struct stress_region *r, uint64_t page)
{
	struct tide_error err;
	uint64_t first = page * w->s->page_words;
	if (!r->by_page || page % w->s->threads != w->number)
		return;
	must(tide_advise(w->s->t, address(r, first), w->s->page_bytes, TIDE_DROP, &err) == 0,
	     "drop: %s", err.text);
	for (uint64_t i = first; i < first + w->s->page_words; i++)
		r->shadow[i] |= STRESS_ZERO;
}

/* Somewhere, in one of the ways in which programs go. */
static void visit(struct stress_worker *w)
{
	struct stress_region *r = &w->s->region[below(&w->random, w->s->regions)];
	uint64_t page = below(&w->random, r->pages), n = 1;
	if (r->by_page)
		page += w->number - page % w->s->threads;
	page %= r->pages;
	switch (below(&w->random, 8)) {
	case 0: n = 64; break; /* onwards */
	case 1:                /* within the hot eighth */
	case 2:
	case 3: page /= 8; break;
	case 4: drop(w, r, page); break;
	}
	for (uint64_t i = 0; i < n && page + i < r->pages; i++)
		for (unsigned j = 0; j < 4; j++)
			access_page(w, r, page + i);
}

void *stress_work(void *worker)
{
	struct stress_worker *w = worker;
	uint64_t n = 0;
	for (; !w->s->stop; n++)
		visit(w);
	w->s->operations += n;
	return NULL;
}
