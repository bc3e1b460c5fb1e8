/* Graphs. What is instantiated is a copy; a launch holds the copy that it began with. */
#include "fake.h"

struct cu_exec {
	struct made made;
	cu_graph graph;
	struct point last; /* its launches run one after the other */
};

static uint64_t nodes_made;

/* ---- with the lock held ---- */

cu_node fake_node_add(cu_graph graph, struct work *w, const cu_node *before, size_t n)
{
	cu_node node = fake_make(MADE_NODE, sizeof *node);
	node->id = ++nodes_made;
	node->graph = graph;
	node->work = *w;
	node->before = fake_allocate(n * sizeof *node->before);
	if (n)
		memcpy(node->before, before, n * sizeof *node->before);
	node->before_n = n;
	graph->nodes = realloc(graph->nodes, (graph->n + 1) * sizeof *graph->nodes);
	if (!graph->nodes)
		abort();
	graph->nodes[graph->n++] = node;
	return node;
}

static size_t place_of(cu_graph graph, cu_node node)
{
	size_t i = 0;
	while (i < graph->n && graph->nodes[i] != node)
		i++;
	return i;
}

static cu_node node_by_id(cu_graph graph, uint64_t id)
{
	for (size_t i = 0; i < graph->n; i++)
		if (graph->nodes[i]->id == id)
			return graph->nodes[i];
	return NULL;
}

/* ---- without it ---- */

cu_graph fake_graph_copy(cu_graph from)
{
	cu_graph to = fake_make(MADE_GRAPH, sizeof *to);
	to->refs = 1;
	for (size_t i = 0; i < from->n; i++) {
		struct work w;
		fake_work_copy(&w, &from->nodes[i]->work);
		size_t n = from->nodes[i]->before_n;
		cu_node *before = fake_allocate(n * sizeof *before);
		for (size_t k = 0; k < n; k++)
			before[k] = to->nodes[place_of(from, from->nodes[i]->before[k])];
		pthread_mutex_lock(&fake_lock);
		fake_node_add(to, &w, before, n)->id = from->nodes[i]->id;
		pthread_mutex_unlock(&fake_lock);
		free(before);
	}
	return to;
}

void fake_graph_drop(cu_graph graph)
{
	pthread_mutex_lock(&fake_lock);
	bool last = !--graph->refs;
	pthread_mutex_unlock(&fake_lock);
	if (!last)
		return;
	for (size_t i = 0; i < graph->n; i++) {
		fake_work_clear(&graph->nodes[i]->work);
		free(graph->nodes[i]->before);
		fake_unmake(graph->nodes[i]);
	}
	free(graph->nodes);
	fake_unmake(graph);
}

static bool is_ready(cu_graph graph, size_t i, const bool *done)
{
	cu_node node = graph->nodes[i];
	bool ready = !done[i];
	for (size_t k = 0; k < node->before_n && ready; k++)
		ready = done[place_of(graph, node->before[k])];
	return ready;
}

/* One node after the other, in any order that the graph allows. */
void fake_graph_run(cu_graph graph)
{
	bool *done = fake_allocate(graph->n * sizeof *done);
	for (size_t left = graph->n; left; left--) {
		size_t i = fake_random((unsigned)graph->n);
		while (!is_ready(graph, i, done))
			i = (i + 1) % graph->n;
		fake_work_run(&graph->nodes[i]->work);
		done[i] = true;
	}
	free(done);
}

EXPORT cu_result cuGraphCreate(cu_graph *graph, unsigned flags)
{
	ENTER(cuGraphCreate);
	if (flags)
		return CU_INVALID_VALUE;
	*graph = fake_make(MADE_GRAPH, sizeof **graph);
	(*graph)->refs = 1;
	return CU_OK;
}

EXPORT cu_result cuGraphDestroy(cu_graph graph)
{
	ENTER(cuGraphDestroy);
	if (!fake_is(graph, MADE_GRAPH))
		return CU_INVALID_HANDLE;
	fake_graph_drop(graph);
	return CU_OK;
}

/* ---- nodes ---- */

static cu_result add(cu_node *node, cu_graph graph, const cu_node *before, size_t n, struct work *w)
{
	bool fine = fake_is(graph, MADE_GRAPH);
	pthread_mutex_lock(&fake_lock);
	for (size_t i = 0; i < n && fine; i++)
		fine = place_of(graph, before[i]) < graph->n;
	if (fine)
		*node = fake_node_add(graph, w, before, n);
	pthread_mutex_unlock(&fake_lock);
	if (!fine)
		fake_work_clear(w);
	return fine ? CU_OK : CU_INVALID_VALUE;
}

EXPORT cu_result cuGraphAddKernelNode_v2(cu_node *node, cu_graph graph, const cu_node *before,
					 size_t n, const struct cu_kernel_node *params)
{
	ENTER(cuGraphAddKernelNode_v2);
	struct work w = {.kind = CU_NODE_KERNEL};
	cu_result result = fake_launched(&w.launch, params);
	return result ? result : add(node, graph, before, n, &w);
}

EXPORT cu_result cuGraphAddMemcpyNode(cu_node *node, cu_graph graph, const cu_node *before,
				      size_t n, const struct cu_copy_3d *params, cu_context context)
{
	ENTER(cuGraphAddMemcpyNode);
	(void)context;
	return add(node, graph, before, n, &(struct work){.kind = CU_NODE_MEMCPY, .copy = *params});
}

EXPORT cu_result cuGraphAddMemsetNode(cu_node *node, cu_graph graph, const cu_node *before,
				      size_t n, const struct cu_memset_node *params,
				      cu_context context)
{
	ENTER(cuGraphAddMemsetNode);
	(void)context;
	return add(node, graph, before, n, &(struct work){.kind = CU_NODE_MEMSET, .set = *params});
}

EXPORT cu_result cuGraphAddChildGraphNode(cu_node *node, cu_graph graph, const cu_node *before,
					  size_t n, cu_graph child)
{
	ENTER(cuGraphAddChildGraphNode);
	if (!fake_is(child, MADE_GRAPH))
		return CU_INVALID_HANDLE;
	return add(node, graph, before, n,
		   &(struct work){.kind = CU_NODE_GRAPH, .child = fake_graph_copy(child)});
}

EXPORT cu_result cuGraphAddEmptyNode(cu_node *node, cu_graph graph, const cu_node *before, size_t n)
{
	ENTER(cuGraphAddEmptyNode);
	return add(node, graph, before, n, &(struct work){.kind = CU_NODE_EMPTY});
}

/* Without `nodes`, only how many there are; beyond them, NULL. */
EXPORT cu_result cuGraphGetNodes(cu_graph graph, cu_node *nodes, size_t *n)
{
	ENTER(cuGraphGetNodes);
	if (!fake_is(graph, MADE_GRAPH))
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	for (size_t i = 0; nodes && i < *n; i++)
		nodes[i] = i < graph->n ? graph->nodes[i] : NULL;
	if (!nodes || graph->n < *n)
		*n = graph->n;
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

EXPORT cu_result cuGraphNodeGetType(cu_node node, int *type)
{
	ENTER(cuGraphNodeGetType);
	if (!fake_is(node, MADE_NODE))
		return CU_INVALID_HANDLE;
	*type = node->work.kind;
	return CU_OK;
}

static bool is_of_kind(cu_node node, int kind)
{
	return fake_is(node, MADE_NODE) && node->work.kind == kind;
}

EXPORT cu_result cuGraphChildGraphNodeGetGraph(cu_node node, cu_graph *graph)
{
	ENTER(cuGraphChildGraphNodeGetGraph);
	if (!is_of_kind(node, CU_NODE_GRAPH))
		return CU_INVALID_VALUE;
	*graph = node->work.child;
	return CU_OK;
}

EXPORT cu_result cuGraphKernelNodeGetParams_v2(cu_node node, struct cu_kernel_node *params)
{
	ENTER(cuGraphKernelNodeGetParams_v2);
	if (!is_of_kind(node, CU_NODE_KERNEL))
		return CU_INVALID_VALUE;
	const struct launched *l = &node->work.launch;
	*params = (struct cu_kernel_node){.shared_bytes = l->shared_bytes, .params = l->params};
	memcpy(params->grid, l->grid, sizeof l->grid);
	memcpy(params->block, l->block, sizeof l->block);
	if (l->by_kernel)
		params->kernel = l->function;
	else
		params->function = l->function;
	return CU_OK;
}

EXPORT cu_result cuGraphMemcpyNodeGetParams(cu_node node, struct cu_copy_3d *params)
{
	ENTER(cuGraphMemcpyNodeGetParams);
	if (!is_of_kind(node, CU_NODE_MEMCPY))
		return CU_INVALID_VALUE;
	*params = node->work.copy;
	return CU_OK;
}

EXPORT cu_result cuGraphMemsetNodeGetParams(cu_node node, struct cu_memset_node *params)
{
	ENTER(cuGraphMemsetNodeGetParams);
	if (!is_of_kind(node, CU_NODE_MEMSET))
		return CU_INVALID_VALUE;
	*params = node->work.set;
	return CU_OK;
}

/* ---- instantiated ---- */

static cu_result instantiate(cu_exec *exec, cu_graph graph)
{
	if (!fake_is(graph, MADE_GRAPH))
		return CU_INVALID_HANDLE;
	cu_exec e = fake_make(MADE_EXEC, sizeof *e);
	e->graph = fake_graph_copy(graph);
	*exec = e;
	return CU_OK;
}

EXPORT cu_result cuGraphInstantiate_v2(cu_exec *exec, cu_graph graph, cu_node *failed, char *log,
				       size_t room)
{
	ENTER(cuGraphInstantiate_v2);
	(void)failed, (void)log, (void)room;
	return instantiate(exec, graph);
}

EXPORT cu_result cuGraphInstantiateWithFlags(cu_exec *exec, cu_graph graph,
					     unsigned long long flags)
{
	ENTER(cuGraphInstantiateWithFlags);
	(void)flags;
	return instantiate(exec, graph);
}

static cu_result instantiate_with(cu_exec *exec, cu_graph graph, struct cu_instantiate *params)
{
	cu_result result = instantiate(exec, graph);
	params->failed = NULL;
	params->result = result ? 1 : 0;
	return result;
}

BOTH_SZ(cuGraphInstantiateWithParams,
	(cu_exec * exec, cu_graph graph, struct cu_instantiate *params),
	((void)per_thread, instantiate_with(exec, graph, params)))

static cu_result launch(cu_exec exec, cu_stream s)
{
	if (!s || !fake_is(exec, MADE_EXEC))
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	bool captures = s->capture;
	struct point last = exec->last, at;
	cu_graph graph = exec->graph;
	graph->refs += !captures;
	pthread_mutex_unlock(&fake_lock);
	if (captures)
		graph = fake_graph_copy(graph);
	cu_result result = fake_submit(s, &(struct work){.kind = CU_NODE_GRAPH, .child = graph},
				       &last, 1, &at);
	if (!result && !captures) {
		pthread_mutex_lock(&fake_lock);
		exec->last = at;
		pthread_mutex_unlock(&fake_lock);
	}
	return result;
}

BOTH_SZ(cuGraphLaunch, (cu_exec exec, cu_stream stream),
	launch(exec, fake_stream(stream, per_thread)))

/* Launches that are under way keep the graph that they have. */
static void own_graph(cu_exec exec)
{
	pthread_mutex_lock(&fake_lock);
	cu_graph old = exec->graph;
	bool shared = old->refs > 1;
	pthread_mutex_unlock(&fake_lock);
	if (!shared)
		return;
	exec->graph = fake_graph_copy(old);
	fake_graph_drop(old);
}

static bool is_same_shape(cu_graph a, cu_graph b)
{
	bool same = a->n == b->n;
	for (size_t i = 0; i < a->n && same; i++) {
		cu_node x = a->nodes[i], y = b->nodes[i];
		same = x->work.kind == y->work.kind && x->before_n == y->before_n;
		for (size_t k = 0; k < x->before_n && same; k++)
			same = place_of(a, x->before[k]) == place_of(b, y->before[k]);
		if (same && x->work.kind == CU_NODE_GRAPH)
			same = is_same_shape(x->work.child, y->work.child);
	}
	return same;
}

EXPORT cu_result cuGraphExecUpdate_v2(cu_exec exec, cu_graph graph, struct driver_update *result)
{
	ENTER(cuGraphExecUpdate_v2);
	if (!fake_is(exec, MADE_EXEC) || !fake_is(graph, MADE_GRAPH))
		return CU_INVALID_HANDLE;
	bool same = is_same_shape(exec->graph, graph);
	*result = (struct driver_update){.result = same ? 0 : 2};
	if (!same)
		return FAKE_UPDATE_FAILED;
	cu_graph old = exec->graph;
	exec->graph = fake_graph_copy(graph);
	for (size_t i = 0; i < old->n; i++)
		exec->graph->nodes[i]->id = old->nodes[i]->id;
	fake_graph_drop(old);
	return CU_OK;
}

EXPORT cu_result cuGraphExecKernelNodeSetParams_v2(cu_exec exec, cu_node node,
						   const struct cu_kernel_node *params)
{
	ENTER(cuGraphExecKernelNodeSetParams_v2);
	if (!fake_is(exec, MADE_EXEC) || !is_of_kind(node, CU_NODE_KERNEL))
		return CU_INVALID_HANDLE;
	own_graph(exec);
	cu_node mine = node_by_id(exec->graph, node->id);
	if (!mine)
		return CU_INVALID_VALUE;
	struct work w = {.kind = CU_NODE_KERNEL};
	cu_result result = fake_launched(&w.launch, params);
	if (result)
		return result;
	fake_work_clear(&mine->work);
	mine->work = w;
	return CU_OK;
}

EXPORT cu_result cuGraphExecDestroy(cu_exec exec)
{
	ENTER(cuGraphExecDestroy);
	if (!fake_is(exec, MADE_EXEC))
		return CU_INVALID_HANDLE;
	fake_graph_drop(exec->graph);
	fake_unmake(exec);
	return CU_OK;
}
