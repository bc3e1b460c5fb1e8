/* What tests can ask of the software device, and tell it. */
#ifndef TD_MECH_CUDA_DEVICE_HOST_H
#define TD_MECH_CUDA_DEVICE_HOST_H

#include <stdatomic.h>

#include "device.h"

#define TD_CUDA_HOST_NONE (-1)

extern _Thread_local int td_cuda_host_current; /* the GPU that is current in this thread */
/* How long the next kernel runs, as its wait sees it. No time passes. */
extern _Atomic uint64_t td_cuda_host_busy_ns;

#endif
