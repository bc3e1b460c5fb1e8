/* Who serves faults is a table: `signal` (signal.c) or `thread` (thread.c). */
#ifndef TD_UFFD_SERVICE_H
#define TD_UFFD_SERVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tide/error.h"

struct td_pager;

struct td_service {
	const char *name;
	unsigned gives; /* of enum tide_needs: what policies can see */
	bool wakes;     /* who faulted sleeps until it is woken; else it serves the fault itself */
	int (*start)(struct td_pager *p, struct tide_error *err);
	/* Comes after `stopping` and stop_fd have said so; also where it was not started. */
	void (*stop)(struct td_pager *p);
	/* In the child of a fork, where no thread is left but one. */
	int (*begin_child)(struct td_pager *p);
	/* Now and then, by the watchdog: starts again what has ended. */
	void (*look_after)(struct td_pager *p);
};

extern const struct td_service td_service_signal, td_service_thread;

#endif
