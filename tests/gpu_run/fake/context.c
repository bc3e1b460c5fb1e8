/* The device, its contexts, and what a thread has current. */
#include <stdatomic.h>
#include <stdio.h>

#include "fake.h"

static atomic_bool on;
static cu_context primary;
static _Thread_local cu_context stack[CONTEXTS_DEEP];
static _Thread_local int depth;
static _Thread_local int capture_mode;
static _Thread_local uint64_t thread;

bool fake_on(void)
{
	return atomic_load(&on);
}

cu_context fake_context(void)
{
	return depth ? stack[depth - 1] : NULL;
}

uint64_t fake_thread(void)
{
	static atomic_ulong threads;
	if (!thread)
		thread = atomic_fetch_add(&threads, 1) + 1;
	return thread;
}

int *fake_capture_mode(void)
{
	return &capture_mode;
}

/* With the lock held. */
static cu_context make_context(void)
{
	cu_context c = fake_make(MADE_CONTEXT, sizeof *c);
	c->legacy = fake_stream_make(c, 0);
	c->legacy->legacy = true;
	return c;
}

EXPORT cu_result cuInit(unsigned flags)
{
	ENTER(cuInit);
	if (flags)
		return CU_INVALID_VALUE;
	atomic_store(&on, true);
	return CU_OK;
}

EXPORT cu_result cuDriverGetVersion(int *version)
{
	ENTER(cuDriverGetVersion);
	*version = 13000;
	return CU_OK;
}

EXPORT cu_result cuDeviceGet(cu_device *device, int ordinal)
{
	ENTER(cuDeviceGet);
	if (ordinal)
		return FAKE_INVALID_DEVICE;
	*device = 0;
	return CU_OK;
}

EXPORT cu_result cuDeviceGetCount(int *count)
{
	ENTER(cuDeviceGetCount);
	*count = 1;
	return CU_OK;
}

EXPORT cu_result cuDeviceGetName(char *name, int room, cu_device device)
{
	ENTER(cuDeviceGetName);
	if (device || room <= 0)
		return CU_INVALID_VALUE;
	snprintf(name, (size_t)room, "fake");
	return CU_OK;
}

EXPORT cu_result cuDeviceGetAttribute(int *value, int attribute, cu_device device)
{
	ENTER(cuDeviceGetAttribute);
	if (device)
		return FAKE_INVALID_DEVICE;
	switch (attribute) {
	case CU_ATTRIBUTE_VMM:
	case CU_ATTRIBUTE_HOST_NUMA_VMM: *value = 1; break;
	case CU_ATTRIBUTE_HOST_NUMA_ID: *value = 0; break;
	case 75: *value = 9; break; /* compute capability 9.0 */
	case 76: *value = 0; break;
	case 16: *value = 4; break;    /* multiprocessors */
	case 39: *value = 2048; break; /* their threads */
	case 1: *value = 1024; break;  /* threads of a block */
	case 41: *value = 1; break;    /* unified addressing */
	default: *value = 0;
	}
	return CU_OK;
}

EXPORT cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
	ENTER(cuDeviceTotalMem_v2);
	if (device)
		return FAKE_INVALID_DEVICE;
	size_t used;
	fake_figures(&used, bytes);
	return CU_OK;
}

EXPORT cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
	ENTER(cuDevicePrimaryCtxRetain);
	if (device)
		return FAKE_INVALID_DEVICE;
	pthread_mutex_lock(&fake_lock);
	if (!primary) {
		primary = make_context();
		primary->primary = true;
	}
	*context = primary;
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

/* The primary context stays, as if somebody else had it too. */
EXPORT cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
	ENTER(cuDevicePrimaryCtxRelease_v2);
	return device ? FAKE_INVALID_DEVICE : CU_OK;
}

static cu_result push(cu_context context)
{
	if (depth == CONTEXTS_DEEP)
		return CU_INVALID_VALUE;
	stack[depth++] = context;
	return CU_OK;
}

EXPORT cu_result cuCtxCreate_v2(cu_context *context, unsigned flags, cu_device device)
{
	ENTER(cuCtxCreate_v2);
	(void)flags;
	if (device)
		return FAKE_INVALID_DEVICE;
	pthread_mutex_lock(&fake_lock);
	*context = make_context();
	pthread_mutex_unlock(&fake_lock);
	return push(*context);
}

/* Waits for its work; its memory and its streams go. */
EXPORT cu_result cuCtxDestroy_v2(cu_context context)
{
	ENTER(cuCtxDestroy_v2);
	if (!fake_is(context, MADE_CONTEXT) || context->primary)
		return CU_INVALID_CONTEXT;
	fake_wait_all(context);
	pthread_mutex_lock(&fake_lock);
	fake_context_forget(context);
	for (cu_stream s = fake_streams; s; s = s->next)
		if (s->context == context)
			s->closed = true;
	pthread_cond_broadcast(&fake_progress);
	pthread_mutex_unlock(&fake_lock);
	if (fake_context() == context)
		depth--;
	return CU_OK;
}

EXPORT cu_result cuCtxPushCurrent_v2(cu_context context)
{
	ENTER(cuCtxPushCurrent_v2);
	return fake_is(context, MADE_CONTEXT) ? push(context) : CU_INVALID_CONTEXT;
}

EXPORT cu_result cuCtxPopCurrent_v2(cu_context *context)
{
	ENTER(cuCtxPopCurrent_v2);
	if (!depth)
		return CU_INVALID_CONTEXT;
	depth--;
	if (context)
		*context = stack[depth];
	return CU_OK;
}

EXPORT cu_result cuCtxGetCurrent(cu_context *context)
{
	ENTER(cuCtxGetCurrent);
	*context = fake_context();
	return CU_OK;
}

EXPORT cu_result cuCtxSetCurrent(cu_context context)
{
	ENTER(cuCtxSetCurrent);
	if (context && !fake_is(context, MADE_CONTEXT))
		return CU_INVALID_CONTEXT;
	depth -= depth > 0;
	return context ? push(context) : CU_OK;
}

EXPORT cu_result cuCtxGetDevice(cu_device *device)
{
	ENTER(cuCtxGetDevice);
	*device = 0;
	return fake_context() ? CU_OK : CU_INVALID_CONTEXT;
}

EXPORT cu_result cuCtxSynchronize(void)
{
	ENTER(cuCtxSynchronize);
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	cu_result refused = fake_unsafe();
	if (!refused)
		fake_wait_all(fake_context());
	return refused;
}

static const struct error {
	cu_result code;
	const char *name, *text;
} errors[] = {
	{CU_OK, "CUDA_SUCCESS", "no error"},
	{CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{FAKE_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{FAKE_NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no binary for the GPU"},
	{CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{CU_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
	{CU_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{CU_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
	 "operation not permitted when stream is capturing"},
	{FAKE_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
	 "an earlier call ended the capture"},
};

static const struct error *error_of(cu_result code)
{
	for (size_t i = 0; i < LENGTH(errors); i++)
		if (errors[i].code == code)
			return &errors[i];
	return NULL;
}

EXPORT cu_result cuGetErrorName(cu_result code, const char **text)
{
	ENTER(cuGetErrorName);
	const struct error *e = error_of(code);
	*text = e ? e->name : NULL;
	return e ? CU_OK : CU_INVALID_VALUE;
}

EXPORT cu_result cuGetErrorString(cu_result code, const char **text)
{
	ENTER(cuGetErrorString);
	const struct error *e = error_of(code);
	*text = e ? e->text : NULL;
	return e ? CU_OK : CU_INVALID_VALUE;
}
