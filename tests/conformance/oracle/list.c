#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must(void *memory)
{
	if (!memory) {
		fputs("oracle: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

size_t list_find(const struct list *l, uint32_t v)
{
	size_t i = 0;

	while (i < l->n && l->at[i] != v)
		i++;
	return i;
}

bool list_has(const struct list *l, uint32_t v)
{
	return list_find(l, v) < l->n;
}

void list_insert(struct list *l, size_t at, uint32_t v)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->at = must(realloc(l->at, l->room * sizeof(*l->at)));
	}
	memmove(l->at + at + 1, l->at + at, (l->n - at) * sizeof(*l->at));
	l->at[at] = v;
	l->n++;
}

void list_push(struct list *l, uint32_t v)
{
	list_insert(l, l->n, v);
}

uint32_t list_take(struct list *l, size_t at)
{
	uint32_t v = l->at[at];

	l->n--;
	memmove(l->at + at, l->at + at + 1, (l->n - at) * sizeof(*l->at));
	return v;
}

bool list_drop(struct list *l, uint32_t v)
{
	size_t at = list_find(l, v);

	if (at == l->n)
		return false;
	list_take(l, at);
	return true;
}

void list_renew(struct list *l, uint32_t v)
{
	list_drop(l, v);
	list_push(l, v);
}
