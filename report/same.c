/* Results of the same run: which of them are equal, which conflict and which are outdated.
 *
 * Two results are of the same run if their records say so, or if the same was asked of the same
 * input. Equal numbers count once. Of different numbers those of the newer tide stand; those of
 * the same tide conflict, and the first stands. What does not stand is set aside: it is shown, and
 * not compared. */
#include "same.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Keys are many and long: of each only a hash is kept. */
__attribute__((format(printf, 2, 3))) static int make_key(struct td_report_key *key,
							  const char *format, ...)
{
	va_list args;
	XXH128_hash_t h;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	h = XXH3_128bits(text, (size_t)n);
	snprintf(key->text, sizeof key->text, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64,
		 (uint64_t)h.low64);
	free(text);
	return 0;
}

/* A result without a digest is told by its command line and the length of its input, and meets
 * those that have one by that too. Two that have digests are told by these alone. */
int td_report_make_keys(struct td_report_keys *keys, const struct td_report_record *record,
			const char *asked, const char *command, uint64_t accesses)
{
	struct td_report_key with, without, *k = keys->find;
	int rc = 0;

	if (make_key(&with, "with %" PRIu64 " %s", accesses, command) ||
	    make_key(&without, "without %" PRIu64 " %s", accesses, command))
		return -ENOMEM;
	if (record->input && record->settings)
		rc = make_key(k++, "record %s %s", record->input, record->settings);
	if (!rc && record->input)
		rc = make_key(k++, "asked %s %s", record->input, asked);
	if (rc)
		return rc;
	keys->n_keep = (size_t)(k - keys->find);
	memcpy(keys->keep, keys->find, keys->n_keep * sizeof *k);
	keys->keep[keys->n_keep++] = record->input ? with : without;
	*k++ = without;
	if (!record->input)
		*k++ = with;
	keys->n_find = (size_t)(k - keys->find);
	return 0;
}

size_t td_report_find_same(const json_t *known, const struct td_report_keys *keys)
{
	for (size_t i = 0; i < keys->n_find; i++) {
		const json_t *at = json_object_get(known, keys->find[i].text);
		if (at)
			return (size_t)json_integer_value(at);
	}
	return SIZE_MAX;
}

/* The keys of what stands lead to it. */
int td_report_keep_keys(json_t *known, const struct td_report_keys *keys, size_t at, bool stands)
{
	int rc = 0;

	for (size_t i = 0; i < keys->n_keep && !rc; i++)
		if (stands || !json_object_get(known, keys->keep[i].text))
			rc = json_object_set_new(known, keys->keep[i].text,
						 json_integer((json_int_t)at));
	return rc ? -ENOMEM : 0;
}

enum td_report_state td_report_judge(const char *old_version, const char *version, bool *stands)
{
	int order = strverscmp(version, old_version);

	*stands = order > 0;
	return order ? TD_REPORT_OUTDATED : TD_REPORT_CONFLICTS;
}
