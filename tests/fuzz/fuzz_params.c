/* `name:key=value,key=value` from anyone: against a table that has every type, and against the
 * tables of all workloads. A plain pattern that opens must also keep to its facts for a batch; the
 * applications of the papers may make gigabytes of data first, and have tests of their own. */
#include <stdlib.h>
#include <string.h>

#include "core/params.h"
#include "trace/trace.h"
#include "workload/workload.h"

static const struct tide_param table[] = {
	{"int", TIDE_PARAM_INT, "7", -10, 1000, "a whole number"},
	{"wide", TIDE_PARAM_INT, "-1", -0x1p63, 0x1p63, "any whole number"},
	{"real", TIDE_PARAM_REAL, "0.5", -1, 1e300, "a number"},
	{"text", TIDE_PARAM_TEXT, "", 0, 0, "a text"},
	{0},
};

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_error(int rc, const struct tide_error *err)
{
	require(rc < 0 && err->code == rc);
	require(err->text[0] != '\0' && !strpbrk(err->text, "\n\r"));
}

static void try_table(const char *spec)
{
	struct tide_error err = {0};
	union tide_value *v;
	int rc = td_core_params(table, spec, "policy made-up", &v, &err);

	if (rc) {
		check_error(rc, &err);
		return;
	}
	require(v[0].i >= -10 && v[0].i <= 1000);
	require(v[2].r >= -1 && v[2].r <= 1e300);
	require(strlen(v[3].text) <= strlen(spec));
	free(v);
}

/* The table of an application, which is not run. */
static int is_application(const char *spec)
{
	const struct td_workload *w = td_workload_find(spec);
	union tide_value *v;
	struct tide_error err = {0};

	if (!w || strcmp(w->paper, "pattern") == 0)
		return 0;
	int rc = td_core_params(w->params, spec, "an application", &v, &err);
	if (rc)
		check_error(rc, &err);
	else
		free(v);
	return 1;
}

static void try_workload(const char *spec, uint64_t page_bytes)
{
	static struct tide_batch batch;
	struct tide_error err = {0};
	struct td_trace_source *s;
	int rc = td_workload_open(&s, spec, page_bytes, 1, &err);

	if (rc) {
		check_error(rc, &err);
		return;
	}
	memset(&batch, 0, sizeof batch);
	require(td_trace_next(s, &batch, &err) == 0);
	require(batch.n > 0 && batch.n <= s->facts.accesses);
	for (uint32_t i = 0; i < batch.n; i++) {
		require(batch.page[i] <= s->facts.last_page && batch.write[i] <= 1);
		require(s->facts.refs || batch.ref[i] == 0);
	}
	td_trace_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t page_bytes[] = {4096, 65536, 8, 0, 7, UINT64_C(1) << 40};
	char *spec = malloc(size + 1);

	require(spec != NULL);
	if (size)
		memcpy(spec, data, size);
	spec[size] = '\0';
	try_table(spec);
	for (size_t i = 0; !is_application(spec) && i < sizeof page_bytes / sizeof *page_bytes; i++)
		try_workload(spec, page_bytes[i]);
	free(spec);
	return 0;
}
