/* Whether what came out is right. */
#include "outcome.cuh"

#include <cinttypes>
#include <cstdarg>
#include <cstdlib>

/* ---- sums of results ---- */

int td_app_sum_results(struct td_app_running *x, bool read_back, struct tide_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < x->shape.arrays && !rc; i++) {
		unsigned flags = x->shape.array[i].flags;
		if (!(flags & TD_APP_RESULT) || read_back != ((flags & TD_APP_READ_BACK) != 0))
			continue;
		rc = x->run.gpu && !(flags & TD_APP_NEAR)
			     ? td_app_sum_tide(&x->run, i, &x->sums[i], err)
			     : td_app_sum_plain(&x->run, i, &x->sums[i], err);
	}
	return rc;
}

static uint64_t fold(const struct td_app_shape *s, const uint64_t *sums)
{
	uint64_t checksum = 0;

	for (unsigned i = 0; i < s->arrays; i++) {
		if (s->array[i].flags & TD_APP_RESULT)
			checksum = tide_hash64(checksum + sums[i] + i);
	}
	return checksum;
}

/* ---- what came out ---- */

__attribute__((format(printf, 2, 3))) static void find_wrong(struct td_app_outcome *o,
							     const char *format, ...)
{
	va_list args;

	o->verified = 0;
	if (o->reason[0])
		return;
	va_start(args, format);
	vsnprintf(o->reason, sizeof o->reason, format, args);
	va_end(args);
}

static void compare(const struct td_app_array *a, const void *got, const void *wanted,
		    struct td_app_outcome *o)
{
	const uint32_t *x = (const uint32_t *)got, *y = (const uint32_t *)wanted;
	uint64_t words = a->bytes / 4, wrong = 0, first = 0;

	for (uint64_t i = words; i > 0; i--) {
		if (x[i - 1] != y[i - 1]) {
			wrong++;
			first = i - 1;
		}
	}
	if (wrong)
		find_wrong(o,
			   "%" PRIu64 " of %" PRIu64
			   " words of %s are wrong, first that at byte %" PRIu64
			   ": 0x%08x, must be 0x%08x",
			   wrong, words, a->name, first * 4, x[first], y[first]);
}

int td_app_compare(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err)
{
	void *wanted[TD_APP_ARRAYS] = {NULL};
	int rc = td_app_refer(&x->shape, &x->job->setup, wanted, err);

	o->verified = 1;
	for (unsigned i = 0; i < x->shape.arrays && !rc; i++) {
		const struct td_app_array *a = &x->shape.array[i];
		void *got = a->flags & TD_APP_RESULT ? malloc(a->bytes) : NULL;
		if (a->flags & TD_APP_RESULT)
			rc = got ? td_app_copy_out(x, i, got, err)
				 : tide_fail(err, -ENOMEM, "no memory for %s", a->name);
		if (got && !rc)
			compare(a, got, wanted[i], o);
		free(got);
	}
	for (void *array : wanted)
		free(array);
	return rc;
}

int td_app_take_checksum(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err)
{
	int rc = td_app_sum_results(x, false, err);

	if (!rc)
		rc = td_app_cuda(
			cudaMemcpy(o->sums, x->sums, sizeof o->sums, cudaMemcpyDeviceToHost),
			"copy sums", err);
	o->has_checksum = !rc;
	o->checksum = fold(&x->shape, o->sums);
	if (rc || !x->job->expected)
		return rc;
	o->verified = o->verified ? 1 : 0;
	if (o->checksum != *x->job->expected)
		find_wrong(o, "the checksum is 0x%016" PRIx64 ", must be 0x%016" PRIx64,
			   o->checksum, *x->job->expected);
	return 0;
}

int td_app_check_files(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err)
{
	for (unsigned i = 0; i < x->shape.arrays; i++) {
		const struct td_app_array *a = &x->shape.array[i];
		uint64_t sum = 0;
		if (!(a->flags & TD_APP_RESULT) || a->flags & TD_APP_NEAR)
			continue;
		int rc = td_app_file_sum(&x->shape, i, &x->job->setup, &sum, err);
		if (rc)
			return rc;
		if (sum != o->sums[i])
			find_wrong(o, "the file of %s is not what the GPU had of it", a->name);
	}
	return 0;
}
