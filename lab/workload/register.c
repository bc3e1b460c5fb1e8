/* The papers' applications, for every program that this library is linked into. */
#include "gpu.h"

/* The build makes it from lab/workload/app_NAME.c. */
extern const struct td_workload *const td_lab_workloads[];

void td_lab_workloads_registered(void);

/* The linker is asked for this name, and so takes this file from the archive. */
__attribute__((constructor)) void td_lab_workloads_registered(void)
{
	td_workload_register(td_lab_workloads);
}
