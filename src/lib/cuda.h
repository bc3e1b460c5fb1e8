/* What the files of this room use of the GPU's library. */
#ifndef TD_LIB_CUDA_H
#define TD_LIB_CUDA_H

#include "pool/pool.h"

/* Loads libtide_cuda.so, which stays loaded. NULL: err says why. err must not be NULL, and must be
 * empty before. */
void *td_lib_load_cuda(struct tide_error *err);

/* Memory of the GPU for the pool. -ENODEV: err says what is missing. */
int td_lib_pool_cuda(const struct td_pool_device **out, struct tide_error *err);

#endif
