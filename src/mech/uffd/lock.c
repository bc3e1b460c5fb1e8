#include "pager.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Moving a page takes a microsecond or two, being woken on another processor thirty: look again for
 * a while before going to sleep. */
#define LOOKS 40
#define PAUSES 40
/* The lock is held for a microsecond or two: for less than that, unless its holder has lost its
 * processor. */
#define LOCK_LOOKS 64
#define LOCK_PAUSES 4

static void pause_a_little(int pauses)
{
	for (int i = 0; i < pauses; i++) {
#ifdef __x86_64__
		__builtin_ia32_pause();
#else
		__asm__ volatile("" ::: "memory");
#endif
	}
}

void td_pager_lock(struct td_pager *p)
{
	for (int i = 0; i < LOCK_LOOKS; i++) {
		if (!pthread_mutex_trylock(&p->lock))
			return;
		pause_a_little(LOCK_PAUSES);
	}
	pthread_mutex_lock(&p->lock);
}

void td_pager_enter(struct td_pager *p, sigset_t *saved)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, saved);
	td_pager_lock(p);
}

void td_pager_leave(struct td_pager *p, const sigset_t *saved)
{
	pthread_mutex_unlock(&p->lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static bool is_busy(struct td_pager *p, uint32_t chunk)
{
	return *td_pager_state(p, chunk) & CHUNK_BUSY;
}

void td_pager_await(struct td_pager *p, uint32_t chunk)
{
	for (int i = 0; is_busy(p, chunk); i++) {
		if (i < LOOKS) {
			pthread_mutex_unlock(&p->lock);
			pause_a_little(PAUSES);
			td_pager_lock(p);
		} else {
			*td_pager_state(p, chunk) |= CHUNK_AWAITED;
			pthread_cond_wait(&p->calm, &p->lock);
		}
	}
}

void td_pager_calm(struct td_pager *p, uint32_t chunk)
{
	uint8_t *state = td_pager_state(p, chunk);
	if (*state & CHUNK_AWAITED)
		pthread_cond_broadcast(&p->calm);
	*state &= (uint8_t) ~(CHUNK_BUSY | CHUNK_AWAITED);
	td_pager_made_room(p); /* what is not busy can leave */
}

void td_pager_await_room(struct td_pager *p)
{
	p->waiting++;
	pthread_cond_wait(&p->room, &p->lock);
	p->waiting--;
}

void td_pager_made_room(struct td_pager *p)
{
	if (p->waiting)
		pthread_cond_broadcast(&p->room);
}

uint64_t td_pager_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void td_pager_say(struct td_pager *p, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text - 1, format, args);
	va_end(args);
	size_t length = n < 0 ? 0 : (size_t)n < sizeof text - 2 ? (size_t)n : sizeof text - 2;
	if (p->config.message) {
		p->config.message(p->config.message_arg, text);
		return;
	}
	text[length] = '\n';
	/* Not by stdio: its lock may be held by the thread that was interrupted. */
	ssize_t ignored = write(STDERR_FILENO, text, length + 1);
	(void)ignored;
}
