/* tide doctor: what this machine offers. Each probe asks the machine itself, not its version. */
#include <string.h>

#include "cli.h"
#include "doctor.h"

struct doctor_options {
	struct td_cli_given given;
	bool json;
};
#define TD_CLI_OPTIONS struct doctor_options

static const struct td_cli_option options[] = {
	TD_CLI_JSON_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"A missing feature is not an error: the exit status is 0. Simulations need only memory. tide\n"
	"run needs userfaultfd and the preloaded library, or gpu-near for GPU memory. tide gpu needs\n"
	"the driver and the GPU runtime.\n\n"
	"Examples:\n"
	"  tide doctor\n"
	"  tide doctor --json\n";

static const struct feature {
	const char *name;
	const char *purpose;
	void (*probe)(struct td_cli_finding *f);
} features[] = {
	{"cores", "runs of tide compare at the same time", td_cli_probe_cores},
	{"memory", "state of the simulated pages", td_cli_probe_memory},
	{"huge-pages", "speed of large simulations", td_cli_probe_huge_pages},
	{"userfaultfd", "tide run: faults of programs, and of the kernel for them",
	 td_cli_probe_userfaultfd},
	{"dev-userfaultfd", "the same, without the setting of the whole machine",
	 td_cli_probe_uffd_device},
	{"uffd-features", "tide run: signal service, exact and fast mappings",
	 td_cli_probe_uffd_features},
	{"preload", "tide run: the library in front of a program", td_cli_probe_preload},
	{"io_uring", "tide run --storage: many reads and writes at a time", td_cli_probe_io_uring},
	{"memory-cgroup", "make bench: the kernel's own paging, to compare with",
	 td_cli_probe_cgroup},
	{"kernel-paging", "tide run --mapping kernel: any program, by the kernel's swap",
	 td_cli_probe_kernel},
	{"cuda", "tide gpu: the driver", td_cli_probe_cuda},
	{"gpu-runtime", "tide gpu: libtide_cuda.so, and a GPU that it can use",
	 td_cli_probe_gpu_runtime},
	{"gpu-near", "tide run --gpu-near: CUDA programs in less GPU memory",
	 td_cli_probe_gpu_near},
	{"nbdkit", "the pool as a block device: nbdkit-tide-plugin.so", td_cli_probe_nbdkit},
	{"gnuplot", "figures: --plot of several verbs, tide report", td_cli_probe_gnuplot},
};
#define FEATURES (sizeof features / sizeof features[0])

static int print_json(const struct td_cli_finding *findings, struct tide_error *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < FEATURES; i++)
		json_array_append_new(list, json_pack("{ss sb ss ss?}", "name", features[i].name,
						      "ok", findings[i].ok, "detail",
						      findings[i].detail, "fix", findings[i].fix));
	return td_cli_print_json(json_pack("{so}", "features", list), err);
}

static int print_table(const struct td_cli_finding *findings, struct tide_error *err)
{
	struct td_cli_table t = {.align = "llll"};

	for (const char *const *h = (const char *const[]){"feature", "", "found", "for", NULL}; *h;
	     h++)
		td_cli_cell(&t, "%s", *h);
	for (size_t i = 0; i < FEATURES; i++) {
		td_cli_cell(&t, "%s", features[i].name);
		td_cli_cell(&t, "%s", findings[i].ok ? "ok" : "missing");
		td_cli_cell(&t, "%s", findings[i].detail);
		td_cli_cell(&t, "%s", features[i].purpose);
	}
	return td_cli_table_end(&t, err);
}

static int print_fixes(const struct td_cli_finding *findings, struct tide_error *err)
{
	struct td_cli_table t = {.align = "ll"};

	for (size_t i = 0; i < FEATURES; i++) {
		if (!findings[i].fix)
			continue;
		if (t.n == 0)
			printf("\nTo get what is missing:\n");
		td_cli_cell(&t, "  %s", features[i].name);
		td_cli_cell(&t, "%s", findings[i].fix);
	}
	return td_cli_table_end(&t, err);
}

static int run(const void *given, struct tide_error *err)
{
	const struct doctor_options *args = given;
	struct td_cli_finding findings[FEATURES];
	int rc;

	memset(findings, 0, sizeof findings);
	for (size_t i = 0; i < FEATURES; i++)
		features[i].probe(&findings[i]);
	if (args->json)
		return print_json(findings, err);
	rc = print_table(findings, err);
	if (!rc)
		rc = print_fixes(findings, err);
	return rc;
}

const struct td_cli_verb td_cli_verb_doctor = {
	.name = "doctor",
	.order = 150,
	.synopsis = "[OPTIONS]",
	.summary = "Say what this machine offers, what is missing and how to get it",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct doctor_options),
	.run = run,
};
