/* Loops that applications tell of: wave mode asks for two rounds of a loop and works out the
 * others, so what was told must be true of every instruction. */
#include "test_workload.h"

#include "lab/workload/gpu.h"

enum { LAUNCHES_MOST = 400 };

static struct td_gpu_instr instr_at(const struct td_gpu_app *app, const struct td_gpu_launch *l,
				    uint64_t n)
{
	struct td_gpu_instr i;

	memset(&i, 0, sizeof i);
	assert_true(l->instr(app, l, n, &i));
	return i;
}

/* All but `first` is as in the round before, and that moves on by `by`. */
static void check_round(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
			int64_t by)
{
	struct td_gpu_instr before = instr_at(app, l, n - l->loop), now = instr_at(app, l, n);

	assert_int_equal(now.first - before.first, by);
	assert_false(now.more);
	before.first = now.first;
	assert_int_equal(now.array, before.array);
	assert_int_equal(now.pc, before.pc);
	assert_int_equal(now.write, before.write);
	assert_int_equal(now.barrier, before.barrier);
	/* From per_x on there is no hole between fields. */
	assert_memory_equal(&now.per_x, &before.per_x,
			    sizeof now - offsetof(struct td_gpu_instr, per_x));
}

static uint64_t check_loops(const struct td_gpu_app *app, const struct td_gpu_launch *l)
{
	uint64_t n = l->loop_from;

	for (uint64_t loop = 0; loop < l->loops; loop++, n += l->loop * l->rounds) {
		for (uint64_t k = 0; k < l->loop && l->rounds > 1; k++) {
			int64_t by = instr_at(app, l, n + l->loop + k).first -
				     instr_at(app, l, n + k).first;
			for (uint64_t round = 1; round < l->rounds; round++)
				check_round(app, l, n + round * l->loop + k, by);
		}
	}
	return l->loop * l->rounds * l->loops;
}

/* Instructions of its loops. */
static uint64_t check_app(const char *spec)
{
	struct td_trace_source *s = open_source(spec, 65536, 1);
	struct td_gpu_app *app = td_gpu_of(s);
	struct td_gpu_launch l = {0};
	uint64_t checked = 0;

	for (uint64_t i = 0; i < LAUNCHES_MOST && app->launch(app, i, &l); i++)
		checked += l.instr ? check_loops(app, &l) : 0;
	td_trace_close(s);
	return checked;
}

static void loops_are_as_told(void **state)
{
	static const char *const specs[] = {
		"an:scale=0.001",  "sn:scale=0.002",  "gmm:scale=0.001",      "gmv:scale=0.001",
		"hel:scale=0.001", "lu:scale=0.001",  "lu:scale=0.001,nb=64", "mm:scale=0.001",
		"srk:scale=0.001", "sr2:scale=0.001",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++)
		assert_true(check_app(specs[i]) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_are_as_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
