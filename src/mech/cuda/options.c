/* Options of the GPU runtime: from texts to numbers that fit together. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/params.h"
#include "core/text.h"
#include "runtime.h"
#include "tide/policy.h"

#define PAGE_MIN 4096u
#define PAGE_MAX ((uint64_t)2 << 20)
#define SHARDS_MAX 4096
#define FRAMES_PER_SHARD 32 /* what a warp looks at in one step */
#define STAGING_PER_SHARD 4

static struct td_core_word shown(const char *text)
{
	return td_core_shown(text, strlen(text));
}

/* ---- sizes ---- */

static int parse_page(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	text = text ? text : "64K";
	if (td_core_size(text, strlen(text), &s->page_bytes) || s->page_bytes < PAGE_MIN ||
	    s->page_bytes > PAGE_MAX || s->page_bytes & (s->page_bytes - 1))
		return tide_fail(err, -EINVAL, "page of '%s': give a power of two from 4K to 2M",
				 shown(text).text);
	s->page_shift = (uint32_t)__builtin_ctzll(s->page_bytes);
	return 0;
}

/* Bytes, rounded up to pages; or pages. */
static int parse_pages(const struct td_cuda_settings *s, const char *what, const char *text,
		       uint64_t *pages, struct tide_error *err)
{
	size_t n = strlen(text);
	uint64_t bytes = 0;
	int rc;
	if (n && text[n - 1] == 'p') {
		rc = td_core_count(text, n - 1, pages);
	} else {
		rc = td_core_size(text, n, &bytes);
		*pages = bytes / s->page_bytes + (bytes % s->page_bytes != 0);
	}
	if (rc)
		return tide_fail(err, -EINVAL, "%s of '%s' is no size: write 4G, or 1024p (pages)",
				 what, shown(text).text);
	/* Frames and slots have 28 bits, and near and host are added to each other. */
	if (*pages >= TD_DEV_INDEX_MAX / 2)
		return tide_fail(err, -EINVAL,
				 "%s of '%s' is %" PRIu64 " pages of %" PRIu64
				 " bytes, too many: give less, or larger pages",
				 what, shown(text).text, *pages, s->page_bytes);
	return 0;
}

static int parse_near(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	if (!text)
		return tide_fail(err, -EINVAL, "no size of near memory: give one, say 4G");
	int rc = parse_pages(s, "near memory", text, &s->near_pages, err);
	if (!rc && s->near_pages < 2)
		rc = tide_fail(err, -EINVAL,
			       "near memory of '%s' is less than two pages: give more",
			       shown(text).text);
	return rc;
}

static int parse_address(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	s->pages = 16 * (s->near_pages + s->host_pages);
	if (text) {
		uint64_t bytes = 0;
		size_t n = strlen(text);
		bool in_pages = n && text[n - 1] == 'p';
		if (in_pages ? td_core_count(text, n - 1, &s->pages)
			     : td_core_size(text, n, &bytes))
			return tide_fail(err, -EINVAL,
					 "address of '%s' is no size: write 64G, or 1024p (pages)",
					 shown(text).text);
		if (!in_pages)
			s->pages = bytes / s->page_bytes + (bytes % s->page_bytes != 0);
	}
	if (s->pages && s->pages < UINT32_MAX)
		return 0;
	if (!text) {
		s->pages = UINT32_MAX - 1;
		return 0;
	}
	return tide_fail(err, -EINVAL, "address of '%s': give 1 to 2^32 - 2 pages",
			 shown(text).text);
}

/* ---- words ---- */

static int choose(const char *what, const char *text, const char *const *words, uint32_t *at,
		  struct tide_error *err)
{
	char all[128] = "";
	for (*at = 0; words[*at]; ++*at) {
		if (strncmp(text, words[*at], td_core_spec_name(text)) == 0 &&
		    strlen(words[*at]) == td_core_spec_name(text))
			return 0;
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", words[*at]);
	}
	return tide_fail(err, -EINVAL, "unknown %s '%s': give one of %s", what, shown(text).text,
			 all);
}

static int parse_transfer(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	static const char *const words[] = {"zero-copy", "dma", "hybrid", NULL};
	text = text ? text : words[s->host_orchestrated ? TD_DEV_DMA : TD_DEV_ZERO_COPY];
	int rc = choose("transfer", text, words, &s->transfer, err);
	if (!rc)
		snprintf(s->transfer_text, sizeof s->transfer_text, "%s", words[s->transfer]);
	return rc;
}

static int parse_orchestrate(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	static const char *const words[] = {"gpu", "host", NULL};
	uint32_t at = 0;
	int rc = choose("orchestrate", text ? text : words[0], words, &at, err);
	s->host_orchestrated = at == 1;
	s->lockstep &= !s->host_orchestrated; /* the engine writes its own log */
	return rc;
}

/* ---- placement ---- */

/* Sampling every page would keep the bus busy: a placement is shown one page in eight. In lockstep
 * it is shown all, as in the simulator. */
#define SHOWN 0.125

/* The placements of policies/place that the GPU runs too, in the order of device/placements.h. */
extern const struct tide_placer *const td_placer_table[];

static int find_placer(const char *text, uint32_t *at, struct tide_error *err)
{
	const char *names[32] = {NULL};
	for (uint32_t i = 0; td_placer_table[i] && i < 31; i++)
		names[i] = td_placer_table[i]->policy->name;
	return choose("placement", text, names, at, err);
}

static int parse_place(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	union tide_value *values = NULL;
	char who[64];
	text = text ? text : "worth";
	int rc = find_placer(text, &s->place, err);
	if (rc)
		return rc;
	if (snprintf(s->place_text, sizeof s->place_text, "%s", text) >= (int)sizeof s->place_text)
		return tide_fail(err, -EINVAL, "placement '%s' is too long", shown(text).text);
	const struct tide_placer *placer = td_placer_table[s->place];
	snprintf(who, sizeof who, "place policy %s", placer->policy->name);
	rc = td_core_params(placer->policy->params, text, who, &values, err);
	if (!rc)
		rc = placer->settle(values, &s->placing, err);
	free(values);
	s->rate = s->placing.rate * (s->lockstep ? 1 : SHOWN);
	return rc;
}

/* ---- numbers ---- */

static int parse_count(const char *what, const char *text, uint64_t min, uint64_t max,
		       uint64_t *value, struct tide_error *err)
{
	if (text && (td_core_u64(text, strlen(text), value) || *value < min || *value > max))
		return tide_fail(err, -EINVAL,
				 "%s of '%s': give a number from %" PRIu64 " to %" PRIu64, what,
				 shown(text).text, min, max);
	return 0;
}

static int parse_time(const char *what, const char *text, uint64_t *ns, struct tide_error *err)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"", 1000000000}};
	size_t digits = strspn(text, "0123456789"), i = 0;
	uint64_t value = 0;
	while (i < 4 && strcmp(text + digits, units[i].unit) != 0)
		i++;
	if (i < 4 && !td_core_u64(text, digits, &value) && value &&
	    value <= UINT64_C(1000000000000000) / units[i].ns) {
		*ns = value * units[i].ns;
		return 0;
	}
	return tide_fail(err, -EINVAL, "%s of '%s': write 30s or 500ms, at most 1000000s", what,
			 shown(text).text);
}

static uint32_t power_below(uint64_t n)
{
	return n ? (uint32_t)1 << (63 - __builtin_clzll(n)) : 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int parse_shards(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	uint64_t frames = s->near_pages / FRAMES_PER_SHARD;
	uint64_t value =
		power_below(least(64, least(frames, s->staging_pages / STAGING_PER_SHARD)));
	int rc = parse_count("shards", text, 1, SHARDS_MAX, &value, err);
	if (rc)
		return rc;
	if (s->lockstep || s->host_orchestrated)
		value = 1;
	if (value & (value - 1))
		return tide_fail(err, -EINVAL, "shards of '%s': give a power of two",
				 shown(text).text);
	if (value > s->near_pages || 2 * value > s->staging_pages)
		return tide_fail(err, -EINVAL,
				 "%" PRIu64 " shards need a page of near memory and two of staging "
				 "each, there are %" PRIu64 " and %" PRIu64 ": give fewer shards",
				 value, s->near_pages, s->staging_pages);
	s->shards = (uint32_t)value;
	return 0;
}

static int parse_staging(struct td_cuda_settings *s, const char *text, struct tide_error *err)
{
	int rc = parse_pages(s, "staging", text ? text : "96M", &s->staging_pages, err);
	if (!rc && s->staging_pages < STAGING_PER_SHARD)
		rc = tide_fail(err, -EINVAL, "staging of '%s' is less than %d pages: give more",
			       shown(text ? text : "96M").text, STAGING_PER_SHARD);
	return rc;
}

/* ---- all ---- */

static int parse_sizes(struct td_cuda_settings *s, const struct tide_gpu_options *o,
		       struct tide_error *err)
{
	int rc = parse_page(s, o->page, err);
	if (!rc)
		rc = parse_near(s, o->near_size, err);
	if (!rc && o->host)
		rc = parse_pages(s, "host memory", o->host, &s->host_pages, err);
	if (!rc)
		rc = parse_address(s, o->address, err);
	if (!rc)
		rc = parse_staging(s, o->staging, err);
	return rc;
}

int td_cuda_parse(struct td_cuda_settings *s, const struct tide_gpu_options *o,
		  struct tide_error *err)
{
	uint64_t proxies = 2;
	*s = (struct td_cuda_settings){.seed = 1, .device = o->device, .lockstep = o->log != NULL};
	int rc = parse_sizes(s, o, err);
	if (!rc)
		rc = parse_orchestrate(s, o->orchestrate, err);
	if (!rc)
		rc = parse_place(s, o->place, err);
	if (!rc)
		rc = parse_transfer(s, o->transfer, err);
	if (!rc)
		rc = parse_count("proxies", o->proxies, 1, TD_CUDA_PROXIES, &proxies, err);
	if (!rc)
		rc = parse_count("seed", o->seed, 0, UINT64_MAX, &s->seed, err);
	if (!rc)
		rc = parse_time("timeout", o->timeout ? o->timeout : "30s", &s->timeout_ns, err);
	if (!rc && o->watch)
		rc = parse_time("watch", o->watch, &s->watch_ns, err);
	if (!rc)
		rc = parse_shards(s, o->shards, err);
	s->proxies = (uint32_t)proxies;
	if (s->placing.two_tiers && !s->host_orchestrated)
		s->host_pages = 0; /* the placement never looks there */
	s->placing.near_pages = s->near_pages;
	s->placing.host_pages = s->host_pages;
	return rc;
}
