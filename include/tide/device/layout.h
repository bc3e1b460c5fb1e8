/* The layout of the tables that kernels and the runtime share, as it is compiled into this file.
 * */
#ifndef TIDE_DEVICE_LAYOUT_H
#define TIDE_DEVICE_LAYOUT_H

#include <tide/device/placements.h> /* made by the build */

#include "../gpu.h"
#include "control.h"

static inline struct tide_gpu_layout td_dev_layout(void)
{
	struct tide_gpu_layout layout = {sizeof(struct tide_gpu_layout), TD_DEV_LAYOUT,
					 (uint32_t)sizeof(struct td_dev_control),
					 TIDE_PLACEMENTS_SUM};
	return layout;
}

#endif
