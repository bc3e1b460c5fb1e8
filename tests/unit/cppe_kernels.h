/* CPPE's regular applications as plain kernels: per application a function that runs its launches
 * on a side of n. */
#ifndef CPPE_KERNELS_H
#define CPPE_KERNELS_H

#include "gpu_plain.h"

static int64_t up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t clamp(int64_t v, int64_t n)
{
	return v < 0 ? 0 : v >= n ? n - 1 : v;
}

static bool hot_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const unsigned array[] = {1, 0, 2};
	int64_t y = 12 * t.by - 2 + t.ty, x = 12 * t.bx - 2 + t.tx;
	bool middle = t.tx >= 2 && t.ty >= 2 && t.tx <= 13 && t.ty <= 13;

	p->pc = (unsigned)k;
	if (k < 3 && y >= 0 && x >= 0 && y < p->n && x < p->n && (k < 2 || middle))
		touch(p, array[k], k == 2, y * p->n + x);
	return k < 3;
}

static void hot(struct plain *p)
{
	run_launch(p, hot_kernel, up(p->n, 12), up(p->n, 12), 16, 16);
}

static bool conv2_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t j = 32 * t.bx + t.tx, i = 8 * t.by + t.ty, n = p->n;

	p->pc = (unsigned)k;
	if (k > 9)
		return false;
	if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
		touch(p, k == 9, k == 9, k == 9 ? i * n + j : (i + k / 3 - 1) * n + j + k % 3 - 1);
	return true;
}

static void conv2(struct plain *p)
{
	run_launch(p, conv2_kernel, p->n / 32, p->n / 8, 32, 8);
}

static bool conv3_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const int64_t bc[][2] = {{-1, -1}, {-1, 1}, {0, 1}, {1, 1}};
	int64_t x = 32 * t.bx + t.tx, j = 8 * t.by + t.ty, n = p->n, i = p->arg;

	p->pc = (unsigned)k;
	if (x < 1 || j < 1 || x >= n - 1 || j >= n - 1)
		return k < 12;
	if (k < 8) {
		int64_t plane = i + (k % 2 ? 1 : -1);
		touch(p, 0, false, (plane * n + j + bc[k / 2][0]) * n + x + bc[k / 2][1]);
	} else if (k < 11)
		touch(p, 0, false, (i * n + j + k - 9) * n + x);
	else if (k == 11)
		touch(p, 1, true, (i * n + j) * n + x);
	return k < 12;
}

static void conv3(struct plain *p)
{
	for (p->arg = 1; p->arg < p->n - 1; p->arg++)
		run_launch(p, conv3_kernel, up(p->n, 32), up(p->n, 8), 32, 8);
}

static bool bkp_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t y = 16 * t.by + t.ty, idx = 17 * (y + 1) + t.tx + 1;

	p->pc = (unsigned)(k + p->arg);
	switch (p->pc) {
	case 0:
		if (t.tx == 0)
			touch(p, 0, false, y + 1);
		return true;
	case 1: touch(p, 1, false, idx); return true;
	case 2: touch(p, 1, true, idx); return true;
	case 3: touch(p, 2, true, y); return true;
	case 4:
		if (p->arg)
			touch(p, 3, false, t.tx + 1);
		return p->arg;
	case 5: touch(p, 0, false, y + 1); return true;
	case 6: touch(p, 4, false, idx); return true;
	case 7: touch(p, 1, false, idx); return true;
	case 8: touch(p, 1, true, idx); return true;
	case 9: touch(p, 4, true, idx); return true;
	default: return false;
	}
}

static void bkp(struct plain *p)
{
	for (p->arg = 0; p->arg <= 4; p->arg += 4)
		run_launch(p, bkp_kernel, 1, p->n / 16, 16, 16);
}

static bool pat_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t x = 216 * t.bx - 20 + t.tx, steps = p->arg == 80 ? 19 : 20, i = k - 1;
	bool inside = x >= 0 && x < p->n;

	p->pc = k == 0 ? 0 : k <= steps ? 1 : 2;
	if (k > steps + 1 || !inside)
		return k <= steps + 1;
	if (k == 0)
		touch(p, (unsigned)p->from, false, x);
	else if (k > steps && t.tx >= 20 && t.tx < 236)
		touch(p, (unsigned)p->into, true, x);
	else if (k <= steps && i < t.tx && t.tx < 255 - i)
		touch(p, 2, false, (p->arg + i) * p->n + x);
	return true;
}

static void pat(struct plain *p)
{
	for (p->arg = 0; p->arg < 99; p->arg += 20) {
		p->from = p->arg / 20 % 2;
		p->into = !p->from;
		run_launch(p, pat_kernel, up(p->n, 216), 1, 256, 1);
	}
}

static bool mvt_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t i = 256 * t.bx + t.tx, j = k / 4, second = p->arg;

	p->pc = (unsigned)(k % 4 + 4 * second);
	if (j == p->n)
		return false;
	switch (k % 4) {
	case 0: touch(p, second ? 2 : 1, false, i); break;
	case 1: touch(p, 0, false, second ? j * p->n + i : i * p->n + j); break;
	case 2: touch(p, second ? 4 : 3, false, j); break;
	default: touch(p, second ? 2 : 1, true, i); break;
	}
	return true;
}

static void mvt(struct plain *p)
{
	for (p->arg = 0; p->arg < 2; p->arg++)
		run_launch(p, mvt_kernel, p->n / 256, 1, 256, 1);
}

static bool bic_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t g = 256 * t.bx + t.tx, j = (k - 1) / 3, second = p->arg;
	unsigned sum = second ? 4 : 2;

	p->pc = (unsigned)((k ? 1 + (k - 1) % 3 : 0) + 4 * second);
	if (k && j == p->n)
		return false;
	switch (p->pc) {
	case 1: touch(p, 1, false, j); break;
	case 2: touch(p, 0, false, j * p->n + g); break;
	case 5: touch(p, 0, false, g * p->n + j); break;
	case 6: touch(p, 3, false, j); break;
	default: touch(p, sum, true, g); break;
	}
	return true;
}

static void bic(struct plain *p)
{
	for (p->arg = 0; p->arg < 2; p->arg++)
		run_launch(p, bic_kernel, p->n / 256, 1, 256, 1);
}

enum { J, C, E, W, S, N }; /* arrays of srd */

static bool srd_1(struct plain *p, struct thread t, int64_t k)
{
	int64_t n = p->n, y = 16 * t.by + t.ty, x = 16 * t.bx + t.tx;

	p->pc = (unsigned)k;
	switch (k) {
	case 0: touch(p, J, false, clamp(16 * t.by - 1, n) * n + x); return true;
	case 1: touch(p, J, false, clamp(16 * t.by + 16, n) * n + x); return true;
	case 2: touch(p, J, false, y * n + clamp(16 * t.bx - 1, n)); return true;
	case 3: touch(p, J, false, y * n + clamp(16 * t.bx + 16, n)); return true;
	case 4: touch(p, J, false, y * n + x); return true;
	case 5: touch(p, C, true, y * n + x); return true;
	case 6: touch(p, E, true, y * n + x); return true;
	case 7: touch(p, W, true, y * n + x); return true;
	case 8: touch(p, S, true, y * n + x); return true;
	case 9: touch(p, N, true, y * n + x); return true;
	default: return false;
	}
}

static bool srd_2(struct plain *p, struct thread t, int64_t k)
{
	static const unsigned pixel[] = {J, 0, 0, C, N, S, W, E, J};
	int64_t n = p->n, y = 16 * t.by + t.ty, x = 16 * t.bx + t.tx;

	p->pc = (unsigned)k + 10;
	if (k == 1)
		touch(p, C, false, clamp(16 * t.by + 16, n) * n + x);
	else if (k == 2)
		touch(p, C, false, y * n + clamp(16 * t.bx + 16, n));
	else if (k < 9)
		touch(p, pixel[k], k == 8, y * n + x);
	return k < 9;
}

static void srd(struct plain *p)
{
	for (int i = 0; i < 4; i++)
		run_launch(p, i % 2 ? srd_2 : srd_1, p->n / 16, p->n / 16, 16, 16);
}

static bool hsd_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t n = p->n, x = 64 * t.bx + t.tx, y = 4 * t.by + t.ty, z = k / 7;
	int64_t row = (z * n + y) * n;
	unsigned in = (unsigned)p->from;

	p->pc = (unsigned)(k % 7);
	if (z == 8)
		return false;
	switch (p->pc) {
	case 0:
		if (z < 7)
			touch(p, in, false, row + x + n * n);
		break;
	case 1: touch(p, in, false, row + clamp(x - 1, n)); break;
	case 2: touch(p, in, false, row + clamp(x + 1, n)); break;
	case 3: touch(p, in, false, (z * n + clamp(y + 1, n)) * n + x); break;
	case 4: touch(p, in, false, (z * n + clamp(y - 1, n)) * n + x); break;
	case 5: touch(p, 0, false, row + x); break;
	default: touch(p, (unsigned)p->into, true, row + x); break;
	}
	return true;
}

static void hsd(struct plain *p)
{
	for (int i = 0; i < 3; i++) {
		p->from = 1 + i % 2;
		p->into = 2 - i % 2;
		run_launch(p, hsd_kernel, p->n / 64, p->n / 4, 64, 4);
	}
}

static bool mrq_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const unsigned array[] = {3, 4, 5, 6, 7, 6, 7, 0, 1, 2};
	int64_t g = (p->arg ? 256 : 512) * t.bx + t.tx;

	p->pc = (unsigned)(p->arg ? k : k + 7);
	if (p->arg ? k == 7 : k == 3)
		return false;
	touch(p, array[p->pc], p->pc == 5 || p->pc == 6 || p->pc == 9, g);
	return true;
}

static void mrq(struct plain *p)
{
	for (p->arg = 0; p->arg <= 2; p->arg++)
		run_launch(p, mrq_kernel, p->arg ? p->n / 256 : 4, 1, p->arg ? 256 : 512, 1);
}

/* nx = ny = n, nz = n / 4. */
static bool stn_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const int64_t away[][3] = {{0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {0, -1, 0},
					  {1, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
	int64_t n = p->n, i = t.tx, j = t.bx + 1, z = t.by + 1;

	p->pc = (unsigned)k;
	if (k == 8)
		return false;
	i += i ? away[k][0] : 0;
	if (t.tx)
		touch(p, (unsigned)(k == 7 ? p->into : p->from), k == 7,
		      i + n * (j + away[k][1] + n * (z + away[k][2])));
	return true;
}

static void stn(struct plain *p)
{
	for (int i = 0; i < 3; i++) {
		p->from = i % 2;
		p->into = !p->from;
		run_launch(p, stn_kernel, p->n - 2, p->n / 4 - 2, p->n - 1, 1);
	}
}

/* m and n are p->n, k is p->arg. */
static bool sgm_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t m = 16 * t.bx + t.tx, n = 16 * t.by + t.ty, i = k / 2;

	p->pc = (unsigned)(k % 2 + 2 * (i == p->arg));
	if (i > p->arg)
		return false;
	if (i == p->arg)
		touch(p, 2, k % 2, m + p->n * n);
	else
		touch(p, k % 2 ? 1 : 0, false, (k % 2 ? n : m) + p->n * i);
	return true;
}

static void sgm(struct plain *p)
{
	p->arg = 240;
	run_launch(p, sgm_kernel, p->n / 16, p->n / 16, 16, 16);
}

static bool sgm_tiled_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t mid = t.ty * 16 + t.tx, m = 128 * t.bx + mid, end = p->arg / 8 * 9;
	int64_t i = k / 9 * 8, c = k - end;

	if (c >= 32)
		return false;
	p->pc = k >= end ? 2 + (unsigned)(c % 2) : (unsigned)(k % 9 == 0);
	if (k >= end)
		touch(p, 2, c % 2, m + p->n * (16 * t.by + c / 2));
	else if (k % 9 == 0)
		touch(p, 1, false, 16 * t.by + t.tx + p->n * (i + t.ty));
	else
		touch(p, 0, false, m + p->n * (i + k % 9 - 1));
	return true;
}

static void sgm_tiled(struct plain *p)
{
	p->arg = 240;
	run_launch(p, sgm_tiled_kernel, p->n / 128, p->n / 16, 16, 8);
}

#endif
