/* Memory of one NUMA node as device memory, such as memory behind CXL: numa:1. The kernel takes it
 * from that node as long as the node has some, and then from others, since the pool could not go on
 * without. */
#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.h"
#include "host_slots.h"

#define NODES_MAX 1024u
#define WORD_BITS (CHAR_BIT * sizeof(unsigned long))

/* The nodes that have memory, as "0-1,3". A kernel without NUMA does not say: then there is one. */
static void list_nodes(char *list, size_t bytes)
{
	FILE *f = fopen("/sys/devices/system/node/has_memory", "re");
	if (!f || !fgets(list, (int)bytes, f))
		snprintf(list, bytes, "0");
	list[strcspn(list, "\n")] = '\0';
	if (f)
		fclose(f);
}

static bool is_listed(const char *list, uint64_t node)
{
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == list || (first <= node && node <= last))
			return end != list;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

static int find_node(const char *text, uint64_t *node, struct tide_error *err)
{
	char list[256];
	list_nodes(list, sizeof list);
	bool is_number = !td_core_u64(text, strlen(text), node) && *node < NODES_MAX;
	if (is_number && is_listed(list, *node))
		return 0;
	return tide_fail(err, -EINVAL, "no memory node '%s' for numa: this machine has %s%s",
			 td_core_shown(text, strlen(text)).text,
			 strpbrk(list, "-,") ? "nodes " : "one node, ", list);
}

static int bind_to(const struct td_pool_slots *s, uint64_t node, struct tide_error *err)
{
	unsigned long nodes[NODES_MAX / WORD_BITS] = {0};
	nodes[node / WORD_BITS] = 1ul << node % WORD_BITS;
	if (!s->at || !syscall(SYS_mbind, s->at, s->bytes, MPOL_PREFERRED, nodes, NODES_MAX, 0))
		return 0;
	return tide_fail(err, -errno, "memory of node %u cannot be asked for: %s: allow mbind",
			 (unsigned)node, strerror(errno));
}

static int numa_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	uint64_t node = 0;
	int rc = find_node(want->where, &node, err);
	if (!rc)
		rc = td_pool_slots_alloc(state, want, err);
	if (rc)
		return rc;
	rc = bind_to(*state, node, err);
	if (rc) {
		td_pool_slots_free(*state);
		*state = NULL;
	}
	return rc;
}

const struct td_pool_device td_pool_device_numa = {
	.name = "numa",
	.takes = "NODE",
	.alloc = numa_alloc,
	.free = td_pool_slots_free,
	.gather = td_pool_slots_gather,
	.scatter = td_pool_slots_scatter,
	.hash = td_pool_host_hash,
	.parallel = true,
};
