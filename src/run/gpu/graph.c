/* Graphs. What the nodes of a graph name is found once, when it is made ready to launch. A graph
 * whose nodes are changed after that is taken to touch everything. */
#include <pthread.h>
#include <stdlib.h>

#include "preload.h"

struct exec {
	struct exec *next;
	cu_exec handle;
	bool everything, strays;
	uint32_t n;
	struct td_vmm_name *names;
};

static struct exec *execs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what nodes name ---- */

static void name_kernel(struct td_vmm_work *w, cu_node node)
{
	struct cu_kernel_node k;
	if (td_gpu_cuda.cuGraphKernelNodeGetParams_v2(node, &k)) {
		w->everything = true;
		return;
	}
	td_gpu_name_params(w, td_gpu_kernel(k.function ? k.function : k.kernel), k.params, k.extra);
}

static void name_copy(struct td_vmm_work *w, cu_node node)
{
	struct cu_copy_3d c;
	if (td_gpu_cuda.cuGraphMemcpyNodeGetParams(node, &c)) {
		w->everything = true;
		return;
	}
	td_gpu_name_word(w, c.src_device);
	td_gpu_name_word(w, c.dst_device);
	td_gpu_name_word(w, (uint64_t)(uintptr_t)c.src_host);
	td_gpu_name_word(w, (uint64_t)(uintptr_t)c.dst_host);
}

static void name_set(struct td_vmm_work *w, cu_node node)
{
	struct cu_memset_node m;
	if (td_gpu_cuda.cuGraphMemsetNodeGetParams(node, &m))
		w->everything = true;
	else
		td_gpu_name_word(w, m.dst);
}

static void name_child(struct td_vmm_work *w, cu_node node)
{
	cu_graph child;
	if (td_gpu_cuda.cuGraphChildGraphNodeGetGraph(node, &child))
		w->everything = true;
	else
		td_gpu_name_graph(w, child);
}

static void name_nothing(struct td_vmm_work *w, cu_node node)
{
	(void)w, (void)node;
}

typedef void name_node(struct td_vmm_work *w, cu_node node);
static name_node *const by_type[] = {
	[CU_NODE_KERNEL] = name_kernel,      [CU_NODE_MEMCPY] = name_copy,
	[CU_NODE_MEMSET] = name_set,         [CU_NODE_HOST] = name_nothing,
	[CU_NODE_GRAPH] = name_child,        [CU_NODE_EMPTY] = name_nothing,
	[CU_NODE_WAIT_EVENT] = name_nothing, [CU_NODE_RECORD_EVENT] = name_nothing,
};

static void name_one(struct td_vmm_work *w, cu_node node)
{
	int type;
	if (td_gpu_cuda.cuGraphNodeGetType(node, &type) || type < 0 ||
	    (size_t)type >= sizeof by_type / sizeof *by_type)
		w->everything = true;
	else
		by_type[type](w, node);
}

void td_gpu_name_graph(struct td_vmm_work *w, cu_graph graph)
{
	size_t n = 0;
	if (td_gpu_cuda.cuGraphGetNodes(graph, NULL, &n)) {
		w->everything = true;
		return;
	}
	cu_node *nodes = n ? malloc(n * sizeof *nodes) : NULL;
	if (n && (!nodes || td_gpu_cuda.cuGraphGetNodes(graph, nodes, &n)))
		w->everything = true;
	for (size_t i = 0; i < n && !w->everything; i++)
		name_one(w, nodes[i]);
	free(nodes);
}

/* ---- graphs that can be launched ---- */

static struct exec *find(cu_exec handle)
{
	struct exec *e = execs;
	while (e && e->handle != handle)
		e = e->next;
	return e;
}

/* An exec that is not known is taken to touch everything, so a failure here is slow, not wrong. */
static void forget(cu_exec handle)
{
	pthread_mutex_lock(&lock);
	for (struct exec **at = &execs; *at; at = &(*at)->next) {
		struct exec *e = *at;
		if (e->handle != handle)
			continue;
		*at = e->next;
		free(e->names);
		free(e);
		break;
	}
	pthread_mutex_unlock(&lock);
}

static void learn(cu_exec handle, cu_graph graph)
{
	struct td_vmm_name *room = malloc(65536 * sizeof *room);
	struct exec *e = calloc(1, sizeof *e);
	forget(handle);
	if (room && e) {
		struct td_vmm_work w = {.names = room, .room = 65536};
		td_gpu_name_graph(&w, graph);
		struct td_vmm_name *fit = realloc(room, (w.n + 1) * sizeof *room);
		*e = (struct exec){NULL, handle, w.everything, w.strays, w.n, fit ? fit : room};
		pthread_mutex_lock(&lock);
		e->next = execs;
		execs = e;
		pthread_mutex_unlock(&lock);
		return;
	}
	free(room);
	free(e);
}

static void change(cu_exec handle)
{
	pthread_mutex_lock(&lock);
	struct exec *e = find(handle);
	if (e)
		e->everything = true;
	pthread_mutex_unlock(&lock);
}

/* The names are copied: another thread may change the graph. */
static struct td_vmm_name *name_exec(struct td_vmm_work *w, cu_exec handle)
{
	struct td_vmm_name *names = NULL;
	pthread_mutex_lock(&lock);
	struct exec *e = find(handle);
	w->everything = !e || e->everything;
	w->strays = !e || e->strays || e->everything;
	w->ref = (uint64_t)(uintptr_t)handle;
	if (!w->everything && (names = malloc((e->n + 4096) * sizeof *names))) {
		for (uint32_t i = 0; i < e->n; i++)
			names[i] = e->names[i];
		w->names = names;
		w->n = e->n;
		w->room = e->n + 4096; /* for what tables name */
	}
	w->everything |= !names;
	pthread_mutex_unlock(&lock);
	return names;
}

/* ---- the driver's functions ---- */

#define TD_WRAP(name, base, version, per_thread, parameters) \
	TD_EXPORT cu_result name parameters;
#include "wrapped.def"
#undef TD_WRAP

#define INSTANTIATE(name, parameters, arguments) \
	cu_result name parameters \
	{ \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		cu_result rc = td_gpu_next.name arguments; \
		if (!rc && td_gpu.on && exec) \
			learn(*exec, graph); \
		return rc; \
	}
#define CHANGE(name, parameters, arguments) \
	cu_result name parameters \
	{ \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		change(exec); \
		return td_gpu_next.name arguments; \
	}
#define UPDATE(name, parameters, arguments) \
	cu_result name parameters \
	{ \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		cu_result rc = td_gpu_next.name arguments; \
		if (!rc && td_gpu.on) \
			learn(exec, graph); \
		return rc; \
	}

INSTANTIATE(cuGraphInstantiate,
	    (cu_exec *exec, cu_graph graph, cu_node *failed, char *log, size_t log_bytes),
	    (exec, graph, failed, log, log_bytes))
INSTANTIATE(cuGraphInstantiate_v2,
	    (cu_exec *exec, cu_graph graph, cu_node *failed, char *log, size_t log_bytes),
	    (exec, graph, failed, log, log_bytes))
INSTANTIATE(cuGraphInstantiateWithFlags, (cu_exec *exec, cu_graph graph, unsigned long long flags),
	    (exec, graph, flags))
INSTANTIATE(cuGraphInstantiateWithParams,
	    (cu_exec *exec, cu_graph graph, struct cu_instantiate *how), (exec, graph, how))
INSTANTIATE(cuGraphInstantiateWithParams_ptsz,
	    (cu_exec *exec, cu_graph graph, struct cu_instantiate *how), (exec, graph, how))
UPDATE(cuGraphExecUpdate, (cu_exec exec, cu_graph graph, cu_node *failed, int *result),
       (exec, graph, failed, result))
UPDATE(cuGraphExecUpdate_v2, (cu_exec exec, cu_graph graph, void *result), (exec, graph, result))
CHANGE(cuGraphExecKernelNodeSetParams, (cu_exec exec, cu_node node, const void *params),
       (exec, node, params))
CHANGE(cuGraphExecKernelNodeSetParams_v2, (cu_exec exec, cu_node node, const void *params),
       (exec, node, params))
CHANGE(cuGraphExecMemcpyNodeSetParams,
       (cu_exec exec, cu_node node, const void *params, cu_context context),
       (exec, node, params, context))
CHANGE(cuGraphExecMemsetNodeSetParams,
       (cu_exec exec, cu_node node, const void *params, cu_context context),
       (exec, node, params, context))
CHANGE(cuGraphExecChildGraphNodeSetParams, (cu_exec exec, cu_node node, cu_graph child),
       (exec, node, child))
CHANGE(cuGraphExecNodeSetParams, (cu_exec exec, cu_node node, void *params), (exec, node, params))

cu_result cuGraphExecDestroy(cu_exec exec)
{
	if (!td_gpu_find_driver() || !td_gpu_next.cuGraphExecDestroy)
		return CU_NOT_SUPPORTED;
	cu_result rc = td_gpu_next.cuGraphExecDestroy(exec);
	forget(exec);
	return rc;
}

#define LAUNCH_GRAPH(name, default_stream) \
	cu_result name(cu_exec exec, cu_stream stream) \
	{ \
		struct td_gpu_passage p; \
		struct td_vmm_name *names = NULL; \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		td_gpu_begin(&p, TD_VMM_LAUNCH, default_stream(stream)); \
		if (td_gpu_follows(&p)) \
			names = name_exec(&p.work, exec); \
		cu_result rc = td_gpu_enter(&p); \
		if (!rc) \
			rc = td_gpu_next.name(exec, stream); \
		td_gpu_leave(&p); \
		free(names); \
		return rc; \
	}
LAUNCH_GRAPH(cuGraphLaunch, td_gpu_legacy)
LAUNCH_GRAPH(cuGraphLaunch_ptsz, td_gpu_per_thread)
