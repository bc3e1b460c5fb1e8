/* Functions by name, as CUDA's runtime finds them. */
#include "fake.h"

static const struct row {
	const char *name, *base;
	int since;
	void (*function)(void);
} rows[] = {
#define CALL(name, base, since, arguments) {#name, #base, since, (void (*)(void))name},
#include "../driver.def"
#undef CALL
	{"cuGraphInstantiateWithFlags", "cuGraphInstantiate", 12000,
	 (void (*)(void))cuGraphInstantiateWithFlags},
};

enum { FOUND, NO_NAME, NO_VERSION };

static bool is_per_thread(const struct row *r)
{
	size_t n = strlen(r->name);
	return n > 5 && (!strcmp(r->name + n - 5, "_ptsz") || !strcmp(r->name + n - 5, "_ptds"));
}

/* The newest that is not too new; among those, the one of the thread's stream where that is wanted.
 */
static const struct row *row_of(const char *base, int version, bool per_thread, int *status)
{
	const struct row *best = NULL;
	*status = NO_NAME;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct row *r = &rows[i];
		if (strcmp(r->base, base) || (is_per_thread(r) && !per_thread))
			continue;
		if (*status == NO_NAME)
			*status = NO_VERSION;
		if (r->since <= version && (!best || r->since >= best->since))
			best = r;
	}
	if (best)
		*status = FOUND;
	return best;
}

EXPORT cu_result cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
				     int *status)
{
	ENTER(cuGetProcAddress_v2);
	if (!name || !function || flags > 3)
		return CU_INVALID_VALUE;
	int how;
	const struct row *r = row_of(name, version, flags & CU_PROC_PER_THREAD_STREAM, &how);
	*function = r ? *(void *const *)&r->function : NULL;
	if (status)
		*status = how;
	return r || status ? CU_OK : CU_NOT_FOUND;
}

EXPORT cu_result cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
	ENTER(cuGetProcAddress);
	if (!name || !function || flags > 3)
		return CU_INVALID_VALUE;
	int how;
	const struct row *r = row_of(name, version, flags & CU_PROC_PER_THREAD_STREAM, &how);
	*function = r ? *(void *const *)&r->function : NULL;
	return r ? CU_OK : CU_NOT_FOUND;
}
