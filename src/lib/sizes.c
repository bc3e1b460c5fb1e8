#include "sizes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "core/text.h"

#define SHARE_DIGITS 9
#define SHARE_UNIT UINT64_C(1000000000)

static int bad_size(const char *what, const char *text, struct tide_error *err)
{
	return tide_fail(err, -EINVAL, "%s of '%s' is no size: write 4096, 64K, 1.5M or 16G", what,
			 td_core_shown(text, strlen(text)).text);
}

int td_lib_seed(const char *text, uint64_t *seed, struct tide_error *err)
{
	text = text ? text : "1";
	if (td_core_u64(text, strlen(text), seed))
		return tide_fail(err, -EINVAL, "seed of '%s' is no number: give 0 to 2^64 - 1",
				 td_core_shown(text, strlen(text)).text);
	return 0;
}

int td_lib_page_bytes(const char *text, uint64_t *page_bytes, struct tide_error *err)
{
	text = text ? text : "4K";
	if (td_core_size(text, strlen(text), page_bytes))
		return bad_size("page", text, err);
	if (!*page_bytes || *page_bytes > UINT64_C(1) << 40)
		return tide_fail(err, -EINVAL, "page of '%s': give a size from 1 byte to 1T", text);
	return 0;
}

int td_lib_chunk_pages(const char *text, uint64_t page_bytes, uint32_t *chunk_pages,
		       struct tide_error *err)
{
	uint64_t bytes, pages;
	text = text ? text : "64K";
	size_t n = strlen(text);
	bool in_pages = n && text[n - 1] == 'p';
	if (in_pages ? td_core_count(text, n - 1, &pages) : td_core_size(text, n, &bytes))
		return bad_size("chunk", text, err);
	if (in_pages)
		bytes = pages > 64 ? UINT64_MAX : pages * page_bytes;
	else
		pages = bytes / page_bytes;
	if (!pages || (!in_pages && bytes % page_bytes))
		return tide_fail(err, -EINVAL,
				 "chunk of %" PRIu64
				 " bytes is not a multiple of the page of %" PRIu64
				 " bytes: give `chunk` as 1 to 64 pages",
				 bytes, page_bytes);
	if (pages > 64)
		return tide_fail(
			err, -EINVAL,
			"chunk of %" PRIu64
			" pages is more than 64: give a smaller `chunk` or a larger `page`",
			pages);
	*chunk_pages = (uint32_t)pages;
	return 0;
}

/* `75` or `12.5` as billionths, exactly; a share of more than a million per cent is an error. */
static int parse_share(const char *text, size_t n, uint64_t *out)
{
	const char *point = memchr(text, '.', n);
	size_t whole = point ? (size_t)(point - text) : n, digits = point ? n - whole - 1 : 0;
	uint64_t value, fraction = 0;
	if (whole > 2 && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL; /* sixteenths of a hundred are nobody's share */
	if (td_core_u64(text, whole, &value) || value > 1000000 || digits > SHARE_DIGITS ||
	    (point && !digits))
		return -EINVAL;
	for (size_t i = 0; i < SHARE_DIGITS && point; i++) {
		char c = i < digits ? point[1 + i] : '0';
		if (c < '0' || c > '9')
			return -EINVAL;
		fraction = fraction * 10 + (uint64_t)(c - '0');
	}
	*out = value * SHARE_UNIT + fraction;
	return 0;
}

static bool is_bare(const char *text, size_t n)
{
	uint64_t number;
	return !td_core_u64(text, n, &number);
}

struct td_lib_meant td_lib_meant(const struct td_lib_near *near)
{
	struct td_lib_meant meant = {""};
	if (near->bare)
		snprintf(meant.text, sizeof meant.text,
			 "; %" PRIu64 " alone is bytes: write %" PRIu64
			 "%% of the footprint, %" PRIu64 "p (pages) or %" PRIu64 "M",
			 near->bare, near->bare, near->bare, near->bare);
	return meant;
}

static int parse_amount(const char *text, uint64_t page_bytes, struct td_lib_near *amount,
			const char *what, struct tide_error *err)
{
	size_t n = strlen(text);
	int rc;
	*amount = (struct td_lib_near){0};
	if (n && text[n - 1] == '%') {
		rc = parse_share(text, n - 1, &amount->share_numerator);
	} else if (n && text[n - 1] == 'p') {
		rc = td_core_count(text, n - 1, &amount->pages);
	} else {
		uint64_t bytes;
		rc = td_core_size(text, n, &bytes);
		if (!rc) {
			amount->pages = bytes / page_bytes + (bytes % page_bytes != 0);
			amount->bare = is_bare(text, n) && bytes < page_bytes ? bytes : 0;
		}
	}
	if (!rc)
		return 0;
	return tide_fail(err, -EINVAL,
			 "%s memory of '%s' is no size: write 512M, 1024p (pages) or 75%% (of the "
			 "footprint)",
			 what, td_core_shown(text, strlen(text)).text);
}

static uint64_t resolve(const struct td_lib_near *amount, uint64_t footprint_pages)
{
	if (amount->pages)
		return amount->pages;
	unsigned __int128 unit = (unsigned __int128)SHARE_UNIT * 100;
	unsigned __int128 share = (unsigned __int128)footprint_pages * amount->share_numerator;
	share = (share + unit - 1) / unit;
	return share > UINT64_MAX ? UINT64_MAX : (uint64_t)share;
}

int td_lib_near_parse(const char *text, uint64_t page_bytes, struct td_lib_near *near,
		      struct tide_error *err)
{
	int rc = parse_amount(text, page_bytes, near, "near", err);
	if (!rc && !near->pages && !near->share_numerator)
		return tide_fail(err, -EINVAL,
				 "near memory of 0: give `near_size` at least one chunk");
	return rc;
}

int td_lib_near_bytes_parse(const char *text, uint64_t page_bytes, struct td_lib_near *near,
			    struct tide_error *err)
{
	size_t n = strlen(text);
	int rc = td_lib_near_parse(text, 1, near, err);
	if (rc || !n || text[n - 1] != 'p')
		return rc;
	if (__builtin_mul_overflow(near->pages, page_bytes, &near->pages))
		return tide_fail(err, -EINVAL, "near memory of %s pages is too large: give less",
				 text);
	return 0;
}

int td_lib_near_resolve(const struct td_lib_near *near, uint64_t footprint_pages,
			uint32_t chunk_pages, uint64_t *pages, struct tide_error *err)
{
	*pages = resolve(near, footprint_pages);
	if (*pages < chunk_pages)
		return tide_fail(
			err, -EINVAL,
			"near memory of %" PRIu64 " page%s is smaller than one chunk of %" PRIu32
			" pages: give a larger `near_size` or a smaller `chunk`, such as 1p%s",
			*pages, &"s"[*pages == 1], chunk_pages, td_lib_meant(near).text);
	return 0;
}

int td_lib_host_parse(const char *text, uint64_t page_bytes, struct td_lib_near *host,
		      struct tide_error *err)
{
	return parse_amount(text, page_bytes, host, "host", err);
}

uint64_t td_lib_host_resolve(const struct td_lib_near *host, uint64_t footprint_pages)
{
	return resolve(host, footprint_pages);
}

int td_lib_seconds(const char *text, uint64_t *ns, struct tide_error *err)
{
	size_t n = text ? strlen(text) : 0;
	uint64_t seconds = 10;
	if (n && text[n - 1] == 's')
		n--;
	if (text && (td_core_u64(text, n, &seconds) || seconds > 1000000))
		return tide_fail(err, -EINVAL, "watchdog of '%s': give seconds, 0 for none",
				 td_core_shown(text, strlen(text)).text);
	*ns = seconds * 1000000000u;
	return 0;
}
