/* What moves pages: commands to warps, copies by the copy engine, reads of files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator.h"
#include "tide/sort.h"

/* ---- commands ---- */

static bool grow_backlog(struct td_cuda_orchestrator *o)
{
	uint64_t room = o->backlog_room ? 2 * o->backlog_room : TD_ORCH_COMMANDS;
	uint64_t *more = malloc(room * sizeof *more);
	if (!more)
		return false;
	for (uint64_t i = 0; i < o->backlog_n; i++)
		more[i] = o->backlog[(o->backlog_first + i) & (o->backlog_room - 1)];
	free(o->backlog);
	o->backlog = more;
	o->backlog_room = room;
	o->backlog_first = 0;
	return true;
}

/* A page has one command under way at a time, besides being watched: it cannot grow for ever. */
void td_orch_command(struct td_cuda_orchestrator *o, enum td_dev_command what, uint32_t page,
		     uint32_t index)
{
	if (o->backlog_n == o->backlog_room && !grow_backlog(o)) {
		td_cuda_failed(o->g, -ENOMEM, page, TD_DEV_FAULT);
		return; /* whoever waits for it waits until the timeout */
	}
	uint64_t at = (o->backlog_first + o->backlog_n++) & (o->backlog_room - 1);
	o->backlog[at] = td_dev_command(what, page, index);
}

/* An entry of the ring is free when whoever took it has made it 0. */
static bool issue(struct td_cuda_orchestrator *o)
{
	uint64_t before = o->issued;
	while (o->backlog_n) {
		uint64_t *at = &o->commands[o->issued & (TD_ORCH_COMMANDS - 1)];
		if (__atomic_load_n(at, __ATOMIC_ACQUIRE))
			break;
		__atomic_store_n(at, o->backlog[o->backlog_first], __ATOMIC_RELEASE);
		o->backlog_first = (o->backlog_first + 1) & (o->backlog_room - 1);
		o->backlog_n--;
		o->issued++;
	}
	if (o->issued == before)
		return false;
	__atomic_store_n(o->posted, o->issued, __ATOMIC_RELEASE);
	return true;
}

void td_orch_forget_commands(struct td_cuda_orchestrator *o)
{
	memset(o->commands, 0, TD_ORCH_COMMANDS * sizeof *o->commands);
	*o->posted = 0;
	o->issued = o->backlog_first = o->backlog_n = 0;
}

/* ---- copies ---- */

static struct td_orch_run *run_at(struct td_orch_way *w, uint64_t i)
{
	return &w->runs[i & (w->room - 1)];
}

void td_orch_copy(struct td_cuda_orchestrator *o, unsigned way, uint32_t page, uint32_t frame)
{
	struct td_orch_way *w = &o->way[way];
	w->next[w->next_n++] = (struct td_orch_run){page, frame, 1};
}

static int by_page(const void *a, const void *b, void *arg)
{
	const struct td_orch_run *x = a, *y = b;
	(void)arg;
	return (x->page > y->page) - (x->page < y->page);
}

/* Pages of the next batch become runs of pages and frames that are neighbours. */
static size_t join(struct td_orch_way *w)
{
	size_t n = 0;
	tide_sort(w->next, w->next_n, sizeof *w->next, by_page, NULL);
	for (size_t i = 0; i < w->next_n; i++) {
		struct td_orch_run *last = n ? &w->next[n - 1] : NULL, one = w->next[i];
		if (last && last->page + last->n == one.page && last->frame + last->n == one.frame)
			last->n++;
		else
			w->next[n++] = one;
	}
	w->next_n = 0;
	return n;
}

static int start_copy(struct td_cuda_orchestrator *o, unsigned way, const struct td_orch_run *r)
{
	const struct td_dev_control *k = &o->g->control;
	unsigned char *home = k->host_memory + ((uint64_t)r->page << k->page_shift);
	unsigned char *near = k->near_memory + ((uint64_t)r->frame << k->page_shift);
	return td_cuda_device.stream_copy(o->way[way].stream, way == TD_ORCH_IN ? near : home,
					  way == TD_ORCH_IN ? home : near,
					  (uint64_t)r->n << k->page_shift);
}

/* What came is shown; what left is dropped, and its frame is free. */
static void end_copy(struct td_cuda_orchestrator *o, unsigned way, const struct td_orch_run *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct td_orch_page *p = &o->pages[r->page + i];
		if (way == TD_ORCH_IN) {
			td_orch_command(o, TD_DEV_SHOW, r->page + i, r->frame + i);
			continue;
		}
		p->bits |= TD_ORCH_UNSAVED | TD_ORCH_HOMED;
		p->frame = TD_DEV_NONE;
		td_orch_frame_free(o, r->frame + i);
		td_orch_command(o, TD_DEV_DROP, r->page + i, 0);
	}
}

/* Nothing works any more on a GPU that cannot copy: who waits is told so, and no page is lost that
 * is not lost anyway. */
static void fail_copy(struct td_cuda_orchestrator *o, unsigned way, const struct td_orch_run *r,
		      int error)
{
	td_cuda_failed(o->g, error, r->page, way == TD_ORCH_IN ? TD_DEV_COPY_IN : TD_DEV_COPY_OUT);
	td_orch_command(o, TD_DEV_REFUSE, r->page, (uint32_t)-error);
}

static bool is_marked(const struct td_orch_way *w)
{
	return w->marks == w->reached ? w->done == w->sent
				      : w->end[(w->marks - 1) % TD_CUDA_MARKS] == w->sent;
}

static bool send(struct td_cuda_orchestrator *o, unsigned way)
{
	struct td_orch_way *w = &o->way[way];
	size_t n = w->next_n ? join(w) : 0;
	for (size_t i = 0; i < n; i++) {
		*run_at(w, w->sent) = w->next[i];
		int rc = start_copy(o, way, &w->next[i]);
		if (rc) {
			fail_copy(o, way, &w->next[i], rc);
			return true;
		}
		w->sent++;
	}
	if (!is_marked(w) && w->marks - w->reached < TD_CUDA_MARKS - 1 &&
	    !td_cuda_device.stream_mark(w->stream))
		w->end[w->marks++ % TD_CUDA_MARKS] = w->sent;
	return n != 0;
}

static bool hear(struct td_cuda_orchestrator *o, unsigned way)
{
	struct td_orch_way *w = &o->way[way];
	uint64_t reached = w->reached;
	if (w->marks == w->reached)
		return false;
	int rc = td_cuda_device.stream_reached(w->stream, &reached);
	if (rc) {
		fail_copy(o, way, run_at(w, w->done), rc);
		w->marks = w->reached; /* nothing will be heard of these */
		return true;
	}
	bool any = reached != w->reached;
	for (; w->reached != reached; w->reached++) {
		uint64_t end = w->end[w->reached % TD_CUDA_MARKS];
		for (; w->done < end; w->done++)
			end_copy(o, way, run_at(w, w->done));
	}
	return any;
}

/* ---- reads ---- */

static void has_read(struct td_io_request *io)
{
	struct td_orch_read *r = io->arg;
	struct td_cuda_orchestrator *o = r->o;
	uint32_t page = r->page, n = r->n;
	int error = io->result;
	r->next = o->free_reads;
	o->free_reads = r;
	o->reads_n--;
	o->read_pages += error ? 0 : n;
	for (uint32_t i = 0; i < n; i++)
		td_orch_has_read(o, page + i, error, n > 1);
}

static bool goes_along(struct td_cuda_orchestrator *o, const struct td_cuda_array *a, uint32_t page)
{
	return o->reading.head == page && page < a->first_page + a->pages && !o->pages[page].alone;
}

/* The page at the head of the list, and its neighbours behind it. */
static struct td_io_request *make_read(struct td_cuda_orchestrator *o)
{
	struct tide_gpu *g = o->g;
	struct td_orch_read *r = o->free_reads;
	uint32_t page = o->reading.head, most = (uint32_t)(TD_ORCH_READ_BYTES >> g->set.page_shift);
	struct td_cuda_array *a = td_cuda_array_of(g, page);
	o->free_reads = r->next;
	o->reads_n++;
	*r = (struct td_orch_read){.o = o, .page = page};
	do {
		tide_list_remove(&o->reading, td_orch_links(o), page + r->n);
		r->n++;
	} while (r->n < most && !o->pages[page].alone && goes_along(o, a, page + r->n));
	r->io = (struct td_io_request){.file = a->file,
				       .offset = td_cuda_offset_of(g, a, page),
				       .addr = g->control.host_memory +
					       ((uint64_t)page << g->set.page_shift),
				       .bytes = (size_t)r->n << g->set.page_shift,
				       .done = has_read,
				       .arg = r};
	return &r->io;
}

static bool start_reads(struct td_cuda_orchestrator *o)
{
	struct td_io_request *batch[TD_ORCH_READS];
	size_t n = 0;
	while (o->reading.n && o->free_reads)
		batch[n++] = make_read(o);
	if (n)
		td_io_start(o->io, batch, n);
	return n != 0;
}

/* ---- all ---- */

bool td_orch_push(struct td_cuda_orchestrator *o)
{
	bool any = false;
	if (!atomic_load_explicit(&o->ending, memory_order_relaxed))
		any |= start_reads(o);
	if (o->reads_n) {
		unsigned before = o->reads_n;
		td_io_poll(o->io);
		any |= o->reads_n != before;
	}
	for (unsigned way = 0; way < TD_ORCH_WAYS && o->way[way].stream; way++) {
		any |= send(o, way);
		any |= hear(o, way);
	}
	any |= issue(o);
	o->moved = 0;
	return any;
}

/* Until nothing is under way. */
void td_orch_drain(struct td_cuda_orchestrator *o)
{
	td_io_drain(o->io);
	for (unsigned way = 0; way < TD_ORCH_WAYS && o->way[way].stream; way++) {
		struct td_orch_way *w = &o->way[way];
		send(o, way);
		int rc = td_cuda_device.stream_wait(w->stream);
		if (rc && w->done != w->sent)
			fail_copy(o, way, run_at(w, w->done), rc);
		for (; w->done != w->sent && !rc; w->done++)
			end_copy(o, way, run_at(w, w->done));
		hear(o, way);
		w->done = w->sent;
	}
}
