/* Graphs of the random program: captured from streams, or made of nodes; launched, changed,
 * launched. */
#include <string.h>

#include "random.h"

enum { CAPTURING = 4, FORK = 5 }; /* lanes that do not block */

static void make_table(struct thread *t, struct graph *g, int i)
{
	struct step *s = &g->steps[i];
	if (s->kind != STEP_KERNEL || s->form != FORM_TABLE)
		return;
	struct buffer *table = &g->tables[i];
	table->bytes = random_below(t, 4) ? 1024 : 2 << 20;
	table->writer = -1;
	MUST(cuMemAlloc_v2(&table->at, table->bytes));
	MUST(cuEventCreate(&table->written, CU_EVENT_DISABLE_TIMING));
	for (int lane = 0; lane < LANES; lane++)
		MUST(cuEventCreate(&table->was_read[lane], CU_EVENT_DISABLE_TIMING));
	s->table = table;
	random_step_upload(t, CAPTURING, s);
}

static bool touches(const struct step *s, const struct buffer *b)
{
	bool does = s->out.buffer == b;
	for (int i = 0; i < s->inputs; i++)
		does |= s->in[i].buffer == b;
	return does;
}

static bool independent(const struct step *a, const struct step *b)
{
	bool apart = !touches(b, a->out.buffer) && !touches(a, b->out.buffer);
	return apart && a->table != b->out.buffer;
}

/* The second step goes beside the first where they have nothing in common. */
static cu_graph capture(struct thread *t, const struct graph *g)
{
	cu_stream main_stream = t->lanes[CAPTURING].stream, fork = t->lanes[FORK].stream;
	bool forks = g->n > 1 && independent(&g->steps[0], &g->steps[1]);
	cu_event at[2];
	for (int i = 0; i < 2; i++)
		MUST(cuEventCreate(&at[i], CU_EVENT_DISABLE_TIMING));
	MUST(cuStreamBeginCapture_v2(main_stream, 1 + (int)random_below(t, 2)));
	if (forks) {
		MUST(cuEventRecord(at[0], main_stream));
		MUST(cuStreamWaitEvent(fork, at[0], 0));
	}
	for (int i = 0; i < g->n; i++) {
		random_step_issue(t, forks && i == 1 ? FORK : CAPTURING, &g->steps[i]);
		if (forks && i == 1) {
			MUST(cuEventRecord(at[1], fork));
			MUST(cuStreamWaitEvent(main_stream, at[1], 0));
		}
	}
	cu_graph graph;
	MUST(cuStreamEndCapture(main_stream, &graph));
	for (int i = 0; i < 2; i++)
		MUST(cuEventDestroy_v2(at[i]));
	return graph;
}

/* One node after the other; with `inner`, the steps from that one on are a graph in the graph. */
static cu_graph build(const struct graph *g, int inner, cu_node *nodes)
{
	cu_graph graph, child = NULL;
	cu_node before = NULL;
	MUST(cuGraphCreate(&graph, 0));
	if (inner)
		MUST(cuGraphCreate(&child, 0));
	for (int i = 0; i < g->n; i++) {
		if (inner && i == inner)
			before = NULL;
		before = nodes[i] =
			random_step_node(inner && i >= inner ? child : graph, before, &g->steps[i]);
	}
	if (inner) {
		MUST(cuGraphAddChildGraphNode(&before, graph, &nodes[inner - 1], 1, child));
		MUST(cuGraphDestroy(child));
	}
	return graph;
}

static void instantiate(struct thread *t, struct graph *g, cu_graph graph)
{
	struct cu_instantiate params = {0};
	switch (random_below(t, 3)) {
	case 0: MUST(cuGraphInstantiate_v2(&g->exec, graph, NULL, NULL, 0)); break;
	case 1: MUST(cuGraphInstantiateWithFlags(&g->exec, graph, 0)); break;
	default: MUST(cuGraphInstantiateWithParams(&g->exec, graph, &params));
	}
}

/* Other numbers in the same graph: of one kernel, or of all. */
static void change(struct thread *t, struct graph *g, int inner, const cu_node *nodes)
{
	struct cu_kernel_node kernel;
	struct mix_struct all;
	void *params[5];
	cu_node others[STEPS];
	struct driver_update result;
	int i = (int)random_below(t, inner ? (size_t)inner : (size_t)g->n);
	struct step *s = &g->steps[i];
	if (s->kind == STEP_KERNEL && random_below(t, 2)) {
		s->salt = random_draw(t);
		random_kernel_node(s, &kernel, &all, params);
		MUST(cuGraphExecKernelNodeSetParams_v2(g->exec, nodes[i], &kernel));
		return;
	}
	for (i = 0; i < g->n; i++)
		if (g->steps[i].kind != STEP_COPY)
			g->steps[i].salt = random_draw(t);
	cu_graph other = build(g, inner, others);
	MUST(cuGraphExecUpdate_v2(g->exec, other, &result));
	MUST(cuGraphDestroy(other));
}

void random_graph_make(struct thread *t, struct graph *g)
{
	memset(g, 0, sizeof *g);
	g->n = 1 + (int)random_below(t, STEPS);
	for (int i = 0; i < g->n; i++) {
		g->steps[i] = random_step(t, true);
		make_table(t, g, i);
	}
	cu_node nodes[STEPS];
	bool captured = random_below(t, 2);
	int inner = g->n > 1 && random_below(t, 2) ? 1 : 0;
	/* A table is there before the graph is: it is uploaded in the lane that captures. */
	MUST(cuStreamSynchronize(t->lanes[CAPTURING].stream));
	cu_graph graph = captured ? capture(t, g) : build(g, inner, nodes);
	instantiate(t, g, graph);
	random_graph_launch(t, g);
	if (!captured && random_below(t, 2)) {
		change(t, g, inner, nodes);
		random_graph_launch(t, g);
	}
	MUST(cuGraphDestroy(graph));
}

void random_graph_launch(struct thread *t, struct graph *g)
{
	int lane = (int)random_below(t, LANES);
	for (int i = 0; i < g->n; i++)
		random_before(t, lane, &g->steps[i]);
	ON(t, lane, cuGraphLaunch, g->exec, t->lanes[lane].stream);
	for (int i = 0; i < g->n; i++) {
		random_after(t, lane, &g->steps[i]);
		random_step_shadow(&g->steps[i]);
	}
}

void random_graph_drop(struct graph *g)
{
	if (!g->exec)
		return;
	MUST(cuGraphExecDestroy(g->exec));
	for (int i = 0; i < g->n; i++) {
		if (!g->tables[i].at)
			continue;
		MUST(cuMemFree_v2(g->tables[i].at));
		MUST(cuEventDestroy_v2(g->tables[i].written));
		for (int lane = 0; lane < LANES; lane++)
			MUST(cuEventDestroy_v2(g->tables[i].was_read[lane]));
	}
	g->exec = NULL;
}

bool random_graph_uses(const struct graph *g, const struct buffer *b)
{
	bool uses = false;
	for (int i = 0; g->exec && i < g->n; i++)
		uses |= touches(&g->steps[i], b);
	return uses;
}
