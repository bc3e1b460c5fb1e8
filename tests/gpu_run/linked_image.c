/* What the library hashes chunks with, where it is linked into a program: the fake driver's own
 * hash, with FAKE_CUDA_HASH=1. */
#include "run/gpu/preload.h"

const unsigned char td_gpu_image[] = "tide fake hash";
const size_t td_gpu_image_bytes = sizeof td_gpu_image;
