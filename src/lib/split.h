/* One cache per stream, such as a layer of a model: the input is taken apart, and each part is a
 * source of its own. */
#ifndef TD_LIB_SPLIT_H
#define TD_LIB_SPLIT_H

#include "engine/engine.h"
#include "tide/map.h"
#include "trace/source.h"

#define TD_LIB_PARTS_MAX 4096

struct td_lib_part {
	struct td_trace_source head; /* must be first; its facts are known */
	uint64_t stream;
	struct tide_vec page, ref; /* uint64_t; without refs, ref is empty */
	struct tide_vec flags;     /* uint8_t: writes, begins a group */
	uint64_t n, at, group;     /* group: the last one that it has an access of */
	uint64_t near_pages;       /* its share */
	struct tide_counts counts; /* of its run */
};

struct td_lib_split {
	char *text;                     /* as it was written */
	bool by_lru;                    /* shares with the fewest misses of lru; else equal ones */
	struct td_engine_config config; /* of all parts, but for the policies and what parts have */
	struct tide_map index;          /* stream -> part, while the input is read */
	uint64_t groups;
	bool ran;
	size_t threads; /* that parts are looked through and run on; 0: one per core */
	uint32_t n;
	struct td_lib_part **part; /* ascending by stream */
};

/* Reads what `split` says. */
int td_lib_split_new(struct td_lib_split **out, const char *text, struct tide_error *err);
void td_lib_split_free(struct td_lib_split *s); /* NULL is fine */

/* Takes the whole source apart, and makes the facts of the parts. facts: of all of them. A page
 * that two streams touch counts twice in the footprint: each cache has its own copy. */
int td_lib_split_read(struct td_lib_split *s, struct td_trace_source *source,
		      struct td_trace_facts *facts, struct tide_error *err);

/* Divides near memory among the parts. */
int td_lib_split_share(struct td_lib_split *s, uint64_t near_pages, uint32_t chunk_pages,
		       struct tide_error *err);

/* shares.c: shares with the fewest misses of lru in all, if near memory is small or the curves are
 * convex. Every part gets at least one page. */
int td_lib_shares_lru(struct td_lib_split *s, uint64_t near_pages, struct tide_error *err);

#endif
