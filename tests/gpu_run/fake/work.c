/* What a stream does: launches, copies, sets, calls of the host, frees. */
#include <time.h>

#include "fake.h"

/* ---- copies ---- */

static char *source_of(const struct cu_copy_3d *c, size_t y, size_t z)
{
	const char *base =
		c->src_type == CU_MEMORY_HOST ? c->src_host : (const char *)c->src_device;
	size_t height = c->src_height ? c->src_height : c->height;
	return (char *)base + c->src_x + (c->src_y + y + (c->src_z + z) * height) * c->src_pitch;
}

static char *target_of(const struct cu_copy_3d *c, size_t y, size_t z)
{
	char *base = c->dst_type == CU_MEMORY_HOST ? c->dst_host : (char *)c->dst_device;
	size_t height = c->dst_height ? c->dst_height : c->height;
	return base + c->dst_x + (c->dst_y + y + (c->dst_z + z) * height) * c->dst_pitch;
}

static void run_copy(const struct cu_copy_3d *c)
{
	for (size_t z = 0; z < c->depth; z++)
		for (size_t y = 0; y < c->height; y++)
			memmove(target_of(c, y, z), source_of(c, y, z), c->width);
}

static void run_set(const struct cu_memset_node *s)
{
	for (size_t y = 0; y < s->height; y++) {
		char *row = (char *)s->dst + y * s->pitch;
		for (size_t x = 0; x < s->width; x++)
			memcpy(row + x * s->element_bytes, &s->value, s->element_bytes);
	}
}

static void run_stamp(struct stamp *s)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&fake_lock);
	s->ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	pthread_mutex_unlock(&fake_lock);
}

void fake_work_run(const struct work *w)
{
	switch (w->kind) {
	case CU_NODE_KERNEL: fake_run(&w->launch); break;
	case CU_NODE_MEMCPY: run_copy(&w->copy); break;
	case CU_NODE_MEMSET: run_set(&w->set); break;
	case CU_NODE_HOST: w->host.call(w->host.data); break;
	case CU_NODE_GRAPH: fake_graph_run(w->child); break;
	case WORK_FREE: fake_free_now(w->freed); break;
	case WORK_STAMP: run_stamp(w->stamp); break;
	}
}

void fake_work_clear(struct work *w)
{
	if (w->kind == CU_NODE_KERNEL) {
		free(w->launch.buffer);
		free(w->launch.params);
	}
	if (w->kind == CU_NODE_GRAPH)
		fake_graph_drop(w->child);
	if (w->kind == WORK_STAMP) {
		pthread_mutex_lock(&fake_lock);
		fake_stamp_drop(w->stamp);
		pthread_mutex_unlock(&fake_lock);
	}
	free(w->staged);
	*w = (struct work){.kind = CU_NODE_EMPTY};
}

static void copy_launched(struct launched *to, const struct launched *from)
{
	size_t n = from->function->kernel->params_n;
	to->buffer = fake_allocate(from->bytes);
	to->params = fake_allocate(n * sizeof *to->params);
	memcpy(to->buffer, from->buffer, from->bytes);
	for (size_t i = 0; i < n; i++)
		to->params[i] = to->buffer + from->function->kernel->params[i].offset;
}

/* Works of graphs: nothing of theirs is staged. */
void fake_work_copy(struct work *to, const struct work *from)
{
	*to = *from;
	if (from->kind == CU_NODE_KERNEL)
		copy_launched(&to->launch, &from->launch);
	if (from->kind == CU_NODE_GRAPH)
		to->child = fake_graph_copy(from->child);
}
