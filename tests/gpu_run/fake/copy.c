/* The functions that copy and set memory. All copies become copies of three dimensions. */
#include "fake.h"

static cu_result submit(cu_stream s, struct work *w, bool wait)
{
	return wait ? fake_submit_and_wait(s, w) : fake_submit(s, w, NULL, 0, NULL);
}

static bool captures(cu_stream s)
{
	pthread_mutex_lock(&fake_lock);
	bool is = s && s->capture;
	pthread_mutex_unlock(&fake_lock);
	return is;
}

static bool is_end(int type, const void *host, cu_ptr device)
{
	switch (type) {
	case CU_MEMORY_HOST: return host != NULL;
	case CU_MEMORY_DEVICE: return fake_reaches(device);
	case CU_MEMORY_UNIFIED: return device != 0;
	default: return false;
	}
}

static const void *source_base(const struct cu_copy_3d *c)
{
	return c->src_type == CU_MEMORY_HOST ? c->src_host : (const void *)c->src_device;
}

static const void *target_base(const struct cu_copy_3d *c)
{
	return c->dst_type == CU_MEMORY_HOST ? c->dst_host : (const void *)c->dst_device;
}

/* Pageable memory is read before the call returns, by a copy of it. */
static void stage(struct work *w)
{
	struct cu_copy_3d *c = &w->copy;
	w->staged = fake_allocate(c->width);
	memcpy(w->staged, (const char *)source_base(c) + c->src_x, c->width);
	c->src_type = CU_MEMORY_HOST;
	c->src_host = w->staged;
	c->src_x = 0;
}

/* `sync`: the call waits, but for what is only on the device. An asynchronous copy waits where it
 * writes pageable memory. */
static cu_result copy_3d(cu_stream s, const struct cu_copy_3d *c, bool sync)
{
	if (!s)
		return fake_context() ? CU_INVALID_HANDLE : CU_INVALID_CONTEXT;
	if (!is_end(c->src_type, c->src_host, c->src_device) ||
	    !is_end(c->dst_type, c->dst_host, c->dst_device))
		return CU_INVALID_VALUE;
	bool captured = captures(s);
	if (sync && captured)
		return CU_STREAM_CAPTURE_UNSUPPORTED;
	if (sync) {
		cu_result refused = fake_unsafe();
		if (refused)
			return refused;
	}
	struct work w = {.kind = CU_NODE_MEMCPY, .copy = *c};
	if (captured)
		return submit(s, &w, false);
	bool from_pageable = fake_is_pageable(source_base(c)),
	     to_pageable = fake_is_pageable(target_base(c));
	bool plain = c->height == 1 && c->depth == 1 && !c->src_y && !c->src_z;
	bool wait = to_pageable || (from_pageable && !plain);
	if (sync)
		wait = c->src_type != CU_MEMORY_DEVICE || c->dst_type != CU_MEMORY_DEVICE;
	if (!wait && from_pageable)
		stage(&w);
	return submit(s, &w, wait);
}

static cu_result copy_1d(cu_stream s, int to_type, cu_ptr to, int from_type, cu_ptr from,
			 size_t bytes, bool sync)
{
	if (!bytes)
		return s ? CU_OK : CU_INVALID_HANDLE;
	struct cu_copy_3d c = {.src_type = from_type,
			       .dst_type = to_type,
			       .width = bytes,
			       .height = 1,
			       .depth = 1};
	if (from_type == CU_MEMORY_HOST)
		c.src_host = (const void *)from;
	else
		c.src_device = from;
	if (to_type == CU_MEMORY_HOST)
		c.dst_host = (void *)to;
	else
		c.dst_device = to;
	return copy_3d(s, &c, sync);
}

static cu_result copy_2d(cu_stream s, const struct cu_copy_2d *c, bool sync)
{
	struct cu_copy_3d all = {
		.src_x = c->src_x,
		.src_y = c->src_y,
		.src_type = c->src_type,
		.src_host = c->src_host,
		.src_device = c->src_device,
		.src_pitch = c->src_pitch ? c->src_pitch : c->width,
		.dst_x = c->dst_x,
		.dst_y = c->dst_y,
		.dst_type = c->dst_type,
		.dst_host = c->dst_host,
		.dst_device = c->dst_device,
		.dst_pitch = c->dst_pitch ? c->dst_pitch : c->width,
		.width = c->width,
		.height = c->height,
		.depth = 1,
	};
	return copy_3d(s, &all, sync);
}

/* Each copy of it stands alone, as the program asks for no order between them. */
static cu_result copy_batch(cu_stream s, const cu_ptr *to, const cu_ptr *from, const size_t *bytes,
			    size_t n)
{
	cu_result result = n && s && !s->legacy ? CU_OK : CU_INVALID_VALUE;
	for (size_t i = 0; i < n && !result; i++)
		result = copy_1d(s, CU_MEMORY_UNIFIED, to[i], CU_MEMORY_UNIFIED, from[i], bytes[i],
				 false);
	return result;
}

#define HOST CU_MEMORY_HOST
#define DEVICE CU_MEMORY_DEVICE
#define ANY CU_MEMORY_UNIFIED
#define DEFAULT fake_stream(NULL, per_thread)
#define NAMED fake_stream(stream, per_thread)

BOTH_DS(cuMemcpy, (cu_ptr to, cu_ptr from, size_t bytes),
	copy_1d(DEFAULT, ANY, to, ANY, from, bytes, true))
BOTH_DS(cuMemcpyHtoD_v2, (cu_ptr to, const void *from, size_t bytes),
	copy_1d(DEFAULT, DEVICE, to, HOST, (cu_ptr)from, bytes, true))
BOTH_DS(cuMemcpyDtoH_v2, (void *to, cu_ptr from, size_t bytes),
	copy_1d(DEFAULT, HOST, (cu_ptr)to, DEVICE, from, bytes, true))
BOTH_DS(cuMemcpyDtoD_v2, (cu_ptr to, cu_ptr from, size_t bytes),
	copy_1d(DEFAULT, DEVICE, to, DEVICE, from, bytes, true))
BOTH_DS(cuMemcpy2D_v2, (const struct cu_copy_2d *copy), copy_2d(DEFAULT, copy, true))
BOTH_DS(cuMemcpy2DUnaligned_v2, (const struct cu_copy_2d *copy), copy_2d(DEFAULT, copy, true))
BOTH_DS(cuMemcpy3D_v2, (const struct cu_copy_3d *copy), copy_3d(DEFAULT, copy, true))
BOTH_SZ(cuMemcpyAsync, (cu_ptr to, cu_ptr from, size_t bytes, cu_stream stream),
	copy_1d(NAMED, ANY, to, ANY, from, bytes, false))
BOTH_SZ(cuMemcpyHtoDAsync_v2, (cu_ptr to, const void *from, size_t bytes, cu_stream stream),
	copy_1d(NAMED, DEVICE, to, HOST, (cu_ptr)from, bytes, false))
BOTH_SZ(cuMemcpyDtoHAsync_v2, (void *to, cu_ptr from, size_t bytes, cu_stream stream),
	copy_1d(NAMED, HOST, (cu_ptr)to, DEVICE, from, bytes, false))
BOTH_SZ(cuMemcpyDtoDAsync_v2, (cu_ptr to, cu_ptr from, size_t bytes, cu_stream stream),
	copy_1d(NAMED, DEVICE, to, DEVICE, from, bytes, false))
BOTH_SZ(cuMemcpy2DAsync_v2, (const struct cu_copy_2d *copy, cu_stream stream),
	copy_2d(NAMED, copy, false))
BOTH_SZ(cuMemcpy3DAsync_v2, (const struct cu_copy_3d *copy, cu_stream stream),
	copy_3d(NAMED, copy, false))
BOTH_SZ(cuMemcpyBatchAsync_v2,
	(cu_ptr * to, cu_ptr *from, size_t *bytes, size_t n, void *attributes, size_t *first_of,
	 size_t attributes_n, cu_stream stream),
	((void)attributes, (void)first_of, (void)attributes_n,
	 copy_batch(NAMED, to, from, bytes, n)))

/* Sets are asynchronous in all forms, as they write the device's memory. */
static cu_result set(cu_stream s, cu_ptr at, size_t pitch, unsigned value, unsigned element_bytes,
		     size_t width, size_t height, bool sync)
{
	if (!s)
		return fake_context() ? CU_INVALID_HANDLE : CU_INVALID_CONTEXT;
	if (!width || !height)
		return CU_OK;
	if (!fake_reaches(at) || at % element_bytes)
		return CU_INVALID_VALUE;
	cu_result refused = sync ? fake_unsafe() : CU_OK;
	if (refused)
		return refused;
	struct work w = {.kind = CU_NODE_MEMSET,
			 .set = {at, pitch, value, element_bytes, width, height}};
	return submit(s, &w, false);
}

#define SET_FUNCTIONS(bits, type) \
	BOTH_DS(cuMemsetD##bits##_v2, (cu_ptr at, type value, size_t n), \
		set(DEFAULT, at, 0, value, bits / 8, n, 1, true)) \
	BOTH_DS(cuMemsetD2D##bits##_v2, \
		(cu_ptr at, size_t pitch, type value, size_t width, size_t height), \
		set(DEFAULT, at, pitch, value, bits / 8, width, height, true)) \
	BOTH_SZ(cuMemsetD##bits##Async, (cu_ptr at, type value, size_t n, cu_stream stream), \
		set(NAMED, at, 0, value, bits / 8, n, 1, false)) \
	BOTH_SZ(cuMemsetD2D##bits##Async, \
		(cu_ptr at, size_t pitch, type value, size_t width, size_t height, \
		 cu_stream stream), \
		set(NAMED, at, pitch, value, bits / 8, width, height, false))

SET_FUNCTIONS(8, unsigned char)
SET_FUNCTIONS(16, unsigned short)
SET_FUNCTIONS(32, unsigned)
