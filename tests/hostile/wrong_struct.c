/* Structs that no policy should have. */
#include <stdint.h>
#include <stdlib.h>

#include "hostile.h"

static const struct tide_param endless[] = {
	{"a", TIDE_PARAM_INT, "1", 0, 9, "a row"},
	{"b", (enum tide_param_type)77, (const char *)(uintptr_t)8, 0, 9,
	 (const char *)(uintptr_t)16},
};
static const struct tide_param no_type[] = {{"a", (enum tide_param_type)99, "1", 0, 9, "a row"},
					    {0}};
static const struct tide_param no_range[] = {{"a", TIDE_PARAM_INT, "5", 9, 1, "a row"}, {0}};
static const struct tide_param no_default[] = {{"a", TIDE_PARAM_INT, NULL, 0, 9, "a row"}, {0}};
static const struct tide_param bad_name[] = {
	{(const char *)(uintptr_t)24, TIDE_PARAM_INT, "1", 0, 9, "a row"}, {0}};
static const struct tide_param observes_all[] = {
	{"observe", TIDE_PARAM_INT, "1000000", 0, 1e9, "more than there are counters"}, {0}};
static const struct tide_param samples_none[] = {
	{"samples", TIDE_PARAM_INT, "0", 0, 1e9, "no page of a chunk"}, {0}};
static struct tide_param itself[] = {{"of", TIDE_PARAM_POLICIES, NULL, 0, 0, "itself"}, {0}};

static char long_name[4096];

static size_t more_slots(const union tide_value *values, uint32_t chunk_pages)
{
	(void)values, (void)chunk_pages;
	return SIZE_MAX;
}

static unsigned more_needs(const union tide_value *values)
{
	(void)values;
	return 1u << 31;
}

static int fail_silently(void *self, const struct tide_view *view, const union tide_value *values,
			 struct tide_error *err)
{
	(void)self, (void)view, (void)values, (void)err;
	return 7;
}

static int fail_endlessly(void *self, const struct tide_view *view, const union tide_value *values,
			  struct tide_error *err)
{
	(void)self, (void)view, (void)values;
	memset(err->text, 'x', sizeof err->text);
	return INT32_MIN;
}

static const struct {
	const char *way;
	size_t at; /* the member: a number of so many bytes, or a pointer */
	size_t bytes;
	uint64_t value;
} members[] = {
#define MEMBER(way, name, value) \
	{ \
		way, offsetof(struct tide_policy, name), sizeof((struct tide_policy *)0)->name, \
			(uint64_t)(value) \
	}
#define POINTER(way, name, value) MEMBER(way, name, (uintptr_t)(value))
	MEMBER("api-none", api, 0),
	MEMBER("api-next", api, 2),
	MEMBER("size-0", size, 0),
	MEMBER("size-huge", size, UINT32_MAX),
	MEMBER("size-4096", size, 4096),
	MEMBER("role-none", role, 77),
	MEMBER("needs-unknown", needs, 1u << 30),
	MEMBER("state-huge", state_bytes, SIZE_MAX),
	MEMBER("slots-huge", chunk_bytes, SIZE_MAX),
	POINTER("name-null", name, NULL),
	POINTER("name-empty", name, ""),
	POINTER("name-bytes", name, "\xff\xfe"),
	POINTER("name-escape", name, "\x1b[31mred"),
	POINTER("name-nowhere", name, 8),
	POINTER("name-long", name, long_name),
	POINTER("summary-null", summary, NULL),
	POINTER("summary-bytes", summary, "\xc0\x80"),
	POINTER("paper-null", paper, NULL),
	POINTER("paper-nowhere", paper, 8),
	POINTER("params-endless", params, endless),
	POINTER("params-nowhere", params, 8),
	POINTER("params-name", params, bad_name),
	POINTER("params-type", params, no_type),
	POINTER("params-range", params, no_range),
	POINTER("params-default", params, no_default),
	POINTER("observes-all", params, observes_all),
	POINTER("samples-none", params, samples_none),
	POINTER("itself", params, itself),
	POINTER("no-question", pick_victim, NULL),
	POINTER("no-place", place_victim, NULL),
	POINTER("no-plan", plan_prefetch, NULL),
	POINTER("more-slots", chunk_bytes_with, more_slots),
	POINTER("more-needs", needs_with, more_needs),
	POINTER("create-fails", create, fail_silently),
	POINTER("create-endless", create, fail_endlessly),
};

void hostile_spoil(struct tide_policy *p)
{
	memset(long_name, 'x', sizeof long_name - 1);
	itself[0].initial = getenv("HOSTILE_ITSELF");
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		if (hostile_is(members[i].way))
			memcpy((char *)p + members[i].at, &members[i].value, members[i].bytes);
	}
}
