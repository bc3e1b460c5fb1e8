/* The driver, linked as a program links it: -lcuda. */
#include "driver.h"

#define CALL(name, base, since, arguments) cu_result name arguments;
#include "driver.def"
#undef CALL
uint64_t fake_cuda_peak(void);
uint64_t fake_cuda_device_bytes(void);

const struct driver *driver(void)
{
	static const struct driver linked = {
#define CALL(name, base, since, arguments) .name = name,
#include "driver.def"
#undef CALL
		.fake_cuda_peak = fake_cuda_peak,
		.fake_cuda_device_bytes = fake_cuda_device_bytes,
	};
	return &linked;
}
