/* The decision log: one JSON line per fault, what left and what came in.
 *
 *     {"t":17,"fault":205,"evict":[12,3],"bring":[[204,3],[208,1]]}
 *
 * evict lists chunk numbers in order, bring runs of pages as [first, count]. Where a notice, not a
 * fault, brings pages in, its line says "notice" for "fault"; where the program asked for pages of
 * a chunk, or said that it will not need it, "asked" or "cold", with the chunk's first page. */
#ifndef TD_ENGINE_LOG_H
#define TD_ENGINE_LOG_H

#include "tide/error.h"
#include "tide/policy.h"

struct td_engine_log;

int td_engine_log_open(struct td_engine_log **out, const char *path, struct tide_error *err);
/* Has everything reached the file? If not, it is removed. A run that stops leaves the log of what
 * it decided until then. */
int td_engine_log_close(struct td_engine_log *log, struct tide_error *err);

/* The calls of one line, in this order; all do nothing where log is NULL. */
void td_engine_log_fault(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_notice(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_asked(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_cold(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_evict(struct td_engine_log *log, uint64_t chunk_number);
void td_engine_log_bring(struct td_engine_log *log, uint64_t first_page, uint64_t pages);
void td_engine_log_end(struct td_engine_log *log);

#endif
