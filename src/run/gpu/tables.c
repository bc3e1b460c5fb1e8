/* Memory that holds addresses of managed memory, because a copy from the host wrote them there. Work
 * that is given such a table is given what it names. Where it cannot be known which work is given
 * it (a variable of a module), what it names is pinned.
 *
 * Without trust, work waits for nothing that it names, so tables only make the choice of what comes
 * to the card better. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload.h"

#define PIECE 4096           /* words read at a time */
#define LEAST_ADDRESS (1 << 20) /* smaller words are numbers */
#define LOOK (64 << 10)      /* bytes of a large copy that are looked at, before the rest is */
#define WHOLE ((size_t)256 << 10) /* bytes of a copy that are looked at in any case */

struct word {
	cu_ptr at;
	uint64_t names;
};

struct small {
	cu_ptr at;
	size_t bytes;
};

/* Both ascending by `at`. */
static struct word *words;
static size_t words_n, words_room;
static struct small *smalls;
static size_t smalls_n, smalls_room;
static _Atomic bool any;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t word_from(cu_ptr at)
{
	size_t low = 0, high = words_n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (words[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t small_from(cu_ptr at)
{
	size_t low = 0, high = smalls_n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (smalls[mid].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct small *small_at(cu_ptr at)
{
	size_t i = small_from(at);
	return i && at - smalls[i - 1].at < smalls[i - 1].bytes ? &smalls[i - 1] : NULL;
}

static bool grow(void **at, size_t *room, size_t n, size_t bytes)
{
	if (n < *room)
		return true;
	size_t more = *room ? *room * 2 : 256;
	void *new = realloc(*at, more * bytes);
	if (!new)
		return false;
	*at = new;
	*room = more;
	return true;
}

/* ---- allocations that passed ---- */

void td_gpu_note_small(cu_ptr at, size_t bytes)
{
	pthread_mutex_lock(&lock);
	if (grow((void **)&smalls, &smalls_room, smalls_n, sizeof *smalls)) {
		size_t i = small_from(at);
		memmove(&smalls[i + 1], &smalls[i], (smalls_n++ - i) * sizeof *smalls);
		smalls[i] = (struct small){at, bytes};
	}
	pthread_mutex_unlock(&lock);
}

static void drop_words(cu_ptr at, size_t bytes)
{
	size_t from = word_from(at), end = word_from(at + bytes);
	memmove(&words[from], &words[end], (words_n - end) * sizeof *words);
	words_n -= end - from;
}

void td_gpu_forget_small(cu_ptr at)
{
	pthread_mutex_lock(&lock);
	size_t i = small_from(at);
	if (i && smalls[i - 1].at == at) {
		if (words_n)
			drop_words(at, smalls[i - 1].bytes);
		memmove(&smalls[i - 1], &smalls[i], (smalls_n-- - i) * sizeof *smalls);
	}
	pthread_mutex_unlock(&lock);
}

void td_gpu_forget_words(cu_ptr at, size_t bytes)
{
	pthread_mutex_lock(&lock);
	if (words_n)
		drop_words(at, bytes);
	pthread_mutex_unlock(&lock);
}

/* ---- a copy from the host ---- */

/* Work may get at a variable of a module without being given its address. */
static bool is_given(cu_ptr to)
{
	return td_vmm_in(td_vmm_arena(td_gpu.vmm), to) || small_at(to);
}

static void note_word(cu_ptr at, uint64_t names, bool given)
{
	if (!given) {
		td_vmm_pin(td_gpu.vmm, names);
		return;
	}
	if (!grow((void **)&words, &words_room, words_n, sizeof *words))
		return;
	size_t i = word_from(at);
	memmove(&words[i + 1], &words[i], (words_n++ - i) * sizeof *words);
	words[i] = (struct word){at, names};
	any = true;
}

static size_t note_piece(const uint64_t *piece, size_t n, cu_ptr to, bool given)
{
	const struct td_vmm_range *arena = td_vmm_arena(td_gpu.vmm);
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		if (!td_vmm_in(arena, piece[i]))
			continue;
		note_word(to + i * 8, piece[i], given);
		found++;
	}
	return found;
}

/* Reads by a call of the system, for which an address that is not memory is no fault. */
static size_t read_words(const void *from, size_t bytes, uint64_t *to)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
	ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	return n > 0 ? (size_t)n / 8 : 0;
}

void td_gpu_note_words(const void *from, cu_ptr to, size_t bytes)
{
	static __thread uint64_t piece[PIECE];
	size_t skip = (size_t)(-to & 7), found = 0, at = skip;
	if (td_vmm_in(td_vmm_arena(td_gpu.vmm), (uint64_t)(uintptr_t)from))
		return;
	pthread_mutex_lock(&lock);
	bool given = is_given(to);
	if (words_n)
		drop_words(to, bytes);
	while (at + 8 <= bytes && (at < LOOK || found || bytes <= WHOLE)) {
		size_t left = bytes - at, n;
		n = read_words((const char *)from + at, left < sizeof piece ? left & ~(size_t)7
									    : sizeof piece,
			       piece);
		if (!n)
			break;
		found += note_piece(piece, n, to + at, given);
		at += n * 8;
	}
	pthread_mutex_unlock(&lock);
}

/* ---- work ---- */

#define TABLES_MAX 256 /* that one piece of work may be given, before it is given everything */

struct given {
	uint64_t bases[TABLES_MAX];
	uint32_t n;
};

static bool is_new(struct given *g, uint64_t base)
{
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->bases[i] == base)
			return false;
	}
	if (g->n < TABLES_MAX)
		g->bases[g->n++] = base;
	return true;
}

/* Words of the allocation that has this address. */
static void name_table(struct td_vmm_work *w, struct given *g, uint64_t address)
{
	struct td_vmm_range range;
	const struct small *small = small_at(address);
	if (small)
		range = (struct td_vmm_range){small->at, small->at + small->bytes};
	else if (!td_vmm_find(td_gpu.vmm, address, &range))
		return;
	size_t i = word_from(range.base);
	if (i == words_n || words[i].at >= range.end || !is_new(g, range.base))
		return;
	w->everything |= g->n == TABLES_MAX;
	for (; i < words_n && words[i].at < range.end; i++)
		td_vmm_name(w, words[i].names, 0, false);
}

void td_gpu_name_word(struct td_vmm_work *w, uint64_t word)
{
	const struct td_vmm_range *arena = td_gpu.vmm ? td_vmm_arena(td_gpu.vmm) : NULL;
	if (!arena)
		return;
	if (td_vmm_in(arena, word) || (any && word >= LEAST_ADDRESS))
		td_vmm_name(w, word, 0, false);
}

/* Tables may name tables: what they add is looked at as well. */
void td_gpu_name_tables(struct td_vmm_work *w)
{
	if (!any || w->kind != TD_VMM_LAUNCH)
		return;
	struct given given = {.n = 0};
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < w->n && !w->everything; i++)
		name_table(w, &given, w->names[i].address);
	pthread_mutex_unlock(&lock);
}
