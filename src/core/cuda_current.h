/* What is current in a thread of a program that uses CUDA: got, and set again.
 *
 * It is a context of the driver, or none. To go back by cudaSetDevice() would make a context on a
 * GPU that the program may never use. The functions are there for files that include CUDA's
 * runtime first. */
#ifndef TD_CORE_CUDA_CURRENT_H
#define TD_CORE_CUDA_CURRENT_H

#include <stddef.h>

struct td_cuda_current {
	void *before;    /* the context; NULL: none */
	void *get, *set; /* functions of the driver; NULL: not yet looked for */
};

#ifdef CUDART_VERSION
#include <cuda.h>

typedef CUresult td_cuda_get_current(CUcontext *context);
typedef CUresult td_cuda_set_current(CUcontext context);

static inline void *td_cuda_driver_function(const char *name)
{
	enum cudaDriverEntryPointQueryResult found;
	void *at = NULL;
#if CUDART_VERSION >= 12050
	cudaError_t e =
		cudaGetDriverEntryPointByVersion(name, &at, 12000, cudaEnableDefault, &found);
#else
	cudaError_t e = cudaGetDriverEntryPoint(name, &at, cudaEnableDefault, &found);
#endif
	if (e != cudaSuccess)
		cudaGetLastError();
	return e == cudaSuccess && found == cudaDriverEntryPointSuccess ? at : NULL;
}

static inline void td_cuda_current_get(struct td_cuda_current *c)
{
	CUcontext before = NULL;
	if (!c->set) {
		c->get = td_cuda_driver_function("cuCtxGetCurrent");
		c->set = td_cuda_driver_function("cuCtxSetCurrent");
	}
	if (c->get)
		((td_cuda_get_current *)c->get)(&before);
	c->before = before;
}

static inline void td_cuda_current_set(const struct td_cuda_current *c)
{
	if (c->set)
		((td_cuda_set_current *)c->set)((CUcontext)c->before);
}
#endif

#endif
