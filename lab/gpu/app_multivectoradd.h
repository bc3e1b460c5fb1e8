/* MultiVectorAdd: C += A1, C += A2, .. C += A5, one launch each. */
#ifndef TD_GPU_APPS_MULTIVECTORADD_H
#define TD_GPU_APPS_MULTIVECTORADD_H

enum { TD_MVA_INPUTS = 5, TD_MVA_C = TD_MVA_INPUTS }; /* arrays */
enum { TD_MVA_ELEMENTS };                             /* sizes */

#endif
