/* Warps as coroutines. Each runs until it is at a point where the schedule has somebody else go on.
 */
#include "explore.h"

#include <stdarg.h>
#include <stdio.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#define STACK 65536
#define IDLE_MAX 400 /* pauses in a row without anything coming to an end */

static ucontext_t home, warps[WARPS];
static _Alignas(16) unsigned char stacks[WARPS][STACK];
static bool ended[WARPS];
static unsigned running, warps_n;
static bool inside; /* a warp runs, not the harness */
static unsigned idle;
static choose *chooses;
static void *chooses_arg;
static struct outcome *result;
static bool loud;

unsigned explore_warp(void)
{
	return running;
}

void explore_progress(void)
{
	idle = 0;
}

void violate(const char *format, ...)
{
	va_list args;
	if (!result->text[0]) {
		va_start(args, format);
		vsnprintf(result->text, sizeof result->text, format, args);
		va_end(args);
	}
	if (!inside)
		return;
	inside = false;
	setcontext(&home); /* nobody comes back to the warps of this run */
}

/* ---- points ---- */

static unsigned ask(unsigned options)
{
	uint64_t point = result->points;
	if (options < 2)
		return 0;
	result->points++;
	return chooses(chooses_arg, point, options);
}

static void go_on_with(unsigned warp)
{
	unsigned from = running;
	if (warp == from)
		return;
	if (loud)
		printf("      warp %u goes on\n", warp);
	running = warp;
	swapcontext(&warps[from], &warps[warp]);
}

/* The warp that is k live ones after this; this itself if there is none. */
static unsigned other_warp(unsigned k)
{
	unsigned warp = running;
	for (unsigned i = 1; i < warps_n; i++) {
		unsigned at = (running + i) % warps_n;
		if (!ended[at] && k-- == 0)
			return at;
	}
	return warp;
}

static unsigned others(void)
{
	unsigned n = 0;
	for (unsigned i = 0; i < warps_n; i++)
		n += i != running && !ended[i];
	return n;
}

static void answer(unsigned which)
{
	if (loud)
		printf("      the proxy answers request %u of %u\n", which, proxy_ready());
	proxy_answer(which);
}

/* ---- what is accessed, for whoever reads a run ---- */

static void say(const void *at)
{
	const struct {
		const char *name;
		const void *first;
		size_t each, n;
	} parts[] = {
		{"entry", world.entries, 8, PAGES},
		{"owner", world.owner, 4, FRAMES},
		{"frame word", world.near, 8, FRAMES * WORDS},
		{"slot word", world.host, 8, SLOTS * WORDS},
		{"status", world.slot_status, 4, SLOTS},
		{"shard", world.shard, sizeof world.shard[0], SHARDS},
		{"queue", world.queue, sizeof world.queue[0], 3},
		{"request", world.ring, sizeof world.ring[0][0], 3 * RING},
	};
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		size_t off = (size_t)((const char *)at - (const char *)parts[i].first);
		if ((const char *)at >= (const char *)parts[i].first &&
		    off < parts[i].each * parts[i].n) {
			printf("%6llu warp %u: %s %zu", (unsigned long long)result->points, running,
			       parts[i].name, off / parts[i].each);
			if (parts[i].first == world.entries)
				printf(" = %016llx", (unsigned long long)*(const uint64_t *)at);
			putchar('\n');
			return;
		}
	}
}

static bool in(const void *at, const void *first, size_t bytes)
{
	return (uintptr_t)at - (uintptr_t)first < bytes;
}

/* Nobody's steps depend on these. */
static bool is_a_count(const void *at)
{
	for (uint32_t i = 0; i < scene->shards; i++)
		if (in(at, world.shard[i].counts, sizeof world.shard[i].counts))
			return true;
	return in(at, world.c.clock, sizeof world.c.clock) ||
	       in(at, &world.told, sizeof world.told);
}

void explore_hook(const void *at)
{
	if (!inside || is_a_count(at))
		return;
	if (loud)
		say(at);
	unsigned n = others(), which = ask(1 + n + proxy_ready());
	if (which > n)
		answer(which - n - 1);
	else if (which)
		go_on_with(other_warp(which - 1));
}

/* The proxy's turn: the oldest, another one, or it sleeps. */
static void proxy_turn(void)
{
	unsigned n = proxy_ready();
	if (!n)
		return;
	unsigned which = ask(n + 1);
	if (which < n)
		answer(which);
}

/* The next one's turn. The proxy comes after the last warp. */
static void next(void)
{
	unsigned n = others();
	if (!n) {
		proxy_turn();
		return;
	}
	unsigned which = ask(n), warp = other_warp(which);
	if (warp <= running)
		proxy_turn();
	go_on_with(warp);
}

void explore_pause(void)
{
	if (!inside)
		return;
	if (loud)
		printf("       warp %u waits\n", running);
	if (++idle > IDLE_MAX)
		violate("nobody gets any further");
	next();
}

/* ---- a run ---- */

static void begin(void)
{
	warp_main(running);
	if (loud)
		printf("       warp %u ends\n", running);
	ended[running] = true;
	if (others())
		next();
	inside = false;
	setcontext(&home);
}

static void make(unsigned warp)
{
#if defined(__SANITIZE_ADDRESS__)
	__asan_unpoison_memory_region(stacks[warp], STACK);
#endif
	getcontext(&warps[warp]);
	warps[warp].uc_stack.ss_sp = stacks[warp];
	warps[warp].uc_stack.ss_size = STACK;
	warps[warp].uc_link = NULL;
	makecontext(&warps[warp], begin, 0);
	ended[warp] = false;
}

static void run_warps(void)
{
	volatile bool back = false;
	getcontext(&home);
	if (back)
		return;
	back = true;
	inside = true;
	setcontext(&warps[0]);
}

void schedule_run(choose *which, void *arg, bool aloud, struct outcome *out)
{
	chooses = which;
	chooses_arg = arg;
	result = out;
	loud = aloud;
	*out = (struct outcome){0};
	running = idle = warps_n = 0;
	world_reset();
	proxy_reset();
	warps_reset();
	for (unsigned i = 0; i < WARPS && scene->ops[i][0].kind != OP_NONE; i++) {
		make(i);
		warps_n++;
	}
	run_warps();
	while (!out->text[0] && (proxy_ready() || warps_serve())) {
		if (proxy_ready())
			proxy_answer(0);
	}
	if (!out->text[0])
		check_rest();
}
