/* Handles. */
#include <stdio.h>

#include "fake.h"

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_progress = PTHREAD_COND_INITIALIZER;

/* Their list has a lock of its own, for it is used with the other held and without. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all;

void *fake_allocate(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);
	if (!p) {
		fprintf(stderr, "fake cuda: no memory\n");
		abort();
	}
	return p;
}

void *fake_make(enum made_kind kind, size_t bytes)
{
	struct made *m = fake_allocate(bytes);
	m->kind = kind;
	pthread_mutex_lock(&lock);
	m->next = all;
	if (all)
		all->before = m;
	all = m;
	pthread_mutex_unlock(&lock);
	return m;
}

bool fake_is(const void *handle, enum made_kind kind)
{
	pthread_mutex_lock(&lock);
	const struct made *m = all;
	while (m && (m != handle || m->kind != kind))
		m = m->next;
	pthread_mutex_unlock(&lock);
	return m != NULL;
}

void fake_unmake(void *handle)
{
	struct made *m = handle;
	pthread_mutex_lock(&lock);
	if (m->before)
		m->before->next = m->next;
	else
		all = m->next;
	if (m->next)
		m->next->before = m->before;
	pthread_mutex_unlock(&lock);
	free(m);
}
