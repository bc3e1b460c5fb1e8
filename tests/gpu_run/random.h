/* The random program. Every thread has buffers, and a shadow of each on the host that is computed
 * by the same functions. A step is a kernel, a copy or a set; it can be issued, captured, and done
 * to the shadow. Events order the steps where the order of streams does not. */
#ifndef GPU_RUN_RANDOM_H
#define GPU_RUN_RANDOM_H

#include <stdbool.h>

#include "program.h"

enum { LANES = 6, BUFFERS = 14, TABLES = 2, GRAPHS = 2, INPUTS = 3, STEPS = 6 };

enum lane_kind { LANE_LEGACY, LANE_PER_THREAD, LANE_BLOCKING, LANE_FREE };

struct lane {
	cu_stream stream;
	enum lane_kind kind;
};

enum buffer_kind {
	BUFFER_SYNC,
	BUFFER_ASYNC,
	BUFFER_PITCH,
	BUFFER_MANAGED,
	BUFFER_PINNED,
	BUFFER_PAGEABLE,
	BUFFER_KINDS
};

struct buffer {
	enum buffer_kind kind;
	cu_ptr at; /* 0: not there */
	size_t bytes, pitch;
	unsigned char *shadow;
	int writer;       /* the lane that wrote last; -1: none that must be waited for */
	unsigned readers; /* lanes that read since */
	cu_event written, was_read[LANES];
};

struct span {
	struct buffer *buffer;
	size_t at, bytes;
};

enum step_kind { STEP_KERNEL, STEP_COPY, STEP_SET };
enum kernel_form {
	FORM_PARAMS,
	FORM_EXTRA,
	FORM_STRUCT,
	FORM_TABLE,
	FORM_EX,
	FORM_COOPERATIVE,
	FORM_KERNEL,
	KERNEL_FORMS
};
enum copy_form {
	COPY_TYPED,
	COPY_ANY,
	COPY_2D,
	COPY_3D,
	COPY_BATCH,
	COPY_SYNC,
	COPY_SYNC_ANY,
	COPY_FORMS
};

struct step {
	enum step_kind kind;
	int form;
	struct span out, in[INPUTS];
	int inputs;
	uint64_t salt;
	size_t width, rows, out_pitch,
		in_pitch; /* of copies and sets; widths of sets are elements */
	unsigned element_bytes;
	struct buffer *table;
};

struct graph {
	cu_exec exec; /* NULL: not there */
	struct step steps[STEPS];
	int n;
	struct buffer tables[STEPS];
};

struct thread {
	int number;
	uint64_t state, sum;
	size_t room, used; /* bytes of buffers that may be, that are */
	struct lane lanes[LANES];
	struct buffer buffers[BUFFERS], tables[TABLES];
	struct graph graphs[GRAPHS];
	unsigned long hosts; /* calls of the host so far, of which */
	_Atomic unsigned long hosts_done;
};

/* random_kernels.c */
enum { KERNEL_MIX, KERNEL_STRUCT, KERNEL_TABLE, KERNELS };
extern cu_function random_functions[KERNELS], random_kernels[KERNELS];
void random_load(void);
void random_mix(uint64_t *out, uint64_t words, const uint64_t *const *in, const uint64_t *in_words,
		int inputs, uint64_t salt);

struct mix_struct {
	uint32_t inputs, filler;
	cu_ptr out;
	uint64_t words;
	struct {
		cu_ptr at;
		uint64_t words;
	} in[INPUTS];
	uint64_t salt;
};

/* random_steps.c */
void random_step_shadow(const struct step *s);
void random_step_upload(struct thread *t, int lane,
			const struct step *s); /* its table, if it has one */
void random_step_issue(struct thread *t, int lane, const struct step *s);
int random_step_lane(const struct step *s, int lane); /* copies may have no choice */
cu_node random_step_node(cu_graph graph, cu_node before, const struct step *s);
void random_kernel_node(const struct step *s, struct cu_kernel_node *node, struct mix_struct *all,
			void **params);

/* random_order.c */
void random_before(struct thread *t, int lane, const struct step *s);
void random_after(struct thread *t, int lane, const struct step *s);
void random_reads(struct thread *t, int lane, struct buffer *b, bool after);
void random_writes(struct thread *t, int lane, struct buffer *b, bool after);

/* A call in the lane's form: NULL means the thread's stream in functions that end so. */
#define ON(t, lane, name, ...) \
	do { \
		const struct lane *on = &(t)->lanes[lane]; \
		if (on->kind == LANE_PER_THREAD) \
			MUST(name##_ptsz(__VA_ARGS__)); \
		else \
			MUST(name(__VA_ARGS__)); \
	} while (0)

/* random_graphs.c */
void random_graph_make(struct thread *t, struct graph *g);
void random_graph_launch(struct thread *t, struct graph *g);
void random_graph_drop(struct graph *g);
bool random_graph_uses(const struct graph *g, const struct buffer *b);

/* random.c */
uint64_t random_draw(struct thread *t);
size_t random_below(struct thread *t, size_t n);
struct buffer *random_buffer(struct thread *t, bool on_device);
struct step random_step(struct thread *t, bool for_graph);

#endif
