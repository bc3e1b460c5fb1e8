/* A step: as a call, as a node of a graph, and done to the shadow. */
#include <string.h>

#include "random.h"

static cu_ptr address(const struct span *s)
{
	return s->buffer->at + s->at;
}

static unsigned char *shadow(const struct span *s)
{
	return s->buffer->shadow + s->at;
}

/* ---- the shadow ---- */

static void shadow_kernel(const struct step *s)
{
	const uint64_t *in[INPUTS];
	uint64_t words[INPUTS];
	for (int i = 0; i < s->inputs; i++) {
		in[i] = (const uint64_t *)shadow(&s->in[i]);
		words[i] = s->in[i].bytes / 8;
	}
	random_mix((uint64_t *)shadow(&s->out), s->out.bytes / 8, in, words, s->inputs, s->salt);
}

static void shadow_set(const struct step *s)
{
	for (size_t y = 0; y < s->rows; y++)
		for (size_t x = 0; x < s->width; x++)
			memcpy(shadow(&s->out) + y * s->out_pitch + x * s->element_bytes, &s->salt,
			       s->element_bytes);
}

void random_step_shadow(const struct step *s)
{
	if (s->kind == STEP_KERNEL)
		shadow_kernel(s);
	else if (s->kind == STEP_SET)
		shadow_set(s);
	else
		for (size_t y = 0; y < s->rows; y++)
			memcpy(shadow(&s->out) + y * s->out_pitch,
			       shadow(&s->in[0]) + y * s->in_pitch, s->width);
}

/* ---- kernels ---- */

static void fill_struct(const struct step *s, struct mix_struct *all)
{
	*all = (struct mix_struct){.inputs = (uint32_t)s->inputs,
				   .out = address(&s->out),
				   .words = s->out.bytes / 8,
				   .salt = s->salt};
	for (int i = 0; i < s->inputs; i++) {
		all->in[i].at = address(&s->in[i]);
		all->in[i].words = s->in[i].bytes / 8;
	}
}

/* What is in a table is what is in the struct, from the output on. */
void random_step_upload(struct thread *t, int lane, const struct step *s)
{
	if (!s->table)
		return;
	struct mix_struct all;
	fill_struct(s, &all);
	random_writes(t, lane, s->table, false);
	ON(t, lane, cuMemcpyHtoDAsync_v2, s->table->at, &all.out, 16 + sizeof all.in,
	   t->lanes[lane].stream);
	random_writes(t, lane, s->table, true);
}

static int kernel_of(const struct step *s)
{
	switch (s->form) {
	case FORM_TABLE: return KERNEL_TABLE;
	case FORM_PARAMS:
	case FORM_EXTRA: return KERNEL_MIX;
	default: return KERNEL_STRUCT;
	}
}

/* `params` has room for five. */
void random_kernel_node(const struct step *s, struct cu_kernel_node *node, struct mix_struct *all,
			void **params)
{
	int kernel = kernel_of(s);
	fill_struct(s, all);
	*node = (struct cu_kernel_node){.function = random_functions[kernel],
					.grid = {4, 1, 1},
					.block = {32, 1, 1},
					.params = params};
	if (s->form == FORM_KERNEL)
		node->function = random_kernels[kernel];
	params[0] = all;
	if (kernel == KERNEL_MIX) {
		void *five[] = {&all->out, &all->words, &all->in[0].at, &all->in[0].words,
				&all->salt};
		memcpy(params, five, sizeof five);
	}
	if (kernel == KERNEL_TABLE) {
		params[0] = &s->table->at;
		params[1] = &all->inputs;
		params[2] = &all->salt;
	}
}

static void launch_extra(struct thread *t, int lane, const struct cu_kernel_node *n)
{
	uint64_t buffer[5];
	size_t bytes = sizeof buffer;
	for (int i = 0; i < 5; i++)
		memcpy(&buffer[i], n->params[i], 8);
	void *extra[] = {CU_LAUNCH_BUFFER, buffer, CU_LAUNCH_BUFFER_SIZE, &bytes, CU_LAUNCH_END};
	ON(t, lane, cuLaunchKernel, n->function, 4, 1, 1, 32, 1, 1, 0, t->lanes[lane].stream, NULL,
	   extra);
}

static void issue_kernel(struct thread *t, int lane, const struct step *s)
{
	struct cu_kernel_node n;
	struct mix_struct all;
	void *params[5];
	cu_stream stream = t->lanes[lane].stream;
	random_kernel_node(s, &n, &all, params);
	struct cu_launch ex = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .stream = stream};
	if (s->form == FORM_EXTRA)
		launch_extra(t, lane, &n);
	else if (s->form == FORM_EX)
		ON(t, lane, cuLaunchKernelEx, &ex, n.function, params, NULL);
	else if (s->form == FORM_COOPERATIVE)
		ON(t, lane, cuLaunchCooperativeKernel, n.function, 4, 1, 1, 32, 1, 1, 0, stream,
		   params);
	else
		ON(t, lane, cuLaunchKernel, n.function, 4, 1, 1, 32, 1, 1, 0, stream, params, NULL);
}

/* ---- copies ---- */

static bool on_host(const struct buffer *b)
{
	return b->kind == BUFFER_PAGEABLE || b->kind == BUFFER_PINNED;
}

static int type_of(const struct buffer *b)
{
	return on_host(b) ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
}

static struct cu_copy_3d copy_of(const struct step *s)
{
	cu_ptr to = address(&s->out), from = address(&s->in[0]);
	return (struct cu_copy_3d){
		.src_type = type_of(s->in[0].buffer),
		.src_host = (const void *)from,
		.src_device = from,
		.src_pitch = s->in_pitch,
		.src_height = s->rows,
		.dst_type = type_of(s->out.buffer),
		.dst_host = (void *)to,
		.dst_device = to,
		.dst_pitch = s->out_pitch,
		.dst_height = s->rows,
		.width = s->width,
		.height = s->rows,
		.depth = 1,
	};
}

static void copy_2d(struct thread *t, int lane, const struct step *s)
{
	struct cu_copy_3d all = copy_of(s);
	struct cu_copy_2d c = {
		.src_type = all.src_type,
		.src_host = all.src_host,
		.src_device = all.src_device,
		.src_pitch = all.src_pitch,
		.dst_type = all.dst_type,
		.dst_host = all.dst_host,
		.dst_device = all.dst_device,
		.dst_pitch = all.dst_pitch,
		.width = s->width,
		.height = s->rows,
	};
	ON(t, lane, cuMemcpy2DAsync_v2, &c, t->lanes[lane].stream);
}

static void copy_typed(struct thread *t, int lane, const struct step *s)
{
	cu_ptr to = address(&s->out), from = address(&s->in[0]);
	cu_stream stream = t->lanes[lane].stream;
	bool to_host = on_host(s->out.buffer), from_host = on_host(s->in[0].buffer);
	if (to_host && from_host)
		ON(t, lane, cuMemcpyAsync, to, from, s->width, stream);
	else if (to_host)
		ON(t, lane, cuMemcpyDtoHAsync_v2, (void *)to, from, s->width, stream);
	else if (from_host)
		ON(t, lane, cuMemcpyHtoDAsync_v2, to, (const void *)from, s->width, stream);
	else
		ON(t, lane, cuMemcpyDtoDAsync_v2, to, from, s->width, stream);
}

static void copy_unified(bool own, cu_ptr to, cu_ptr from, size_t bytes)
{
	if (own)
		MUST(cuMemcpy_ptds(to, from, bytes));
	else
		MUST(cuMemcpy(to, from, bytes));
}

/* In the default stream, of the device or of the thread. */
static void copy_sync(const struct thread *t, int lane, const struct step *s)
{
	cu_ptr to = address(&s->out), from = address(&s->in[0]);
	bool to_host = on_host(s->out.buffer), from_host = on_host(s->in[0].buffer);
	bool own = t->lanes[lane].kind == LANE_PER_THREAD;
	if (s->form == COPY_SYNC_ANY || (to_host && from_host))
		copy_unified(own, to, from, s->width);
	else if (to_host && own)
		MUST(cuMemcpyDtoH_v2_ptds((void *)to, from, s->width));
	else if (to_host)
		MUST(cuMemcpyDtoH_v2((void *)to, from, s->width));
	else if (from_host && own)
		MUST(cuMemcpyHtoD_v2_ptds(to, (const void *)from, s->width));
	else if (from_host)
		MUST(cuMemcpyHtoD_v2(to, (const void *)from, s->width));
	else if (own)
		MUST(cuMemcpyDtoD_v2_ptds(to, from, s->width));
	else
		MUST(cuMemcpyDtoD_v2(to, from, s->width));
}

/* Two halves; it is refused in the legacy default stream. */
static void copy_batch(struct thread *t, int lane, const struct step *s)
{
	size_t half = s->width / 2;
	cu_ptr to[] = {address(&s->out), address(&s->out) + half};
	cu_ptr from[] = {address(&s->in[0]), address(&s->in[0]) + half};
	size_t bytes[] = {half, s->width - half}, first = 0;
	struct {
		int order;
		struct cu_location from, to;
		unsigned flags;
	} attributes = {.order = 1};
	ON(t, lane, cuMemcpyBatchAsync_v2, to, from, bytes, 2, &attributes, &first, 1,
	   t->lanes[lane].stream);
}

static void issue_copy(struct thread *t, int lane, const struct step *s)
{
	struct cu_copy_3d all = copy_of(s);
	switch (s->form) {
	case COPY_ANY:
		ON(t, lane, cuMemcpyAsync, address(&s->out), address(&s->in[0]), s->width,
		   t->lanes[lane].stream);
		break;
	case COPY_2D: copy_2d(t, lane, s); break;
	case COPY_3D: ON(t, lane, cuMemcpy3DAsync_v2, &all, t->lanes[lane].stream); break;
	case COPY_SYNC:
	case COPY_SYNC_ANY: copy_sync(t, lane, s); break;
	case COPY_BATCH:
		if (t->lanes[lane].kind != LANE_LEGACY) {
			copy_batch(t, lane, s);
			break;
		} /* fall through */
	default: copy_typed(t, lane, s);
	}
}

int random_step_lane(const struct step *s, int lane)
{
	bool sync = s->kind == STEP_COPY && (s->form == COPY_SYNC || s->form == COPY_SYNC_ANY);
	return sync ? lane % 2 : lane;
}

/* ---- sets ---- */

static void issue_set(struct thread *t, int lane, const struct step *s)
{
	cu_ptr at = address(&s->out);
	cu_stream stream = t->lanes[lane].stream;
	if (s->rows > 1 && s->element_bytes == 1)
		ON(t, lane, cuMemsetD2D8Async, at, s->out_pitch, (unsigned char)s->salt, s->width,
		   s->rows, stream);
	else if (s->rows > 1 && s->element_bytes == 2)
		ON(t, lane, cuMemsetD2D16Async, at, s->out_pitch, (unsigned short)s->salt, s->width,
		   s->rows, stream);
	else if (s->rows > 1)
		ON(t, lane, cuMemsetD2D32Async, at, s->out_pitch, (unsigned)s->salt, s->width,
		   s->rows, stream);
	else if (s->element_bytes == 1 && !s->form && !lane)
		MUST(cuMemsetD8_v2(at, (unsigned char)s->salt, s->width));
	else if (s->element_bytes == 4 && !s->form && lane == 1)
		MUST(cuMemsetD32_v2_ptds(at, (unsigned)s->salt, s->width));
	else if (s->element_bytes == 1)
		ON(t, lane, cuMemsetD8Async, at, (unsigned char)s->salt, s->width, stream);
	else if (s->element_bytes == 2)
		ON(t, lane, cuMemsetD16Async, at, (unsigned short)s->salt, s->width, stream);
	else
		ON(t, lane, cuMemsetD32Async, at, (unsigned)s->salt, s->width, stream);
}

void random_step_issue(struct thread *t, int lane, const struct step *s)
{
	if (s->kind == STEP_KERNEL)
		issue_kernel(t, lane, s);
	else if (s->kind == STEP_COPY)
		issue_copy(t, lane, s);
	else
		issue_set(t, lane, s);
}

/* ---- nodes ---- */

cu_node random_step_node(cu_graph graph, cu_node before, const struct step *s)
{
	cu_node node;
	size_t n = before ? 1 : 0;
	struct cu_kernel_node kernel;
	struct mix_struct all;
	void *params[5];
	struct cu_copy_3d copy =
		copy_of(s->kind == STEP_COPY ? s : &(struct step){.out = s->out, .in = {s->out}});
	struct cu_memset_node set = {address(&s->out), s->out_pitch, (unsigned)s->salt,
				     s->element_bytes, s->width,     s->rows};
	if (s->kind == STEP_KERNEL) {
		random_kernel_node(s, &kernel, &all, params);
		if (s->form == FORM_KERNEL) {
			kernel.kernel = kernel.function;
			kernel.function = NULL;
		}
		MUST(cuGraphAddKernelNode_v2(&node, graph, &before, n, &kernel));
	} else if (s->kind == STEP_COPY) {
		MUST(cuGraphAddMemcpyNode(&node, graph, &before, n, &copy, NULL));
	} else {
		MUST(cuGraphAddMemsetNode(&node, graph, &before, n, &set, NULL));
	}
	return node;
}
