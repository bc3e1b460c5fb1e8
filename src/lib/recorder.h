/* Writes what happens in a live run to a trace, as it happens. The pager calls it with its lock
 * held, maybe in a signal handler. So a call may not wait for long, allocate or take a lock.
 *
 *     pager -> ring of fixed memory -> a thread -> trace file
 *
 * Only a full ring makes the pager wait, until the thread has written. Memory that the thread
 * touches must not be paged, or the thread would wait for itself. td_recorder_close() reports a
 * failed write, once. After a failed write everything is dropped, and the pager does not wait. */
#ifndef TD_LIB_RECORDER_H
#define TD_LIB_RECORDER_H

#include "core/event.h"
#include "tide/error.h"
#include "tide/event.h"

struct td_recorder;

/* The file has the tide format, whatever its name. It appears under its name when it is closed. */
int td_recorder_open(struct td_recorder **out, const char *path, struct tide_error *err);

/* Any thread may call these, one at a time. A mark's `at` is not read: the mark happens now. */
void td_recorder_event(struct td_recorder *r, const struct td_event *event);
void td_recorder_mark(struct td_recorder *r, const struct tide_mark *mark);

/* Call it after the last event. NULL is fine. A run without an event is an error, and leaves no
 * file. */
int td_recorder_close(struct td_recorder *r, struct tide_error *err);

#endif
