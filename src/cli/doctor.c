#include "doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli.h"
#include "run/run.h"
#include "tide/gpu.h"

const char td_cli_driver_fix[] =
	"with an NVIDIA GPU: sudo apt install nvidia-driver, of Debian's non-free";

void td_cli_found(struct td_cli_finding *f, bool ok, const char *fix, const char *format, ...)
{
	va_list args;

	f->ok = ok;
	f->fix = ok ? NULL : fix;
	va_start(args, format);
	vsnprintf(f->detail, sizeof f->detail, format, args);
	va_end(args);
}

/* The first bytes of a file of the kernel, without the line's end; false: cannot be read. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool ok = file && fgets(line, (int)size, file);

	if (file)
		fclose(file);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

void td_cli_probe_cores(struct td_cli_finding *f)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

	td_cli_found(f, true, NULL, "%d", n);
}

void td_cli_probe_memory(struct td_cli_finding *f)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	td_cli_found(f, true, NULL, "%s, %s free",
		     td_cli_bytes((uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes).text,
		     td_cli_bytes((uint64_t)sysconf(_SC_AVPHYS_PAGES) * page_bytes).text);
}

void td_cli_probe_huge_pages(struct td_cli_finding *f)
{
	static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	char line[80];
	char *mode;

	if (!read_line(path, line, sizeof line)) {
		td_cli_found(f, false, "a kernel with transparent huge pages",
			     "not in this kernel");
		return;
	}
	mode = strchr(line, '[');
	mode = mode ? mode + 1 : line;
	mode[strcspn(mode, "]")] = '\0';
	td_cli_found(f, strcmp(mode, "never") != 0,
		     "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled", "%s",
		     mode);
}

static int close_probe(int fd)
{
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static const char sysctl_fix[] = "sudo sysctl vm.unprivileged_userfaultfd=1";

/* Faults in user mode, and those of system calls on paged memory. */
void td_cli_probe_userfaultfd(struct td_cli_finding *f)
{
	char setting[16] = "?";
	int whole = close_probe((int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
	int user = close_probe(
		(int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
	bool device = access("/dev/userfaultfd", R_OK | W_OK) == 0;

	read_line("/proc/sys/vm/unprivileged_userfaultfd", setting, sizeof setting);
	if (whole == 0 || device)
		td_cli_found(f, true, NULL, "%s, vm.unprivileged_userfaultfd=%s",
			     whole == 0 ? "all faults" : "all faults by /dev/userfaultfd", setting);
	else if (user == 0)
		td_cli_found(f, false, sysctl_fix,
			     "only faults in user mode (tide run --service signal), "
			     "vm.unprivileged_userfaultfd=%s",
			     setting);
	else if (user == -ENOSYS)
		td_cli_found(f, false, "a kernel with CONFIG_USERFAULTFD", "not in this kernel");
	else
		td_cli_found(f, false, sysctl_fix, "refused: %s, vm.unprivileged_userfaultfd=%s",
			     strerror(-user), setting);
}

void td_cli_probe_uffd_device(struct td_cli_finding *f)
{
	static const char path[] = "/dev/userfaultfd";

	if (access(path, R_OK | W_OK) == 0)
		td_cli_found(f, true, NULL, "%s may be opened", path);
	else if (errno == ENOENT)
		td_cli_found(f, false, "a kernel from 6.1 on", "no %s", path);
	else
		td_cli_found(f, false, "sudo chmod 666 /dev/userfaultfd", "%s: %s", path,
			     strerror(errno));
}

/* Newer than the headers of the system may be. */
#define HAS_MOVE (UINT64_C(1) << 16)
#define HAS_WP_SHMEM (UINT64_C(1) << 12)

static const struct {
	uint64_t bit;
	const char *name;
} uffd_features[] = {
	{UFFD_FEATURE_SIGBUS, "sigbus"},
	{UFFD_FEATURE_MINOR_SHMEM, "minor-shmem"},
	{HAS_WP_SHMEM, "write-protect-shmem"},
	{HAS_MOVE, "move"},
};

/* What this kernel offers, or -errno. */
static int64_t ask_uffd(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	int64_t found;

	if (fd < 0)
		return -errno;
	found = ioctl(fd, UFFDIO_API, &api) ? -errno : (int64_t)api.features;
	close(fd);
	return found;
}

void td_cli_probe_uffd_features(struct td_cli_finding *f)
{
	int64_t found = ask_uffd();
	char have[100] = "missing-pages", lack[100] = "";

	if (found < 0) {
		td_cli_found(f, false, sysctl_fix, "cannot be asked: %s", strerror((int)-found));
		return;
	}
	for (size_t i = 0; i < sizeof uffd_features / sizeof *uffd_features; i++) {
		bool has = (uint64_t)found & uffd_features[i].bit;
		char *to = has ? have : lack;
		size_t n = strlen(to);
		snprintf(to + n, sizeof have - n, "%s%s", n ? ", " : "", uffd_features[i].name);
	}
	td_cli_found(f, !*lack, "a kernel from 6.8 on", "%s%s%s", have, *lack ? "; without " : "",
		     lack);
}

void td_cli_probe_preload(struct td_cli_finding *f)
{
	char path[PATH_MAX];
	bool ok = !td_run_find_preload(path, sizeof path, NULL);

	td_cli_found(f, ok, "install tide again: libtide_preload.so belongs beside it", "%s",
		     ok ? path : "no libtide_preload.so");
}

void td_cli_probe_io_uring(struct td_cli_finding *f)
{
	struct io_uring_params params = {0};
	int rc = close_probe((int)syscall(SYS_io_uring_setup, 1, &params));

	if (rc == 0)
		td_cli_found(f, true, NULL, "features 0x%x", params.features);
	else if (rc == -ENOSYS)
		td_cli_found(f, false, "a kernel with CONFIG_IO_URING", "not in this kernel");
	else
		td_cli_found(f, false, "sudo sysctl kernel.io_uring_disabled=0", "refused: %s",
			     strerror(-rc));
}

void td_cli_probe_cgroup(struct td_cli_finding *f)
{
	char line[256];

	if (read_line("/sys/fs/cgroup/cgroup.controllers", line, sizeof line)) {
		char *at = strstr(line, "memory");
		td_cli_found(f, at != NULL, "boot with cgroup_enable=memory",
			     at ? "version 2" : "version 2 without the memory controller");
	} else {
		td_cli_found(f, access("/sys/fs/cgroup/memory", F_OK) == 0,
			     "sudo mount -t cgroup2 none /sys/fs/cgroup",
			     access("/sys/fs/cgroup/memory", F_OK) == 0 ? "version 1"
									: "not mounted");
	}
}

/* Swap, rights, and a memory cgroup. */
void td_cli_probe_kernel(struct td_cli_finding *f)
{
	static const char fix[] = "as root, with swap: zramctl -f -s 4G -a lz4, mkswap, swapon";
	struct tide_error err = {0, ""};
	char found[160];

	if (td_lib_kernel_look(found, sizeof found, &err) == 0)
		td_cli_found(f, true, NULL, "%s", found);
	else
		td_cli_found(f, false, fix, "%.*s", (int)strcspn(err.text, ":"), err.text);
}

/* The driver's library, called by name: this program is not linked with it. */
static void ask_cuda(void *library, struct td_cli_finding *f)
{
	static const char fix[] = "look at nvidia-smi";
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
	int (*count)(int *) = (int (*)(int *))dlsym(library, "cuDeviceGetCount");
	int (*version)(int *) = (int (*)(int *))dlsym(library, "cuDriverGetVersion");
	int devices = 0, v = 0, rc;

	if (!init || !count || !version) {
		td_cli_found(f, false, fix, "libcuda.so.1 is not a CUDA driver");
		return;
	}
	rc = init(0);
	if (rc == 0)
		rc = count(&devices);
	version(&v);
	if (rc)
		td_cli_found(f, false, fix, "the driver answers with error %d", rc);
	else
		td_cli_found(f, devices > 0, fix, "%d device%s, CUDA %d.%d", devices,
			     devices == 1 ? "" : "s", v / 1000, v % 1000 / 10);
}

void td_cli_probe_cuda(struct td_cli_finding *f)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		td_cli_found(f, false, td_cli_driver_fix, "no driver library libcuda.so.1");
		return;
	}
	ask_cuda(library, f);
	dlclose(library);
}

/* What is wrong, without what to do about it. */
static void cut_advice(char *text)
{
	char *last = NULL;

	for (char *at = text; (at = strstr(at, ": ")); at += 2)
		last = at;
	if (last)
		*last = '\0';
}

void td_cli_probe_gpu_runtime(struct td_cli_finding *f)
{
	struct tide_error err = {0, ""};
	struct tide_gpu_info info = {.size = sizeof info};

	if (tide_gpu_info(&info, 0, &err) == 0) {
		td_cli_found(f, true, NULL, "%s, %s, %d multiprocessors", info.name,
			     td_cli_bytes(info.memory_bytes).text, info.multiprocessors);
		return;
	}
	cut_advice(err.text);
	td_cli_found(f, false, "build tide where there is an nvcc, run it where there is a GPU",
		     "%.150s", err.text);
}

static bool find_program(const char *name, char *found, size_t size)
{
	const char *path = getenv("PATH");

	for (path = path ? path : ""; *path; path += strcspn(path, ":"), path += *path == ':') {
		int n = snprintf(found, size, "%.*s/%s", (int)strcspn(path, ":"), path, name);
		if (n > 0 && (size_t)n < size && access(found, X_OK) == 0)
			return true;
	}
	return false;
}

static void probe_program(const char *name, const char *fix, struct td_cli_finding *f)
{
	char found[128];
	bool ok = find_program(name, found, sizeof found);

	td_cli_found(f, ok, fix, "%s", ok ? found : "not in PATH");
}

void td_cli_probe_nbdkit(struct td_cli_finding *f)
{
	probe_program("nbdkit", "sudo apt install nbdkit", f);
}

void td_cli_probe_gnuplot(struct td_cli_finding *f)
{
	probe_program("gnuplot", "sudo apt install gnuplot-nox", f);
}
