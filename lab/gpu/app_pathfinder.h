/* Pathfinder: the cheapest way down a wall of numbers, from row to row straight or to a column
 * beside, eight rows per launch. */
#ifndef TD_GPU_APPS_PATHFINDER_H
#define TD_GPU_APPS_PATHFINDER_H

#include <stdint.h>

enum { TD_PATHFINDER_RESULT0, TD_PATHFINDER_RESULT1, TD_PATHFINDER_WALL }; /* arrays */
enum { TD_PATHFINDER_COLS, TD_PATHFINDER_ROWS };                           /* sizes */
enum { TD_PATHFINDER_STEPS = 8 };                                          /* rows per launch */
enum { TD_PATHFINDER_STRIP = 512 }; /* columns of a warp; all columns are a multiple of it */

static inline uint64_t td_pathfinder_launches(uint64_t rows)
{
	return (rows + TD_PATHFINDER_STEPS - 1) / TD_PATHFINDER_STEPS;
}

#endif
