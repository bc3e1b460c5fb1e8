/* Life, and ticks. */
#include "kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "books.h"
#include "cold.h"
#include "core/clock.h"
#include "group.h"
#include "out.h"
#include "scan.h"
#include "tree.h"

const struct td_mech td_kernel_mech = {
	.name = "mapping kernel",
	/* A page is present only if it was touched. What is armed, or comes ahead of its use, waits
	 * in the swap cache, and its first touch is seen. */
	.gives = TIDE_NEEDS_TOUCHED | TIDE_NEEDS_NOTICES | TIDE_NEEDS_PAGES,
};

#define REGIONS 4096
#define SMALL_BYTES (UINT64_C(256) << 10) /* a process with less is not looked at */
/* Memory that is kept free ahead of need. */
#define MARGIN_LEAST (UINT64_C(2) << 20)
#define MARGIN_MOST (UINT64_C(32) << 20)
#define LOOK_NS UINT64_C(10000000) /* who is there? */
#define RETRY_NS UINT64_C(5000000000)
#define LEAST_NS UINT64_C(200000)
#define MOST_NS UINT64_C(20000000)
#define BYTES_PER_NS 2 /* a program takes memory no faster than this */

struct td_kernel {
	struct td_kernel_books books;
	struct td_kernel_group group;
	struct td_kernel_tree tree;
	struct td_kernel_figures figures;
	struct td_engine *engine;
	uint64_t near_bytes, margin_bytes;
	bool by_kernel;
	uint64_t looked_ns, retried_ns;
	struct td_kernel_hand hand;
	struct td_kernel_region region[REGIONS];
};

/* ---- life ---- */

static uint64_t clamp(uint64_t n, uint64_t least, uint64_t most)
{
	return n < least ? least : n > most ? most : n;
}

static int make_engine(struct td_kernel *k, struct td_kernel_config *c, struct tide_error *err)
{
	struct td_engine_config config = {
		.near_pages = c->near_bytes / TD_KERNEL_PAGE,
		.chunk_pages = c->chunk_pages,
		.pages = UINT64_MAX,
		.maps = true,
		.page_bytes = TD_KERNEL_PAGE,
		.seed = c->seed,
		.mechanism = td_kernel_mech.name,
		.gives = td_kernel_mech.gives,
		.replace_invalid = true,
		.evict = c->evict,
		.prefetch = c->prefetch,
		.log_path = c->log_path,
	};
	c->evict = c->prefetch = (struct td_policy_choice){0};
	td_kernel_books_carrier(&k->books, &config.carrier);
	return td_engine_create(&k->engine, &config, err);
}

static void ended(void *arg, uint32_t process)
{
	struct td_kernel *k = arg;
	td_kernel_books_drop(&k->books, process);
	/* What it shared may now be its parent's alone. */
	k->retried_ns = 0;
}

int td_kernel_open(struct td_kernel **out, struct td_kernel_config *config, struct tide_error *err)
{
	struct td_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return tide_fail(err, -ENOMEM, "out of memory");
	k->near_bytes = config->near_bytes;
	k->margin_bytes = clamp(config->near_bytes / 16, MARGIN_LEAST, MARGIN_MOST);
	if (k->margin_bytes > config->near_bytes / 4)
		k->margin_bytes = config->near_bytes / 4;
	td_kernel_books_init(&k->books, config->near_bytes / TD_KERNEL_PAGE);
	int rc = make_engine(k, config, err);
	if (rc) {
		td_kernel_books_free(&k->books);
		free(k);
		return rc;
	}
	k->books.engine = k->engine;
	td_kernel_group_make(&k->group, config->near_bytes);
	k->by_kernel = config->by_kernel && *k->group.path;
	k->tree.group = &k->group;
	k->tree.ended = ended;
	k->tree.arg = k;
	*out = k;
	return 0;
}

int td_kernel_enter(struct td_kernel *k)
{
	return td_kernel_group_enter(&k->group);
}

void td_kernel_begin(struct td_kernel *k, pid_t pid)
{
	k->tree.root = pid;
}

bool td_kernel_by_kernel(const struct td_kernel *k)
{
	return k->by_kernel;
}

struct td_engine *td_kernel_engine(struct td_kernel *k)
{
	return k->engine;
}

int td_kernel_finish(struct td_kernel *k, struct tide_error *err)
{
	return td_engine_finish(k->engine, err);
}

void td_kernel_close(struct td_kernel *k)
{
	if (!k)
		return;
	td_kernel_group_end(&k->group);
	td_kernel_tree_end(&k->tree);
	td_engine_destroy(k->engine);
	td_kernel_books_free(&k->books);
	free(k);
}

/* ---- what is used ---- */

static void look_for_processes(struct td_kernel *k, uint64_t now_ns)
{
	if (k->looked_ns && now_ns - k->looked_ns < LOOK_NS)
		return;
	td_kernel_tree_look(&k->tree);
	k->looked_ns = now_ns;
}

static uint64_t processes_bytes(const struct td_kernel *k)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < k->tree.n; i++)
		if (k->tree.at[i].pid)
			sum += td_kernel_process_bytes(&k->tree.at[i]);
	return sum;
}

static uint64_t use(struct td_kernel *k)
{
	uint64_t bytes;
	if (*k->group.path)
		bytes = td_kernel_group_usage(&k->group);
	else
		bytes = processes_bytes(k);
	k->figures.near_bytes = bytes;
	if (bytes > k->figures.near_most_bytes)
		k->figures.near_most_bytes = bytes;
	return bytes;
}

/* ---- a look at a process ---- */

static void take_regions(struct td_kernel *k, uint32_t process, int n)
{
	for (int i = 0; i < n; i++) {
		const struct td_kernel_region *r = &k->region[i];
		td_kernel_books_range(&k->books, process, r->start / TD_KERNEL_PAGE,
				      r->end / TD_KERNEL_PAGE, r->categories & TD_KERNEL_SWAPPED);
	}
}

static int scan(struct td_kernel *k, uint32_t process)
{
	uint64_t from = 0;
	int n = 1;
	while (n > 0 && from < TD_KERNEL_ADDRESSES) {
		n = td_kernel_scan(k->tree.at[process].pagemap, &from, TD_KERNEL_ADDRESSES,
				   TD_KERNEL_PRESENT | TD_KERNEL_SWAPPED, k->region, REGIONS);
		take_regions(k, process, n);
	}
	return n < 0 ? n : 0;
}

static void look_at(struct td_kernel *k, uint32_t i)
{
	struct td_kernel_process *p = &k->tree.at[i];
	if (!p->pid || td_kernel_process_bytes(p) < SMALL_BYTES)
		return;
	k->figures.scans++;
	td_kernel_books_begin(&k->books, i);
	/* It may have executed another program, and has another page table then. */
	if (scan(k, i) == -ESRCH && td_kernel_process_renew(p)) {
		td_kernel_books_begin(&k->books, i);
		scan(k, i);
	}
	td_kernel_books_end(&k->books, i);
}

/* ---- a tick ---- */

static void keep_some_idle(struct td_kernel *k)
{
	uint64_t wanted = 2 * k->margin_bytes, idle;
	if (!*k->group.path)
		return;
	idle = td_kernel_group_idle(&k->group);
	if (idle < wanted / 2)
		td_kernel_cool(&k->hand, &k->tree, (wanted - idle) / TD_KERNEL_PAGE);
}

static void work(struct td_kernel *k, uint64_t bytes, uint64_t low, uint64_t now_ns)
{
	if (now_ns - k->retried_ns > RETRY_NS) {
		td_kernel_books_retry(&k->books);
		k->retried_ns = now_ns;
	}
	for (uint32_t i = 0; i < k->tree.n; i++)
		look_at(k, i);
	td_kernel_books_serve(&k->books, ((int64_t)bytes - (int64_t)low) / TD_KERNEL_PAGE);
	td_kernel_carry_out(&k->books, &k->tree);
	if (k->books.failed) {
		k->figures.failed = 1;
		k->by_kernel = *k->group.path;
	}
	keep_some_idle(k);
}

/* The kernel chooses. */
static void reclaim(struct td_kernel *k, uint64_t bytes, uint64_t low)
{
	keep_some_idle(k);
	td_kernel_group_reclaim(&k->group, bytes, low);
	uint64_t left = td_kernel_group_usage(&k->group);
	k->figures.reclaimed_bytes += bytes > left ? bytes - left : 0;
}

/* Until the program can have taken what is free now. */
static uint64_t rest(uint64_t bytes, uint64_t high)
{
	return bytes >= high ? 0 : clamp((high - bytes) / BYTES_PER_NS, LEAST_NS, MOST_NS);
}

uint64_t td_kernel_tick(struct td_kernel *k)
{
	uint64_t high = k->near_bytes - k->margin_bytes / 2, low = k->near_bytes - k->margin_bytes;
	uint64_t now_ns = td_clock_ns(), bytes;
	uint64_t files = 0;
	k->figures.ticks++;
	look_for_processes(k, now_ns);
	bytes = use(k);
	if (bytes > high && k->by_kernel) {
		reclaim(k, bytes, low);
		return LEAST_NS;
	}
	if (bytes > high && *k->group.path)
		files = td_kernel_group_idle_files(&k->group);
	bytes -= files < bytes ? files : bytes;
	if (bytes > high) {
		work(k, bytes, low, now_ns);
		return LEAST_NS;
	}
	return rest(bytes, high);
}

/* ---- figures ---- */

static uint64_t own_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void td_kernel_figures(struct td_kernel *k, struct td_kernel_figures *figures)
{
	struct td_kernel_figures *f = &k->figures;
	if (*k->group.path) {
		uint64_t most = td_kernel_group_most(&k->group);
		f->near_most_bytes = most > f->near_most_bytes ? most : f->near_most_bytes;
		f->major_faults = td_kernel_group_major_faults(&k->group);
		f->killed = td_kernel_group_killed(&k->group);
	}
	f->bounded = *k->group.path != '\0';
	f->near_limit_bytes = k->near_bytes;
	f->out_bytes = (k->books.out_pages - k->books.stayed_pages) * TD_KERNEL_PAGE;
	f->stayed_bytes = k->books.stayed_pages * TD_KERNEL_PAGE;
	f->kernel_out_bytes = k->books.kernel_out_pages * TD_KERNEL_PAGE;
	f->back_bytes = k->books.back_pages * TD_KERNEL_PAGE;
	f->ahead_bytes = k->books.ahead_pages * TD_KERNEL_PAGE;
	f->processes = k->tree.seen;
	f->unseen_processes = k->tree.unseen;
	f->tide_ns = own_ns();
	*figures = *f;
}
