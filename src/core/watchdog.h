/* A thread that looks, ten times a second, whether somebody else's code has been called and does
 * not return. A call cannot be taken back, so all it can do is say so. */
#ifndef TD_CORE_WATCHDOG_H
#define TD_CORE_WATCHDOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Looks are counted, not time: where the whole process was stopped, nobody was late. */
#define TD_LOOK_MS 100
#define TD_LOOK_NS (TD_LOOK_MS * UINT64_C(1000000))

struct td_looks {
	uint64_t seen, n; /* the turn at the last look, and how many looks it has been the same */
};

/* One look. True once for a call: it has now been under way for longer than limit_ns. */
bool td_looks_late(struct td_looks *l, bool calling, uint64_t turn, uint64_t limit_ns);
uint64_t td_looks_seconds(const struct td_looks *l);

struct td_watchdog {
	void *arg;
	/* Is a call under way? As long as the turn stays the same, it is the same call. */
	bool (*calling)(void *arg, uint64_t *turn);
	void (*stuck)(void *arg, uint64_t seconds); /* once for a call */
	void (*look)(void *arg);                    /* at every look; NULL: nothing */
	uint64_t limit_ns;
	int stop_fd; /* readable: the thread ends */
	pthread_t thread;
	bool started;
};

/* 0 or -errno. No signal reaches the thread. */
int td_watchdog_start(struct td_watchdog *w);
/* After stop_fd has become readable. */
void td_watchdog_join(struct td_watchdog *w);

#endif
