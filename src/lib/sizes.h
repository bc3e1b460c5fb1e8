/* Sizes, shares and seeds as people write them. */
#ifndef TD_LIB_SIZES_H
#define TD_LIB_SIZES_H

#include <stdint.h>

#include "tide/error.h"

/* The requested near memory: pages, or a share of a footprint that is not yet known. */
struct td_lib_near {
	uint64_t pages;           /* 0: a share */
	uint64_t share_numerator; /* share in units of 10^-9 per cent, exact */
	uint64_t bare; /* bytes given as a number alone, less than a page; 0: they are not */
};

/* A text that is NULL means the default: seed 1, pages of 4K, chunks of 64K. */
int td_lib_seed(const char *text, uint64_t *seed, struct tide_error *err);
int td_lib_page_bytes(const char *text, uint64_t *page_bytes, struct tide_error *err);
int td_lib_chunk_pages(const char *text, uint64_t page_bytes, uint32_t *chunk_pages,
		       struct tide_error *err);
int td_lib_near_parse(const char *text, uint64_t page_bytes, struct td_lib_near *near,
		      struct tide_error *err);
/* The same in bytes, for objects with sizes: `pages` are bytes then. */
int td_lib_near_bytes_parse(const char *text, uint64_t page_bytes, struct td_lib_near *near,
			    struct tide_error *err);
/* Host memory is written the same way, and may be 0. */
int td_lib_host_parse(const char *text, uint64_t page_bytes, struct td_lib_near *host,
		      struct tide_error *err);
uint64_t td_lib_host_resolve(const struct td_lib_near *host, uint64_t footprint_pages);

/* For the end of an error: what `50` could have meant. Empty: it was not given so. */
struct td_lib_meant {
	char text[160];
};
struct td_lib_meant td_lib_meant(const struct td_lib_near *near);

/* `10s` or `10`: nanoseconds; NULL: 10 s. */
int td_lib_seconds(const char *text, uint64_t *ns, struct tide_error *err);

/* The pages of near memory for a footprint. */
int td_lib_near_resolve(const struct td_lib_near *near, uint64_t footprint_pages,
			uint32_t chunk_pages, uint64_t *pages, struct tide_error *err);

#endif
