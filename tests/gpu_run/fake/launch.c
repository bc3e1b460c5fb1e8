/* Launches. Parameters are read when the launch is called, from `params` or from `extra`. */
#include "fake.h"

void fake_run(const struct launched *l)
{
	struct fake_grid grid = {.globals = l->function->globals};
	memcpy(grid.grid, l->grid, sizeof grid.grid);
	memcpy(grid.block, l->block, sizeof grid.block);
	l->function->kernel->run(&grid, l->buffer);
}

static size_t bytes_of(const struct fake_kernel *k)
{
	size_t bytes = 0;
	for (size_t i = 0; i < k->params_n; i++) {
		size_t end = k->params[i].offset + k->params[i].bytes;
		bytes = end > bytes ? end : bytes;
	}
	return bytes;
}

static cu_result read_extra(unsigned char *to, size_t room, void **extra)
{
	const void *buffer = NULL;
	const size_t *bytes = NULL;
	for (; *extra != CU_LAUNCH_END; extra += 2) {
		if (*extra == CU_LAUNCH_BUFFER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_BUFFER_SIZE)
			bytes = extra[1];
		else
			return CU_INVALID_VALUE;
	}
	if (room && (!buffer || !bytes || *bytes < room))
		return CU_INVALID_VALUE;
	if (room)
		memcpy(to, buffer, room);
	return CU_OK;
}

static bool has_size(const unsigned n[3])
{
	return n[0] && n[1] && n[2];
}

/* A function of another image would be a wrong address: nothing here can tell. */
cu_result fake_launched(struct launched *l, const struct cu_kernel_node *from)
{
	cu_function f = from->function ? from->function : from->kernel;
	if (!f)
		return CU_INVALID_HANDLE;
	const struct fake_kernel *k = f->kernel;
	if (!has_size(from->grid) || !has_size(from->block))
		return CU_INVALID_VALUE;
	if (k->params_n && !from->params == !from->extra)
		return CU_INVALID_VALUE;
	*l = (struct launched){
		.function = f, .by_kernel = !from->function, .shared_bytes = from->shared_bytes};
	memcpy(l->grid, from->grid, sizeof l->grid);
	memcpy(l->block, from->block, sizeof l->block);
	l->bytes = bytes_of(k);
	l->buffer = fake_allocate(l->bytes);
	l->params = fake_allocate(k->params_n * sizeof *l->params);
	cu_result result = CU_OK;
	if (from->extra)
		result = read_extra(l->buffer, l->bytes, from->extra);
	for (size_t i = 0; i < k->params_n; i++) {
		l->params[i] = l->buffer + k->params[i].offset;
		if (from->params)
			memcpy(l->params[i], from->params[i], k->params[i].bytes);
	}
	if (result) {
		free(l->buffer);
		free(l->params);
	}
	return result;
}

static cu_result launch(cu_stream s, const struct cu_kernel_node *node)
{
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	if (!s)
		return CU_INVALID_HANDLE;
	struct work w = {.kind = CU_NODE_KERNEL};
	cu_result result = fake_launched(&w.launch, node);
	return result ? result : fake_submit(s, &w, NULL, 0, NULL);
}

#define NODE(function_, params_, extra_) \
	(&(struct cu_kernel_node){.function = function_, \
				  .grid = {grid_x, grid_y, grid_z}, \
				  .block = {block_x, block_y, block_z}, \
				  .shared_bytes = shared_bytes, \
				  .params = params_, \
				  .extra = extra_})

BOTH_SZ(cuLaunchKernel,
	(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
	 unsigned block_y, unsigned block_z, unsigned shared_bytes, cu_stream stream, void **params,
	 void **extra),
	launch(fake_stream(stream, per_thread), NODE(function, params, extra)))
BOTH_SZ(cuLaunchCooperativeKernel,
	(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
	 unsigned block_y, unsigned block_z, unsigned shared_bytes, cu_stream stream,
	 void **params),
	launch(fake_stream(stream, per_thread), NODE(function, params, NULL)))

static cu_result launch_ex(const struct cu_launch *l, cu_function function, void **params,
			   void **extra, bool per_thread)
{
	struct cu_kernel_node node = {
		.function = function,
		.grid = {l->grid[0], l->grid[1], l->grid[2]},
		.block = {l->block[0], l->block[1], l->block[2]},
		.shared_bytes = l->shared_bytes,
		.params = params,
		.extra = extra,
	};
	return launch(fake_stream(l->stream, per_thread), &node);
}

BOTH_SZ(cuLaunchKernelEx,
	(const struct cu_launch *launch, cu_function function, void **params, void **extra),
	launch_ex(launch, function, params, extra, per_thread))
