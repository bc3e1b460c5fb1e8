/* Texts as page numbers: a text becomes its hash, and the texts are kept for reports. */
#ifndef TD_TRACE_KEYS_H
#define TD_TRACE_KEYS_H

#include <stdbool.h>

#include "tide/map.h"

/* Texts beyond these bytes become page numbers too, but are not kept. */
#define TD_TRACE_KEYS_BYTES ((uint64_t)256 << 20)

struct td_trace_keys {
	struct tide_map map;   /* hash -> place in texts, in units of 8 bytes */
	struct tide_vec texts; /* one after another: u32 bytes, the text, and a 0 */
	uint64_t used, most;   /* bytes of texts */
};

/* most: TD_TRACE_KEYS_BYTES, or less for a test. 0 or -ENOMEM. */
int td_trace_keys_init(struct td_trace_keys *k, uint64_t most);
void td_trace_keys_free(struct td_trace_keys *k);

/* A whole number in the one way to write it, without zeros in front, is itself. */
bool td_trace_key_number(const char *text, size_t n, uint64_t *page);
uint64_t td_trace_key_hash(const char *text, size_t n);

/* Keeps the text of a hash. 0, -ENOMEM, or -EEXIST: another text has this hash. */
int td_trace_keys_note(struct td_trace_keys *k, uint64_t hash, const char *text, size_t n);
/* The text, ended by 0, until the next note; NULL: not known. */
const char *td_trace_keys_text(const struct td_trace_keys *k, uint64_t hash);

#endif
