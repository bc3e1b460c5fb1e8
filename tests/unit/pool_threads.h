/* Pools without device memory, whose own threads work beside the test. */
#ifndef POOL_THREADS_H
#define POOL_THREADS_H

#include "pool_help.h"

#define SECONDS 20 /* what does not come within them never comes */

/* Further settings, then open_watched(). */
static inline void make_plain(struct fixture *f, uint64_t pages)
{
	make_file(f, pages, NULL);
	f->config.main_pages = 256;
	f->config.device_pages = 0;
}

static inline void open_watched(struct fixture *f)
{
	open_pool(f);
	alarm(SECONDS);
}

static inline void end(struct fixture *f)
{
	alarm(0);
	close_pool(f);
	check_file(f);
	remove_file(f);
}

#endif
