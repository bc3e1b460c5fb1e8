#include "keys.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "core/text.h"

#define UNIT 8 /* texts begin at multiples of it */

int td_trace_keys_init(struct td_trace_keys *k, uint64_t most)
{
	k->used = 0;
	k->most = most;
	tide_vec_init(&k->texts, 1);
	return tide_map_init(&k->map, 0);
}

void td_trace_keys_free(struct td_trace_keys *k)
{
	tide_map_free(&k->map);
	tide_vec_free(&k->texts);
}

bool td_trace_key_number(const char *text, size_t n, uint64_t *page)
{
	if (!n || n > 20 || text[0] < '0' || text[0] > '9' || (text[0] == '0' && n > 1))
		return false;
	return !td_core_u64(text, n, page);
}

uint64_t td_trace_key_hash(const char *text, size_t n)
{
	return XXH3_64bits(text, n);
}

static bool is_same(const struct td_trace_keys *k, uint32_t place, const char *text, size_t n)
{
	const unsigned char *at = k->texts.at + (uint64_t)place * UNIT;
	uint32_t bytes;

	memcpy(&bytes, at, sizeof bytes);
	return bytes == n && !memcmp(at + sizeof bytes, text, n);
}

int td_trace_keys_note(struct td_trace_keys *k, uint64_t hash, const char *text, size_t n)
{
	struct tide_map_entry *e = tide_map_find(&k->map, hash);
	uint64_t bytes = (sizeof(uint32_t) + n + 1 + UNIT - 1) / UNIT * UNIT;
	unsigned char *at;
	int rc;

	if (e->value_plus_1)
		return is_same(k, e->value_plus_1 - 1, text, n) ? 0 : -EEXIST;
	if (n > UINT32_MAX / 2 || k->used + bytes > k->most)
		return 0;
	rc = tide_vec_reserve(&k->texts, k->used + bytes);
	if (!rc)
		rc = tide_map_put(&k->map, e, hash, (uint32_t)(k->used / UNIT));
	if (rc)
		return rc;
	at = k->texts.at + k->used;
	memcpy(at, &(uint32_t){(uint32_t)n}, sizeof(uint32_t));
	memcpy(at + sizeof(uint32_t), text, n);
	k->used += bytes;
	return 0;
}

const char *td_trace_keys_text(const struct td_trace_keys *k, uint64_t hash)
{
	uint32_t place = tide_map_get(&k->map, hash);

	if (place == TIDE_NIL)
		return NULL;
	return (const char *)k->texts.at + (uint64_t)place * UNIT + sizeof(uint32_t);
}
