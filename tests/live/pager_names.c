/* A refusal and a run with the same options name the same mapping.
 * usage: pager_names POLICY-THAT-NO-PAGER-CAN-RUN */
#include "pager_help.h"

static void name_of_run(struct tide_options o, char *name, size_t size)
{
	struct tide_stats stats = {.size = sizeof stats};
	o.evict = "fifo"; /* which needs nothing either */
	struct tide *t = open_pager(&o);
	tide_stats(t, &stats, NULL);
	close_pager(t);
	snprintf(name, size, "the pager with mapping %s ", stats.mapping);
}

static void compare(const struct tide_options *o)
{
	char name[64];
	struct tide_error err = {.text = ""};
	struct tide *t;
	name_of_run(*o, name, sizeof name);
	must(tide_open(&t, o, &err) < 0, "a policy was not refused");
	must(strstr(err.text, name), "a run says '%s', the refusal '%s'", name, err.text);
}

int main(int argc, char **argv)
{
	static const char *const mappings[] = {"auto", "exact", "around", "fast", "copy"};
	static const char *const services[] = {"signal", "thread"};
	static const char *const chunks[] = {"1p", "16p"};
	static const char *const hosts[] = {NULL, "8M"};
	must(argc == 2, "usage: pager_names POLICY");
	for (unsigned i = 0; i < 5 * 2 * 2 * 2; i++) {
		struct tide_options o = {.size = sizeof o,
					 .near_size = "4M",
					 .evict = argv[1],
					 .prefetch = "none",
					 .mapping = mappings[i / 8],
					 .service = services[i & 1],
					 .chunk = chunks[i >> 1 & 1],
					 .host = hosts[i >> 2 & 1]};
		compare(&o);
	}
	return 0;
}
