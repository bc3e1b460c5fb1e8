/* Misuse of tide/device.cuh that the compiler must refuse: the case whose name is defined. Without
 * one, all of this compiles. See compile.sh. */
#include "tide/device.cuh"

struct padded {
	float x, y, z, unused;
};
struct large {
	double cells[1024];
};

/* What every case is a small change of. */
__global__ void uses(tide_span a, int *to)
{
	tide_cursor<padded> at(a);
	tide_cursor<float> floats(a);
	const padded *p = at.read(0);
	at.write(0)->x = p->x + *floats.read(3);
	tide_bring<padded>(a, 0);
	tide_write<double>(a, 0, (double)tide_read<int>(a, 0));
	tide_write_lane<float4>(a, 0, tide_read_lane<float4>(a, 1));
	*to = 1;
}

int launches(struct tide_gpu *g, int *to)
{
	tide_span a = {};
	int rc = tide_launch(g, NULL, 1, 32, 2, uses, a, to);
	return rc ? rc : tide_launch(g, NULL, 1, 32, 2, uses, a, NULL);
}

#ifdef CURSOR_STORE_THROUGH_READ
__global__ void misuses(tide_span a)
{
	tide_cursor<double> at(a);
	at.read(0)[1] = 2;
}
#endif
#ifdef CURSOR_OF_TWELVE_BYTES
__global__ void misuses(tide_span a, float *to)
{
	tide_cursor<float3> at(a);
	*to = at.read(400)->x;
}
#endif
#ifdef CURSOR_LARGER_THAN_A_PAGE
__global__ void misuses(tide_span a, double *to)
{
	tide_cursor<large> at(a);
	*to = at.read(1)->cells[0];
}
#endif
#ifdef READ_TWELVE_BYTES
__global__ void misuses(tide_span a, float *to)
{
	*to = tide_read<float3>(a, threadIdx.x).x;
}
#endif
#ifdef WRITE_LANE_TWELVE_BYTES
__global__ void misuses(tide_span a)
{
	tide_write_lane<float3>(a, threadIdx.x, make_float3(1, 2, 3));
}
#endif
#ifdef BRING_TWELVE_BYTES
__global__ void misuses(tide_span a)
{
	tide_bring<float3>(a, threadIdx.x);
}
#endif
#ifdef LAUNCH_OTHER_POINTER
int misuses(struct tide_gpu *g, double *to)
{
	tide_span a = {};
	return tide_launch(g, NULL, 1, 32, 2, uses, a, to);
}
#endif
#ifdef LAUNCH_TOO_FEW
int misuses(struct tide_gpu *g)
{
	tide_span a = {};
	return tide_launch(g, NULL, 1, 32, 2, uses, a);
}
#endif
