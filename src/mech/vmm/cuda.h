/* What tide uses of the CUDA driver's binary interface: its types, as they lie in memory, and the
 * numbers of its constants. Nothing here needs CUDA's own headers, so the library is built and
 * tested where CUDA is not. A test compares this file with CUDA's header where that is. */
#ifndef TD_VMM_CUDA_H
#define TD_VMM_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int cu_result;
typedef int cu_device;
typedef uint64_t cu_ptr; /* an address of device memory */
typedef uint64_t cu_piece; /* physical memory: CUmemGenericAllocationHandle */
typedef struct cu_context *cu_context;
typedef struct cu_stream *cu_stream;
typedef struct cu_event *cu_event;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function; /* a CUfunction, or a CUkernel in its place */
typedef struct cu_graph *cu_graph;
typedef struct cu_node *cu_node;
typedef struct cu_exec *cu_exec; /* a graph that can be launched */
typedef struct cu_array *cu_array;
typedef struct cu_pool *cu_pool;

enum {
	CU_OK = 0,
	CU_INVALID_VALUE = 1,
	CU_OUT_OF_MEMORY = 2,
	CU_NOT_INITIALIZED = 3,
	CU_INVALID_CONTEXT = 201,
	CU_INVALID_HANDLE = 400,
	CU_NOT_FOUND = 500,
	CU_NOT_READY = 600,
	CU_NOT_SUPPORTED = 801,
	CU_STREAM_CAPTURE_UNSUPPORTED = 900,
	CU_STREAM_CAPTURE_IMPLICIT = 906, /* the default stream, while another one is captured */
};

enum {
	CU_MEMORY_HOST = 1,
	CU_MEMORY_DEVICE = 2,
	CU_MEMORY_ARRAY = 3,
	CU_MEMORY_UNIFIED = 4,
	CU_STREAM_NON_BLOCKING = 1,
	CU_EVENT_DISABLE_TIMING = 2,
	CU_CAPTURE_MODE_RELAXED = 2,
	CU_ATTRIBUTE_VMM = 102,
	CU_ATTRIBUTE_HOST_NUMA_ID = 134,
	CU_ATTRIBUTE_HOST_NUMA_VMM = 141,
	CU_POINTER_CONTEXT = 1,
	CU_POINTER_MEMORY_TYPE = 2,
	CU_POINTER_DEVICE_ADDRESS = 3,
	CU_POINTER_BUFFER = 7,
	CU_POINTER_DEVICE = 9,
	CU_POINTER_RANGE_START = 11,
	CU_POINTER_RANGE_SIZE = 12,
	CU_LOCATION_DEVICE = 1,
	CU_LOCATION_HOST_NUMA = 3,
	CU_ALLOCATION_PINNED = 1,
	CU_ACCESS_READ_WRITE = 3,
	CU_NODE_KERNEL = 0,
	CU_NODE_MEMCPY = 1,
	CU_NODE_MEMSET = 2,
	CU_NODE_HOST = 3,
	CU_NODE_GRAPH = 4,
	CU_NODE_EMPTY = 5,
	CU_NODE_WAIT_EVENT = 6,
	CU_NODE_RECORD_EVENT = 7,
	CU_PROC_PER_THREAD_STREAM = 2, /* a flag of cuGetProcAddress */
	CU_STREAM_LEGACY = 1,          /* streams that are numbers, not addresses */
	CU_STREAM_PER_THREAD = 2,
};

/* The words of `extra`, by which a launch gives its parameters as one buffer. */
#define CU_LAUNCH_END ((void *)0)
#define CU_LAUNCH_BUFFER ((void *)1)
#define CU_LAUNCH_BUFFER_SIZE ((void *)2)

struct cu_location {
	int type, id;
};

struct cu_piece_of {
	int type, handle_types;
	struct cu_location location;
	void *windows;
	unsigned char compression, rdma;
	unsigned short usage;
	unsigned char reserved[4];
};

struct cu_access {
	struct cu_location location;
	int flags;
};

struct cu_copy_2d {
	size_t src_x, src_y;
	int src_type;
	const void *src_host;
	cu_ptr src_device;
	cu_array src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	int dst_type;
	void *dst_host;
	cu_ptr dst_device;
	cu_array dst_array;
	size_t dst_pitch;
	size_t width, height;
};

struct cu_copy_3d {
	size_t src_x, src_y, src_z, src_lod;
	int src_type;
	const void *src_host;
	cu_ptr src_device;
	cu_array src_array;
	void *src_context;
	size_t src_pitch, src_height;
	size_t dst_x, dst_y, dst_z, dst_lod;
	int dst_type;
	void *dst_host;
	cu_ptr dst_device;
	cu_array dst_array;
	void *dst_context;
	size_t dst_pitch, dst_height;
	size_t width, height, depth;
};

struct cu_launch {
	unsigned grid[3], block[3], shared_bytes;
	cu_stream stream;
	void *attributes;
	unsigned attributes_n;
};

struct cu_kernel_node {
	cu_function function; /* NULL: `kernel` is it */
	unsigned grid[3], block[3], shared_bytes;
	void **params, **extra;
	cu_function kernel;
	cu_context context;
};

struct cu_memset_node {
	cu_ptr dst;
	size_t pitch;
	unsigned value, element_bytes;
	size_t width, height;
};

struct cu_instantiate {
	uint64_t flags;
	cu_stream upload;
	cu_node failed;
	int result;
};

/* The functions of the driver that tide itself calls, by the names that libcuda.so.1 exports. */
struct td_cuda {
#define TD_CUDA(name, arguments) cu_result(*name) arguments;
#include "cuda.def"
#undef TD_CUDA
};

#endif
