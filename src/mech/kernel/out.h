/* What the books want done: pages of other processes leave, and come into the swap cache. */
#ifndef TD_KERNEL_OUT_H
#define TD_KERNEL_OUT_H

#include "books.h"
#include "tree.h"

/* Carries out and empties what is in the books. */
void td_kernel_carry_out(struct td_kernel_books *b, struct td_kernel_tree *t);

#endif
