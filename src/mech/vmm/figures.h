/* What a run on a GPU measures besides counts. */
#ifndef TD_VMM_FIGURES_H
#define TD_VMM_FIGURES_H

#include <stdint.h>

struct td_gpu_figures {
#define TD_GPU_FIGURE(name, help) uint64_t name;
#include "figures.def"
#undef TD_GPU_FIGURE
};

#endif
