/* The probes of tide doctor. */
#ifndef TD_CLI_DOCTOR_H
#define TD_CLI_DOCTOR_H

#include <stdbool.h>

struct td_cli_finding {
	bool ok;
	char detail[160];
	const char *fix; /* a command or an advice; NULL where there is nothing to do */
};

/* Fills it; fix: where it is not ok. */
__attribute__((format(printf, 4, 5))) void td_cli_found(struct td_cli_finding *f, bool ok,
							const char *fix, const char *format, ...);
extern const char td_cli_driver_fix[];

/* gpu_near.c: can this GPU run programs in less memory than they allocate? */
void td_cli_gpu_near(int device, struct td_cli_finding *f);

void td_cli_probe_cores(struct td_cli_finding *f);
void td_cli_probe_memory(struct td_cli_finding *f);
void td_cli_probe_huge_pages(struct td_cli_finding *f);
void td_cli_probe_userfaultfd(struct td_cli_finding *f);
void td_cli_probe_uffd_device(struct td_cli_finding *f);
void td_cli_probe_uffd_features(struct td_cli_finding *f);
void td_cli_probe_preload(struct td_cli_finding *f);
void td_cli_probe_io_uring(struct td_cli_finding *f);
void td_cli_probe_cgroup(struct td_cli_finding *f);
void td_cli_probe_kernel(struct td_cli_finding *f);
void td_cli_probe_cuda(struct td_cli_finding *f);
void td_cli_probe_gpu_runtime(struct td_cli_finding *f);
void td_cli_probe_gpu_near(struct td_cli_finding *f);
void td_cli_probe_nbdkit(struct td_cli_finding *f);
void td_cli_probe_gnuplot(struct td_cli_finding *f);

#endif
