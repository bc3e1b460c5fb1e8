/* What libtide_gpu.so exports. */
#include "bench.h"
#include "lab/gpu/apps.h"
#include "selftest.h"

const struct td_gpu_module tide_gpu_module = {
	.api = TD_GPU_API,
	.size = sizeof tide_gpu_module,
	.info = td_gpu_info,
	.selftest = td_gpu_selftest,
	.bench = td_gpu_bench,
	.free_result = td_gpu_result_free,
	.tests = td_gpu_tests,
	.micros = td_gpu_micros,
	.apps = td_gpu_apps,
};
