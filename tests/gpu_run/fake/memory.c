/* Memory: of the device, of the host, managed; and what addresses are. */
#include <stdio.h>
#include <sys/mman.h>

#include "fake.h"

static struct range *ranges;
static size_t used, most, card;

/* ---- with the lock held ---- */

static size_t card_bytes(void)
{
	if (!card) {
		const char *text = getenv("FAKE_CUDA_MEMORY");
		card = text ? strtoull(text, NULL, 10) : (size_t)256 << 20;
	}
	return card;
}

bool fake_device_take(size_t bytes)
{
	if (bytes > card_bytes() - used)
		return false;
	used += bytes;
	most = used > most ? used : most;
	return true;
}

void fake_device_give(size_t bytes)
{
	used -= bytes;
}

struct range *fake_range(cu_ptr at)
{
	struct range *r = ranges;
	while (r && (at < r->at || at - r->at >= r->bytes))
		r = r->next;
	return r;
}

void fake_range_add(cu_ptr at, size_t bytes, enum range_kind kind, cu_context context)
{
	struct range *r = fake_allocate(sizeof *r);
	*r = (struct range){
		.next = ranges, .at = at, .bytes = bytes, .kind = kind, .context = context};
	ranges = r;
}

void fake_range_drop(struct range *r)
{
	struct range **link = &ranges;
	while (*link != r)
		link = &(*link)->next;
	*link = r->next;
	free(r);
}

static size_t rounded(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void drop_memory(struct range *r)
{
	if (r->kind == RANGE_DEVICE)
		fake_device_give(rounded(r->bytes));
	munmap((void *)r->at, rounded(r->bytes));
	fake_range_drop(r);
}

void fake_context_forget(cu_context context)
{
	for (struct range *r = ranges, *next; r; r = next) {
		next = r->next;
		if (r->context == context && r->kind != RANGE_RESERVED)
			drop_memory(r);
	}
}

/* ---- without it ---- */

EXPORT uint64_t fake_cuda_peak(void);
EXPORT uint64_t fake_cuda_device_bytes(void);

uint64_t fake_cuda_peak(void)
{
	pthread_mutex_lock(&fake_lock);
	uint64_t bytes = most;
	pthread_mutex_unlock(&fake_lock);
	return bytes;
}

uint64_t fake_cuda_device_bytes(void)
{
	pthread_mutex_lock(&fake_lock);
	uint64_t bytes = used;
	pthread_mutex_unlock(&fake_lock);
	return bytes;
}

void fake_figures(size_t *used_bytes, size_t *card_size)
{
	pthread_mutex_lock(&fake_lock);
	*card_size = card_bytes();
	*used_bytes = used;
	pthread_mutex_unlock(&fake_lock);
}

bool fake_is_pageable(const void *at)
{
	pthread_mutex_lock(&fake_lock);
	bool known = fake_range((cu_ptr)at) != NULL;
	pthread_mutex_unlock(&fake_lock);
	return !known;
}

bool fake_reaches(cu_ptr at)
{
	return !fake_is_pageable((const void *)at);
}

static cu_result allocate(cu_ptr *at, size_t bytes, enum range_kind kind)
{
	if (!bytes || !at)
		return CU_INVALID_VALUE;
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	if (bytes > SIZE_MAX / 2)
		return CU_OUT_OF_MEMORY;
	pthread_mutex_lock(&fake_lock);
	bool fits = kind != RANGE_DEVICE || fake_device_take(rounded(bytes));
	pthread_mutex_unlock(&fake_lock);
	if (!fits)
		return CU_OUT_OF_MEMORY;
	void *p = mmap(NULL, rounded(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	bool mapped = p != MAP_FAILED;
	if (mapped)
		memset(p, POISON, rounded(bytes));
	pthread_mutex_lock(&fake_lock);
	if (mapped)
		fake_range_add((cu_ptr)p, bytes, kind, fake_context());
	else if (kind == RANGE_DEVICE)
		fake_device_give(rounded(bytes));
	pthread_mutex_unlock(&fake_lock);
	*at = mapped ? (cu_ptr)p : 0;
	return mapped ? CU_OK : CU_OUT_OF_MEMORY;
}

cu_result fake_allocate_device(cu_ptr *at, size_t bytes)
{
	return allocate(at, bytes, RANGE_DEVICE);
}

void fake_free_now(cu_ptr at)
{
	pthread_mutex_lock(&fake_lock);
	struct range *r = fake_range(at);
	if (r && r->at == at)
		drop_memory(r);
	pthread_mutex_unlock(&fake_lock);
}

/* It marks the range, so that nobody else frees it too. */
static bool take_leave(cu_ptr at, bool host)
{
	pthread_mutex_lock(&fake_lock);
	struct range *r = fake_range(at);
	bool fine = r && r->at == at && !r->leaving && r->kind != RANGE_RESERVED &&
		    (r->kind == RANGE_HOST) == host;
	if (fine)
		r->leaving = true;
	pthread_mutex_unlock(&fake_lock);
	return fine;
}

EXPORT cu_result cuMemGetInfo_v2(size_t *free, size_t *total)
{
	ENTER(cuMemGetInfo_v2);
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	size_t in_use;
	fake_figures(&in_use, total);
	*free = *total - in_use;
	return CU_OK;
}

/* Where there is no room, it waits for the frees that are queued. */
static cu_result allocate_patiently(cu_ptr *at, size_t bytes, enum range_kind kind)
{
	cu_result result = allocate(at, bytes, kind);
	if (result != CU_OUT_OF_MEMORY)
		return result;
	fake_wait_all(NULL);
	return allocate(at, bytes, kind);
}

static cu_result allocate_safely(cu_ptr *at, size_t bytes, enum range_kind kind)
{
	cu_result refused = fake_unsafe();
	return refused ? refused : allocate_patiently(at, bytes, kind);
}

static cu_result may_order(cu_stream s)
{
	if (!s)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	cu_result refused = s->capture ? CU_NOT_SUPPORTED : fake_capture_refuses(s);
	pthread_mutex_unlock(&fake_lock);
	return refused;
}

static cu_result allocate_async(cu_ptr *at, size_t bytes, cu_stream s)
{
	cu_result refused = may_order(s);
	return refused ? refused : allocate_patiently(at, bytes, RANGE_DEVICE);
}

EXPORT cu_result cuMemAlloc_v2(cu_ptr *at, size_t bytes)
{
	ENTER(cuMemAlloc_v2);
	return allocate_safely(at, bytes, RANGE_DEVICE);
}

EXPORT cu_result cuMemAllocPitch_v2(cu_ptr *at, size_t *pitch, size_t width, size_t height,
				    unsigned element_bytes)
{
	ENTER(cuMemAllocPitch_v2);
	if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
		return CU_INVALID_VALUE;
	if (!width || !height || width > SIZE_MAX / 2 / height)
		return CU_INVALID_VALUE;
	*pitch = (width + 511) & ~(size_t)511;
	return allocate_safely(at, *pitch * height, RANGE_DEVICE);
}

EXPORT cu_result cuMemFree_v2(cu_ptr at)
{
	ENTER(cuMemFree_v2);
	if (!at)
		return CU_OK;
	cu_result refused = fake_unsafe();
	if (refused)
		return refused;
	if (!take_leave(at, false))
		return CU_INVALID_VALUE;
	fake_wait_all(NULL);
	fake_free_now(at);
	return CU_OK;
}

static cu_result free_async(cu_ptr at, cu_stream s)
{
	cu_result refused = may_order(s);
	if (refused || !at)
		return refused;
	if (!take_leave(at, false))
		return CU_INVALID_VALUE;
	return fake_submit(s, &(struct work){.kind = WORK_FREE, .freed = at}, NULL, 0, NULL);
}

BOTH_SZ(cuMemAllocAsync, (cu_ptr * at, size_t bytes, cu_stream stream),
	allocate_async(at, bytes, fake_stream(stream, per_thread)))
BOTH_SZ(cuMemAllocFromPoolAsync, (cu_ptr * at, size_t bytes, cu_pool pool, cu_stream stream),
	((void)pool, allocate_async(at, bytes, fake_stream(stream, per_thread))))
BOTH_SZ(cuMemFreeAsync, (cu_ptr at, cu_stream stream),
	free_async(at, fake_stream(stream, per_thread)))

EXPORT cu_result cuMemAllocManaged(cu_ptr *at, size_t bytes, unsigned flags)
{
	ENTER(cuMemAllocManaged);
	if (flags != 1 && flags != 2)
		return CU_INVALID_VALUE;
	return allocate_safely(at, bytes, RANGE_MANAGED);
}

EXPORT cu_result cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
	ENTER(cuMemHostAlloc);
	(void)flags;
	cu_ptr p = 0;
	cu_result result = allocate_safely(&p, bytes, RANGE_HOST);
	*at = (void *)p;
	return result;
}

EXPORT cu_result cuMemAllocHost_v2(void **at, size_t bytes)
{
	ENTER(cuMemAllocHost_v2);
	cu_ptr p = 0;
	cu_result result = allocate_safely(&p, bytes, RANGE_HOST);
	*at = (void *)p;
	return result;
}

EXPORT cu_result cuMemFreeHost(void *at)
{
	ENTER(cuMemFreeHost);
	cu_result refused = fake_unsafe();
	if (refused)
		return refused;
	if (!take_leave((cu_ptr)at, true))
		return CU_INVALID_VALUE;
	fake_wait_all(NULL);
	fake_free_now((cu_ptr)at);
	return CU_OK;
}

EXPORT cu_result cuIpcGetMemHandle(void *handle, cu_ptr at)
{
	ENTER(cuIpcGetMemHandle);
	(void)handle, (void)at;
	return CU_NOT_SUPPORTED;
}

/* ---- what an address is ---- */

struct about {
	cu_ptr base;
	size_t bytes;
	enum range_kind kind;
	bool device;
	cu_context context;
};

static bool about(cu_ptr at, struct about *a)
{
	pthread_mutex_lock(&fake_lock);
	struct range *r = fake_range(at);
	bool known = r != NULL;
	if (known)
		*a = (struct about){r->at, r->bytes, r->kind, r->kind != RANGE_HOST, r->context};
	if (known && r->kind == RANGE_RESERVED)
		known = fake_mapping(at, &a->base, &a->bytes, &a->device);
	pthread_mutex_unlock(&fake_lock);
	return known;
}

EXPORT cu_result cuMemGetAddressRange_v2(cu_ptr *base, size_t *bytes, cu_ptr at)
{
	ENTER(cuMemGetAddressRange_v2);
	struct about a;
	if (!about(at, &a))
		return CU_NOT_FOUND;
	if (base)
		*base = a.base;
	if (bytes)
		*bytes = a.bytes;
	return CU_OK;
}

/* The numbers are those of CUpointer_attribute. */
static cu_result attribute_of(void *value, int attribute, cu_ptr at, const struct about *a)
{
	bool on_host = a->kind == RANGE_HOST || a->kind == RANGE_MANAGED;
	switch (attribute) {
	case 1: *(cu_context *)value = a->context; break;
	case CU_POINTER_MEMORY_TYPE:
		*(unsigned *)value = a->device ? CU_MEMORY_DEVICE : CU_MEMORY_HOST;
		break;
	case 3: *(cu_ptr *)value = at; break;
	case 4:
		if (!on_host)
			return CU_INVALID_VALUE;
		*(void **)value = (void *)at;
		break;
	case 6: *(bool *)value = false; break;
	case 7: *(uint64_t *)value = a->base; break;
	case 8: *(bool *)value = a->kind == RANGE_MANAGED; break;
	case 9: *(int *)value = 0; break;
	case 10: *(bool *)value = a->kind == RANGE_DEVICE; break;
	case CU_POINTER_RANGE_START: *(cu_ptr *)value = a->base; break;
	case CU_POINTER_RANGE_SIZE: *(size_t *)value = a->bytes; break;
	case 13: *(bool *)value = true; break;
	case 14: *(uint64_t *)value = 0; break;
	case 15: *(bool *)value = false; break;
	case 17: *(void **)value = NULL; break;
	default: return CU_INVALID_VALUE;
	}
	return CU_OK;
}

EXPORT cu_result cuPointerGetAttribute(void *value, int attribute, cu_ptr at)
{
	ENTER(cuPointerGetAttribute);
	struct about a;
	if (!value || !about(at, &a))
		return CU_INVALID_VALUE;
	return attribute_of(value, attribute, at, &a);
}

static size_t attribute_bytes(int attribute)
{
	switch (attribute) {
	case CU_POINTER_MEMORY_TYPE:
	case 9: return 4;
	case 6:
	case 8:
	case 10:
	case 13:
	case 15: return 1;
	default: return 8;
	}
}

/* Of an address that nobody knows, all are nothing, and that is no error. */
EXPORT cu_result cuPointerGetAttributes(unsigned n, int *attributes, void **values, cu_ptr at)
{
	ENTER(cuPointerGetAttributes);
	struct about a;
	bool known = about(at, &a);
	for (unsigned i = 0; i < n; i++) {
		if (!known || attribute_of(values[i], attributes[i], at, &a))
			memset(values[i], 0, attribute_bytes(attributes[i]));
		if (!known && attributes[i] == 9)
			*(int *)values[i] = -2;
	}
	return CU_OK;
}
