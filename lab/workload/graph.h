/* Graphs made from a seed, as lists of neighbours. */
#ifndef TD_WORKLOAD_GRAPH_H
#define TD_WORKLOAD_GRAPH_H

#include <stdint.h>

#include "tide/error.h"

#define TD_GRAPH_SCALE_MOST 31 /* node numbers are 32 bits */

/* An edge stands in the lists of both its ends: edges counts directions. */
struct td_graph {
	uint64_t nodes, edges;
	uint64_t *first; /* nodes + 1 of them: the neighbours of v are to[first[v]] up to, and
			  * without, to[first[v + 1]] */
	uint32_t *to;
};

/* Both give one line before any work where the graph, and the application's own extra_bytes, do not
 * fit into the memory that is free; who is the workload's name. */

/* Kronecker graph of 2^scale nodes with 16 undirected edges per node: every edge falls into a
 * quarter of the matrix, a quarter of that, and so on, with probabilities .57, .19, .19, .05; then
 * the nodes are renumbered at random. Edges from a node to itself and repeated ones stay, so there
 * are 2^(scale + 5) exactly. */
int td_graph_kronecker(struct td_graph *g, const char *who, unsigned scale, uint64_t seed,
		       uint64_t extra_bytes, struct tide_error *err);

/* Random graph: every node in turn draws least .. most partners among all nodes, uniformly. */
int td_graph_random(struct td_graph *g, const char *who, uint64_t nodes, unsigned least,
		    unsigned most, uint64_t seed, uint64_t extra_bytes, struct tide_error *err);

void td_graph_free(struct td_graph *g); /* also one that is all zero */

/* Do so many bytes of data fit into the memory that is free? 0, or the error. */
int td_graph_fits(const char *who, double bytes, struct tide_error *err);

#endif
