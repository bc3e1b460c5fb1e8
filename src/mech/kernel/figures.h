/* What a run under mapping kernel measures besides counts. */
#ifndef TD_KERNEL_FIGURES_H
#define TD_KERNEL_FIGURES_H

#include <stdint.h>

struct td_kernel_figures {
#define TD_KERNEL_FIGURE(name, help) uint64_t name;
#include "figures.def"
#undef TD_KERNEL_FIGURE
};

#endif
