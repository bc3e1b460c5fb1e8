#include "plan.h"

#include <errno.h>
#include <inttypes.h>

const struct td_app_plan *const td_app_plans[TD_APP_PLANS] = {
	&td_app_plan_lavamd,         &td_app_plan_pathfinder, &td_app_plan_bfs,
	&td_app_plan_multivectoradd, &td_app_plan_srad,       &td_app_plan_backprop,
	&td_app_plan_pagerank,       &td_app_plan_sssp,       &td_app_plan_hotspot,
};

double td_app_bytes(const struct td_app_shape *s)
{
	return s->oversubscription * ((double)s->near_bytes + (double)s->host_bytes) * s->scale;
}

uint64_t td_app_round(double value, uint64_t step)
{
	uint64_t steps = (uint64_t)(value / (double)step + .5);

	return (steps ? steps : 1) * step;
}

void td_app_size(struct td_app_shape *s, unsigned which, const char *name, uint64_t value)
{
	s->size[which] = value;
	s->size_names[which] = name;
}

unsigned td_app_add(struct td_app_shape *s, const char *name, uint64_t elements,
		    unsigned element_bytes, unsigned flags, td_app_fill *fill)
{
	s->array[s->arrays] = (struct td_app_array){
		.name = name,
		.bytes = elements * element_bytes,
		.element_bytes = element_bytes,
		.flags = flags,
		.fill = fill,
	};
	if (!(flags & TD_APP_NEAR))
		s->data_bytes += elements * element_bytes;
	return s->arrays++;
}

static int check(const struct td_app_shape *s, struct tide_error *err)
{
	const double most = 0x1p40;

	if (!(td_app_bytes(s) >= 1 && td_app_bytes(s) <= most))
		return tide_fail(err, -EINVAL,
				 "%s: %.3g bytes of data: give tiers, oversubscription and scale "
				 "for 1 byte to 1 TiB",
				 s->plan->name, td_app_bytes(s));
	if (s->page_bytes < 4096 || s->page_bytes > (2 << 20) ||
	    (s->page_bytes & (s->page_bytes - 1)))
		return tide_fail(err, -EINVAL,
				 "%s: pages of %" PRIu64
				 " bytes: give a power of two from 4K to 2M",
				 s->plan->name, s->page_bytes);
	return 0;
}

int td_app_shape(struct td_app_shape *s, const struct td_app_plan *plan, struct tide_error *err)
{
	s->plan = plan;
	s->oversubscription = s->oversubscription > 0 ? s->oversubscription : 2;
	s->scale = s->scale > 0 ? s->scale : 1;
	s->page_bytes = s->page_bytes ? s->page_bytes : 65536;
	s->iterations = s->iterations ? s->iterations : plan->iterations;
	s->arrays = 0;
	s->data_bytes = 0;
	int rc = check(s, err);
	return rc ? rc : plan->size(s, err);
}

uint64_t td_app_sum(const void *words, uint64_t first, uint64_t n)
{
	const uint32_t *word = words;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += td_app_mix(first + i, word[i]);
	return sum;
}
