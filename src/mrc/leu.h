/* The curve of leu with fixed statistics. */
#ifndef TD_MRC_LEU_H
#define TD_MRC_LEU_H

#include "mrc.h"
#include "tide/rit.h"

/* The config of td_mrc_leu. */
struct td_mrc_leu_config {
	const struct tide_rit *table; /* learned before; lives as long as the method */
	bool by_page;                 /* its keys are pages, not refs */
	/* Beyond so many pages it gives up with -E2BIG and no message; 0: never. */
	uint64_t most_pages;
};

extern const struct td_mrc_method td_mrc_leu;

#endif
