/* What is behind the door to the GPU, for the files of this room. */
#ifndef TD_LIB_CUDA_H
#define TD_LIB_CUDA_H

#include "pool/pool.h"

/* libtide_cuda.so, which stays. NULL: err, which is not NULL and said nothing yet, says why. */
void *td_lib_load_cuda(struct tide_error *err);

/* Memory of the GPU for the pool. -ENODEV: says what is missing. */
int td_lib_pool_cuda(const struct td_pool_device **out, struct tide_error *err);

#endif
