/* A random program whose results do not depend on time, if the driver keeps the order that it must.
 * usage: random SEED STEPS [THREADS [MIB]] */
#include <pthread.h>
#include <string.h>

#include "random.h"

static unsigned long seed, steps;
static cu_context context;

uint64_t random_draw(struct thread *t)
{
	t->state += UINT64_C(0x9E3779B97F4A7C15);
	return program_mix(t->state);
}

size_t random_below(struct thread *t, size_t n)
{
	return random_draw(t) % n;
}

/* ---- buffers ---- */

static bool is_device(enum buffer_kind kind)
{
	return kind == BUFFER_SYNC || kind == BUFFER_ASYNC || kind == BUFFER_PITCH;
}

static size_t draw_bytes(struct thread *t)
{
	size_t kind = random_below(t, 20), most = 24 << 20;
	if (kind < 19)
		most = 8 << 20;
	if (kind < 16)
		most = 2 << 20;
	if (kind < 10)
		most = 64 << 10;
	return 1024 + random_below(t, (most - 1024) / 8 + 1) * 8;
}

static void allocate(struct thread *t, struct buffer *b, int lane)
{
	void *host = NULL;
	switch (b->kind) {
	case BUFFER_SYNC: MUST(cuMemAlloc_v2(&b->at, b->bytes)); break;
	case BUFFER_ASYNC:
		ON(t, lane, cuMemAllocAsync, &b->at, b->bytes, t->lanes[lane].stream);
		break;
	case BUFFER_PITCH:
		MUST(cuMemAllocPitch_v2(&b->at, &b->pitch, b->bytes / 8, 8, 4));
		b->bytes = b->pitch * 8;
		break;
	case BUFFER_MANAGED: MUST(cuMemAllocManaged(&b->at, b->bytes, 1)); break;
	case BUFFER_PINNED: MUST(cuMemHostAlloc(&host, b->bytes, 0)); break;
	default: host = malloc(b->bytes);
	}
	if (host)
		b->at = (cu_ptr)host;
}

static void fill(struct thread *t, struct buffer *b, int lane)
{
	uint64_t *words = (uint64_t *)b->shadow;
	uint64_t word = random_draw(t);
	for (size_t i = 0; i < b->bytes / 8; i++)
		words[i] = word + i * UINT64_C(0xD6E8FEB86659FD93);
	if (!is_device(b->kind)) {
		memcpy((void *)b->at, words, b->bytes);
		return;
	}
	if (random_below(t, 2)) {
		struct step s = {.kind = STEP_SET,
				 .form = 1,
				 .out = {b, 0, b->bytes},
				 .salt = word,
				 .width = b->bytes / 4,
				 .rows = 1,
				 .element_bytes = 4};
		random_step_shadow(&s);
		random_step_issue(t, lane, &s);
	} else {
		ON(t, lane, cuMemcpyHtoDAsync_v2, b->at, words, b->bytes, t->lanes[lane].stream);
	}
	random_writes(t, lane, b, true);
}

static void make(struct thread *t, struct buffer *b)
{
	int lane = (int)random_below(t, LANES);
	memset(b, 0, sizeof *b);
	b->kind = (enum buffer_kind)(random_below(t, 3) ? random_below(t, 3)
							: random_below(t, BUFFER_KINDS));
	b->bytes = draw_bytes(t);
	b->writer = -1;
	if (t->used + b->bytes + 4096 > t->room)
		return;
	allocate(t, b, lane);
	t->used += b->bytes;
	b->shadow = malloc(b->bytes);
	if (!b->shadow || !b->at)
		abort();
	MUST(cuEventCreate(&b->written, CU_EVENT_DISABLE_TIMING));
	for (int i = 0; i < LANES; i++)
		MUST(cuEventCreate(&b->was_read[i], CU_EVENT_DISABLE_TIMING));
	fill(t, b, lane);
}

static void release(struct thread *t, struct buffer *b)
{
	int lane = (int)random_below(t, LANES);
	for (int i = 0; i < GRAPHS; i++)
		if (random_graph_uses(&t->graphs[i], b))
			random_graph_drop(&t->graphs[i]);
	if (is_device(b->kind) && random_below(t, 2)) {
		random_writes(t, lane, b, false);
		ON(t, lane, cuMemFreeAsync, b->at, t->lanes[lane].stream);
	} else if (b->kind == BUFFER_PINNED) {
		MUST(cuMemFreeHost((void *)b->at));
	} else if (b->kind == BUFFER_PAGEABLE) {
		free((void *)b->at);
	} else {
		MUST(cuMemFree_v2(b->at));
	}
	MUST(cuEventDestroy_v2(b->written));
	for (int i = 0; i < LANES; i++)
		MUST(cuEventDestroy_v2(b->was_read[i]));
	free(b->shadow);
	t->used -= b->bytes;
	b->at = 0;
}

struct buffer *random_buffer(struct thread *t, bool on_device)
{
	size_t first = random_below(t, BUFFERS);
	for (size_t i = 0; i < BUFFERS; i++) {
		struct buffer *b = &t->buffers[(first + i) % BUFFERS];
		if (b->at && (!on_device || b->kind != BUFFER_PAGEABLE))
			return b;
	}
	return NULL;
}

/* Every byte against the shadow. */
static void verify(struct thread *t, struct buffer *b, bool add)
{
	int lane = (int)random_below(t, 2);
	unsigned char *got = (unsigned char *)b->at;
	if (is_device(b->kind)) {
		got = malloc(b->bytes);
		if (!got)
			abort();
		random_reads(t, lane, b, false);
		if (lane)
			MUST(cuMemcpyDtoH_v2_ptds(got, b->at, b->bytes));
		else
			MUST(cuMemcpyDtoH_v2(got, b->at, b->bytes));
	} else if (b->writer >= 0) {
		MUST(cuEventSynchronize(b->written));
	}
	for (size_t i = 0; memcmp(got, b->shadow, b->bytes); i++)
		if (got[i] != b->shadow[i]) {
			fprintf(stderr,
				"seed %lu: thread %d: buffer of kind %d with %zu bytes: byte %zu is %02x, not %02x\n",
				seed, t->number, b->kind, b->bytes, i, got[i], b->shadow[i]);
			exit(1);
		}
	if (add)
		t->sum = program_sum(t->sum, got, b->bytes);
	if (is_device(b->kind))
		free(got);
}

/* ---- steps ---- */

static struct span draw_span(struct thread *t, struct buffer *b)
{
	size_t words = b->bytes / 8, most = random_below(t, 4) ? 4096 : words;
	size_t n = 1 + random_below(t, most < words ? most : words);
	return (struct span){b, random_below(t, words - n + 1) * 8, n * 8};
}

static void draw_kernel(struct thread *t, struct step *s)
{
	s->form = (int)random_below(t, KERNEL_FORMS);
	int most = s->form == FORM_PARAMS || s->form == FORM_EXTRA ? 1 : INPUTS;
	int wanted = (int)random_below(t, (size_t)most + 1);
	for (int i = 0; i < wanted; i++) {
		struct buffer *b = random_buffer(t, true);
		if (b != s->out.buffer)
			s->in[s->inputs++] = draw_span(t, b);
	}
}

/* Rows of `width` bytes, apart by a pitch; all within `bytes`. */
static size_t draw_pitch(struct thread *t, size_t width, size_t rows, size_t bytes)
{
	size_t most = rows > 1 ? (bytes - width) / (rows - 1) : width;
	return width + (most > width ? random_below(t, most - width + 1) : 0);
}

static void draw_copy(struct thread *t, struct step *s, struct buffer *from)
{
	s->kind = STEP_COPY;
	s->form = (int)random_below(t, COPY_FORMS);
	s->in[0] = draw_span(t, from);
	s->inputs = 1;
	size_t bytes = s->in[0].bytes < s->out.bytes ? s->in[0].bytes : s->out.bytes;
	s->width = bytes;
	s->rows = 1;
	if (s->form == COPY_2D || s->form == COPY_3D) {
		s->rows = 1 + random_below(t, 8);
		s->width = 1 + random_below(t, bytes / s->rows);
	}
	s->out_pitch = draw_pitch(t, s->width, s->rows, s->out.bytes);
	s->in_pitch = draw_pitch(t, s->width, s->rows, s->in[0].bytes);
}

static void draw_set(struct thread *t, struct step *s)
{
	s->kind = STEP_SET;
	s->form = (int)random_below(t, 2);
	s->element_bytes = 1u << random_below(t, 3);
	s->rows = random_below(t, 2) ? 1 : 1 + random_below(t, 4);
	if (s->rows * 8 > s->out.bytes)
		s->rows = 1;
	s->width = s->out.bytes / s->rows / s->element_bytes;
	s->out_pitch = s->out.bytes / s->rows / 8 * 8;
	if (s->rows > 1)
		s->width = 1 + random_below(t, s->out_pitch / s->element_bytes);
}

struct step random_step(struct thread *t, bool for_graph)
{
	struct step s = {.kind = STEP_KERNEL, .salt = random_draw(t)};
	size_t what = random_below(t, 8);
	struct buffer *from = random_buffer(t, for_graph);
	s.out = draw_span(t, random_buffer(t, for_graph || what < 5 || what == 7));
	if (what >= 5 && what < 7 && from != s.out.buffer) {
		draw_copy(t, &s, from);
		if (for_graph &&
		    (s.form == COPY_SYNC || s.form == COPY_SYNC_ANY || s.form == COPY_BATCH))
			s.form = COPY_TYPED;
		return s;
	}
	if (s.out.buffer->kind == BUFFER_PAGEABLE)
		s.out = draw_span(t, random_buffer(t, true));
	if (what == 7)
		draw_set(t, &s);
	else
		draw_kernel(t, &s);
	return s;
}

static void do_step(struct thread *t)
{
	struct step s = random_step(t, false);
	int lane = random_step_lane(&s, (int)random_below(t, LANES));
	bool tabled = s.kind == STEP_KERNEL && s.form == FORM_TABLE;
	if (tabled) {
		s.table = &t->tables[random_below(t, TABLES)];
		random_step_upload(t, lane, &s);
	}
	/* A table may be used again, as it is, and by another stream. */
	for (size_t again = tabled ? 1 + random_below(t, 2) : 1; again; again--) {
		random_before(t, lane, &s);
		random_step_issue(t, lane, &s);
		random_after(t, lane, &s);
		random_step_shadow(&s);
		s.salt += tabled;
		lane = tabled ? (int)random_below(t, LANES) : lane;
	}
}

static void count(void *thread)
{
	((struct thread *)thread)->hosts_done++;
}

static void do_graph(struct thread *t)
{
	struct graph *g = &t->graphs[random_below(t, GRAPHS)];
	if (g->exec && random_below(t, 3)) {
		random_graph_launch(t, g);
		return;
	}
	random_graph_drop(g);
	random_graph_make(t, g);
}

static void renew_lane(struct thread *t)
{
	int lane = 2 + (int)random_below(t, LANES - 2);
	struct lane *l = &t->lanes[lane];
	MUST(cuStreamSynchronize(l->stream));
	MUST(cuStreamDestroy_v2(l->stream));
	MUST(cuStreamCreateWithPriority(&l->stream,
					l->kind == LANE_FREE ? CU_STREAM_NON_BLOCKING : 0, 0));
}

static void do_wait(struct thread *t)
{
	int lane = (int)random_below(t, LANES);
	struct buffer *b = random_buffer(t, false);
	switch (random_below(t, 4)) {
	case 0: ON(t, lane, cuStreamSynchronize, t->lanes[lane].stream); break;
	case 1: MUST(cuCtxSynchronize()); break;
	case 2:
		cu->cuStreamQuery(t->lanes[lane].kind == LANE_PER_THREAD
					  ? (cu_stream)CU_STREAM_PER_THREAD
					  : t->lanes[lane].stream);
		break;
	default:
		if (b->writer >= 0)
			MUST(cuEventSynchronize(b->written));
	}
}

static void do_something(struct thread *t)
{
	size_t what = random_below(t, 100);
	struct buffer *b = &t->buffers[random_below(t, BUFFERS)];
	if (what < 14) {
		if (b->at && b != &t->buffers[0])
			release(t, b);
		else if (!b->at)
			make(t, b);
	} else if (what < 17 && b->at) {
		verify(t, b, false);
	} else if (what < 20) {
		do_wait(t);
	} else if (what < 21) {
		renew_lane(t);
	} else if (what < 23) {
		int lane = (int)random_below(t, LANES);
		ON(t, lane, cuLaunchHostFunc, t->lanes[lane].stream, count, t);
		t->hosts++;
	} else if (what < 33) {
		do_graph(t);
	} else {
		do_step(t);
	}
}

/* ---- a thread ---- */

static void begin(struct thread *t)
{
	static const enum lane_kind kinds[LANES] = {LANE_LEGACY,   LANE_PER_THREAD, LANE_BLOCKING,
						    LANE_BLOCKING, LANE_FREE,       LANE_FREE};
	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < LANES; i++) {
		t->lanes[i].kind = kinds[i];
		if (i > 1)
			MUST(cuStreamCreate(&t->lanes[i].stream,
					    kinds[i] == LANE_FREE ? CU_STREAM_NON_BLOCKING : 0));
	}
	for (int i = 0; i < TABLES; i++) {
		struct buffer *b = &t->tables[i];
		b->bytes = i ? 2 << 20 : 1024;
		b->writer = -1;
		MUST(cuMemAlloc_v2(&b->at, b->bytes));
		MUST(cuEventCreate(&b->written, 0));
		for (int lane = 0; lane < LANES; lane++)
			MUST(cuEventCreate(&b->was_read[lane], CU_EVENT_DISABLE_TIMING));
	}
	while (!t->buffers[0].at || t->buffers[0].kind == BUFFER_PAGEABLE) {
		if (t->buffers[0].at)
			release(t, &t->buffers[0]);
		make(t, &t->buffers[0]);
	}
}

static void end(struct thread *t)
{
	for (int i = 0; i < BUFFERS; i++)
		if (t->buffers[i].at)
			verify(t, &t->buffers[i], true);
	MUST(cuCtxSynchronize());
	if (t->hosts_done != t->hosts) {
		fprintf(stderr, "seed %lu: %lu calls of the host, not %lu\n", seed, t->hosts_done,
			t->hosts);
		exit(1);
	}
	for (int i = 0; i < GRAPHS; i++)
		random_graph_drop(&t->graphs[i]);
	for (int i = 0; i < BUFFERS; i++)
		if (t->buffers[i].at)
			release(t, &t->buffers[i]);
	for (int i = 0; i < TABLES; i++) {
		MUST(cuMemFree_v2(t->tables[i].at));
		MUST(cuEventDestroy_v2(t->tables[i].written));
		for (int lane = 0; lane < LANES; lane++)
			MUST(cuEventDestroy_v2(t->tables[i].was_read[lane]));
	}
	for (int i = 2; i < LANES; i++)
		MUST(cuStreamDestroy_v2(t->lanes[i].stream));
}

static void *run(void *thread)
{
	struct thread *t = thread;
	t->state = seed * 1000003 + (uint64_t)t->number;
	begin(t);
	for (unsigned long i = 0; i < steps; i++)
		do_something(t);
	end(t);
	return NULL;
}

int main(int n, char **args)
{
	if (n < 3) {
		fprintf(stderr, "usage: random SEED STEPS [THREADS [MIB]]\n");
		return 2;
	}
	seed = strtoul(args[1], NULL, 10);
	steps = strtoul(args[2], NULL, 10);
	size_t threads_n = n > 3 ? strtoul(args[3], NULL, 10) : 3;
	size_t mib = n > 4 ? strtoul(args[4], NULL, 10) : 96;
	program_begin();
	MUST(cuCtxGetCurrent(&context));
	random_load();
	struct thread *threads = calloc(threads_n, sizeof *threads);
	pthread_t *ids = calloc(threads_n, sizeof *ids);
	if (!threads || !ids)
		return 1;
	for (size_t i = 0; i < threads_n; i++) {
		threads[i].number = (int)i;
		threads[i].room = (mib << 20) / threads_n;
		if (pthread_create(&ids[i], NULL, run, &threads[i]))
			return 1;
	}
	uint64_t sum = seed;
	for (size_t i = 0; i < threads_n; i++) {
		pthread_join(ids[i], NULL);
		sum = program_mix(sum ^ threads[i].sum);
	}
	printf("random %lu %016llx\n", seed, (unsigned long long)sum);
	program_end();
	free(threads);
	free(ids);
	return 0;
}
