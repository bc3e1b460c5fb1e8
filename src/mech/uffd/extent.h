/* Address ranges: an extent is a mapping as it was made, a region what of it is still mapped. */
#ifndef TD_UFFD_EXTENT_H
#define TD_UFFD_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tiers/io.h"

struct td_pager;
struct td_mapping;

/* An address range as it was mapped, with consecutive page numbers. */
struct td_extent {
	uint64_t first;  /* page number, a multiple of the chunk */
	uint64_t pages;  /* whole chunks */
	uint64_t asked;  /* pages that were asked for */
	uint64_t exists; /* of these, pages that were not unmapped */
	unsigned char *base, *view;
	const struct td_mapping *mapping;
	bool tracks; /* a first write faults */
	bool has_file, shared, read_only;
	bool ended;     /* nothing of it is mapped any more */
	unsigned users; /* who need it without the lock, and no chunk of it is busy */
	struct td_io_file file;
	uint64_t file_offset;
	uint64_t memory_offset; /* lent: in the memfd */
};

/* What of an extent is still mapped: parts may be unmapped. */
struct td_region {
	uintptr_t start, end;
	struct td_extent *extent;
};

/* Page numbers that are not in use. */
struct td_span {
	uint64_t first, pages;
};

#endif
