/* Writes what happens in a live run to a trace, as it happens, from a place where nothing may wait
 * for long, allocate or take a lock: the pager's lock is held, maybe in a signal handler.
 *
 *     pager -> ring of fixed memory -> a thread -> trace file
 *
 * Only a full ring makes the pager wait, for the thread to write. What the thread itself touches
 * must not be paged, or it would wait for itself. A failed write is said once, by close; from then
 * on everything is dropped, and nobody waits. */
#ifndef TD_LIB_RECORDER_H
#define TD_LIB_RECORDER_H

#include "tide/error.h"
#include "tide/event.h"

struct td_recorder;

/* The file is of the tide format whatever its name, and there under its name once it is closed. */
int td_recorder_open(struct td_recorder **out, const char *path, struct tide_error *err);

/* One at a time, from any thread. A mark's `at` is not looked at: it happens now. */
void td_recorder_event(struct td_recorder *r, const struct tide_event *event);
void td_recorder_mark(struct td_recorder *r, const struct tide_mark *mark);

/* After the last event. NULL is fine. A run without an event is an error, and leaves no file. */
int td_recorder_close(struct td_recorder *r, struct tide_error *err);

#endif
