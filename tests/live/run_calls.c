/* What programs do with their memory, one case by name, to be run by `tide run`: prints nothing and
 * ends with 0, or says what went wrong. Sizes are a few times the near memory of the test.
 * usage: run_calls CASE */
#include "run_calls.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"advice", advice},
		{"alarms", alarms_come},
		{"any-order", any_order},
		{"bus", bus},
		{"bus-jumps", bus_jumps},
		{"busy", ends_busy},
		{"cancels", cancels},
		{"closing", closing},
		{"direct", direct},
		{"early-forks", early_forks},
		{"exit", ends_by_exit},
		{"files", files},
		{"forks", forks},
		{"guarded-forks", guarded_forks},
		{"heap", heap},
		{"in-malloc", ends_in_malloc},
		{"jumps", jumps},
		{"last", ends_last},
		{"library", library},
		{"library-forks", library_forks},
		{"no-forks", no_forks},
		{"no-protect", no_protect},
		{"opening", opening},
		{"structures", structures},
		{"parts", parts},
		{"protect", protect},
		{"quickly", ends_quickly},
		{"remap", remap},
		{"signal", ends_by_signal},
		{"sparse", sparse},
		{"stacks", stacks},
		{"threads", threads},
		{"twice", ends_twice},
		{"waiting", waiting},
	};

	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: run_calls CASE\n");
	return 2;
}
