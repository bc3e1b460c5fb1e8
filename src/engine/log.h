/* The decision log: one JSON line per fault, with what left and what came in.
 *
 *     {"t":17,"fault":205,"evict":[12,3],"bring":[[204,3],[208,1]]}
 *
 * evict lists chunk numbers in order. bring lists runs of pages as [first, count]. If a notice
 * brings pages in, its line says "notice" instead of "fault". If the program asks for pages of a
 * chunk, or says that it will not need the chunk, the line says "asked" or "cold", with the
 * first page of the chunk. */
#ifndef TD_ENGINE_LOG_H
#define TD_ENGINE_LOG_H

#include "tide/error.h"
#include "tide/policy.h"

struct td_engine_log;

int td_engine_log_open(struct td_engine_log **out, const char *path, struct tide_error *err);
/* Returns an error, and removes the file, if not everything could be written. A run that stops
 * early leaves the log of its decisions until then. */
/* In the child of a fork, where it is the parent's: nothing more is written, nothing closed. */
void td_engine_log_disown(struct td_engine_log *log);
int td_engine_log_close(struct td_engine_log *log, struct tide_error *err);

/* The calls of one line, in this order. All do nothing if log is NULL. */
void td_engine_log_fault(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_notice(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_asked(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_cold(struct td_engine_log *log, uint64_t time, uint64_t page);
void td_engine_log_evict(struct td_engine_log *log, uint64_t chunk_number);
void td_engine_log_bring(struct td_engine_log *log, uint64_t first_page, uint64_t pages);
void td_engine_log_end(struct td_engine_log *log);

#endif
