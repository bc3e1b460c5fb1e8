/* Can this machine run programs in less GPU memory than they allocate? The driver is asked, by the
 * names of its library: this program is not linked with it. */
#include <dlfcn.h>
#include <limits.h>

#include "cli.h"
#include "doctor.h"
#include "run/run.h"

#define OLDEST 12040    /* CUDA 12.4: memory of a NUMA node of the host can be mapped */
#define MAPS_PIECES 102 /* attributes of a device: virtual memory management, */
#define MAPS_HOST 141   /* and that of memory on a NUMA node of the host */

struct driver {
	int (*init)(unsigned);
	int (*version)(int *);
	int (*count)(int *);
	int (*attribute)(int *, int, int);
};

static bool find(void *library, struct driver *d)
{
	d->init = (int (*)(unsigned))dlsym(library, "cuInit");
	d->version = (int (*)(int *))dlsym(library, "cuDriverGetVersion");
	d->count = (int (*)(int *))dlsym(library, "cuDeviceGetCount");
	d->attribute = (int (*)(int *, int, int))dlsym(library, "cuDeviceGetAttribute");
	return d->init && d->version && d->count && d->attribute;
}

static bool has(const struct driver *d, int attribute, int device)
{
	int value = 0;

	return d->attribute(&value, attribute, device) == 0 && value;
}

/* Devices are numbered as cuDeviceGet() numbers them. */
static void judge_device(const struct driver *d, int version, int device, struct td_cli_finding *f)
{
	if (!has(d, MAPS_PIECES, device))
		td_cli_found(f, false, "use a GPU that is not shared as a part (vGPU)",
			     "GPU %d has no virtual memory management", device);
	else if (!has(d, MAPS_HOST, device))
		td_cli_found(f, false, "install a newer driver, on Linux without WSL",
			     "GPU %d cannot map memory of a NUMA node of the host", device);
	else
		td_cli_found(f, true, NULL, "CUDA %d.%d, GPU %d maps its own memory and the host's",
			     version / 1000, version % 1000 / 10, device);
}

static void judge(const struct driver *d, int device, struct td_cli_finding *f)
{
	int version = 0, devices = 0, rc = d->init(0);

	if (!rc)
		rc = d->count(&devices);
	d->version(&version);
	if (rc)
		td_cli_found(f, false, "look at nvidia-smi and CUDA_VISIBLE_DEVICES",
			     "the driver answers with error %d", rc);
	else if (device >= devices)
		td_cli_found(f, false, "look at nvidia-smi and CUDA_VISIBLE_DEVICES",
			     "the driver shows no GPU %d", device);
	else if (version < OLDEST)
		td_cli_found(f, false, "install a driver from 550 on",
			     "the driver is for CUDA %d.%d, and 12.4 is needed", version / 1000,
			     version % 1000 / 10);
	else
		judge_device(d, version, device, f);
}

void td_cli_gpu_near(int device, struct td_cli_finding *f)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	struct driver d;

	if (!library)
		td_cli_found(f, false, td_cli_driver_fix, "no driver library libcuda.so.1");
	else if (!find(library, &d))
		td_cli_found(f, false, "look at nvidia-smi", "libcuda.so.1 is not a CUDA driver");
	else
		judge(&d, device, f);
	if (library)
		dlclose(library);
}

void td_cli_probe_gpu_near(struct td_cli_finding *f)
{
	char path[PATH_MAX];

	td_cli_gpu_near(0, f);
	if (f->ok && td_run_find_gpu_preload(path, sizeof path, NULL))
		td_cli_found(f, false,
			     "install tide again: libtide_preload_gpu.so belongs beside it",
			     "no libtide_preload_gpu.so");
}
