#include "lent.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define ADDRESS_MOST (UINT64_C(1) << 56)

static bool apart(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a + a_bytes <= b || b + b_bytes <= a;
}

static int check_region(const struct td_uffd_lent *lent, size_t i, uint64_t page_bytes,
			uint64_t chunk_bytes, struct tide_error *err)
{
	const struct td_uffd_lent_region *r = &lent->region[i];
	if (!r->bytes || r->bytes % chunk_bytes)
		return tide_fail(err, -EINVAL,
				 "region %zu has %llu bytes, which are no whole chunks of %llu: "
				 "give a smaller chunk",
				 i, (unsigned long long)r->bytes, (unsigned long long)chunk_bytes);
	if ((r->base | r->file_offset | r->memory_offset) % page_bytes)
		return tide_fail(err, -EINVAL,
				 "region %zu does not begin at a page, in memory or in its files",
				 i);
	if (r->bytes > ADDRESS_MOST || r->base > ADDRESS_MOST - r->bytes ||
	    r->file_offset > ADDRESS_MOST || r->memory_offset > ADDRESS_MOST)
		return tide_fail(err, -EINVAL, "region %zu is beyond all addresses", i);
	for (size_t k = 0; k < i; k++) {
		const struct td_uffd_lent_region *o = &lent->region[k];
		if (!apart(r->base, r->bytes, o->base, o->bytes) ||
		    (lent->memfd >= 0 &&
		     !apart(r->memory_offset, r->bytes, o->memory_offset, o->bytes)))
			return tide_fail(err, -EINVAL, "regions %zu and %zu overlap", k, i);
	}
	return 0;
}

int td_lib_lent_check(const struct td_uffd_lent *lent, uint64_t page_bytes, uint64_t chunk_bytes,
		      struct tide_error *err)
{
	struct stat st = {0};
	int rc = 0;
	if (lent->memfd >= 0 && fstat(lent->memfd, &st))
		return tide_fail(err, -errno, "cannot look at the memory: %s", strerror(errno));
	for (size_t i = 0; !rc && i < lent->n; i++) {
		const struct td_uffd_lent_region *r = &lent->region[i];
		rc = check_region(lent, i, page_bytes, chunk_bytes, err);
		if (!rc && lent->memfd >= 0 && r->memory_offset + r->bytes > (uint64_t)st.st_size)
			rc = tide_fail(err, -EINVAL,
				       "region %zu ends behind the memory that came with it", i);
	}
	return rc;
}
