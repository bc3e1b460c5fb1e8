/* A pager across a fork, for what is in front of a program and sees every fork. All signals are
 * blocked from the first call to the last. */
#ifndef TD_LIB_INHERIT_H
#define TD_LIB_INHERIT_H

#include "tide/pager.h"

/* 0: the child will inherit the memory, and one of the next two follows; else -errno: this pager's
 * memory cannot be inherited. */
int td_lib_before_fork(struct tide *t);
void td_lib_in_parent(struct tide *t);
/* 0: the child has a pager like the parent's, which neither records nor logs. 1: it could have
 * none; its memory is plain, and complete. -errno: content is lost. */
int td_lib_in_child(struct tide *t);
/* A child that does not inherit the memory: what is recorded and logged is the parent's. */
void td_lib_disown(struct tide *t);

#endif
