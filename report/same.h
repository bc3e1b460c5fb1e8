/* Between the files that tell results of the same run apart. */
#ifndef TD_REPORT_SAME_H
#define TD_REPORT_SAME_H

#include <stdarg.h>

#include "model.h"
#include "record.h"

struct td_report_key {
	char text[33];
};

/* The names of a run: those by which it is looked for, the surest first, and those by which it is
 * found. */
struct td_report_keys {
	size_t n_find, n_keep;
	struct td_report_key find[3], keep[3];
};

/* asked: what was asked of the input, without its name. */
int td_report_make_keys(struct td_report_keys *keys, const struct td_report_record *record,
			const char *asked, const char *command, uint64_t accesses);
/* known: from keys to places. SIZE_MAX: there is none. */
size_t td_report_find_same(const json_t *known, const struct td_report_keys *keys);
int td_report_keep_keys(json_t *known, const struct td_report_keys *keys, size_t at, bool stands);

/* Of two results of one run with other numbers: what the one is that does not stand, and whether
 * the new one stands. */
enum td_report_state td_report_judge(const char *old_version, const char *version, bool *stands);

#endif
