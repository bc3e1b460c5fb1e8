#include "use.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/text.h"
#include "lib/sizes.h"
#include "tide/gpu.h"

#define MODULE "libtide_gpu.so"

/* ---- options ---- */

static void say(void *who, const char *line)
{
	const struct td_gpu_use *use = who;

	fprintf(stderr, "tide %s: %s\n", use->verb, line);
}

static int check_device(const char *text, int *device, struct tide_error *err)
{
	uint64_t n = 0;

	if (text && (td_core_u64(text, strlen(text), &n) || n > 1023))
		return tide_fail(err, -EINVAL, "--device %s is no number of a GPU: give 0, 1, ..",
				 td_cli_shown(text).text);
	*device = (int)n;
	return 0;
}

int td_gpu_use_setup(struct td_gpu_use *use, const struct td_gpu_use_options *args,
		     const char *verb, struct tide_error *err)
{
	struct td_cli_progress when;
	uint64_t seed;
	int rc = td_cli_progress_start(&when, args->progress, verb, err);

	*use = (struct td_gpu_use){.verb = verb};
	use->setup = (struct td_gpu_setup){
		.dir = args->folder,
		.seed = args->seed,
		.quick = args->quick,
		.say = !rc && when.on ? say : NULL,
		.who = use,
	};
	if (!rc)
		rc = td_lib_seed(args->seed, &seed, err);
	return rc ? rc : check_device(args->device, &use->setup.device, err);
}

static int check_word(const char *option, const char *word, const char *const *words, size_t n,
		      struct tide_error *err)
{
	char what[64];

	for (size_t i = 0; i < n; i++)
		if (!word || strcmp(word, words[i]) == 0)
			return 0;
	snprintf(what, sizeof what, "value of --%s,", option);
	return td_cli_unknown(what, word, words, n, err);
}

typedef int parse_size(const char *text, uint64_t page_bytes, struct td_lib_near *size,
		       struct tide_error *err);

static int check_size(const char *option, const char *text, parse_size *parse, uint64_t page_bytes,
		      struct tide_error *err)
{
	struct td_lib_near size = {.pages = 1};
	int rc = text ? parse(text, page_bytes, &size, err) : 0;

	if (!rc && size.share_numerator)
		return tide_fail(err, -EINVAL,
				 "--%s %s: a share of what is not known: give a size, say 256M",
				 option, td_cli_shown(text).text);
	return rc;
}

/* Applications bring their policies of the engine only where the engine serves them. */
static int check_orchestrate(const struct td_gpu_use_options *args, struct tide_error *err)
{
	static const char *const who[] = {"gpu", "host"};
	bool host = args->orchestrate && strcmp(args->orchestrate, "host") == 0;
	int rc = check_word("orchestrate", args->orchestrate, who, 2, err);

	if (!rc && !host && (args->evict || args->prefetch))
		return tide_fail(err, -EINVAL,
				 "--%s is for the engine: give --orchestrate host too",
				 args->evict ? "evict" : "prefetch");
	if (!rc && host && args->place)
		return tide_fail(err, -EINVAL,
				 "--place is for the GPU's own service: leave it out with "
				 "--orchestrate host");
	return rc;
}

int td_gpu_use_check(const struct td_gpu_use_options *args, struct tide_error *err)
{
	static const char *const transfers[] = {"zero-copy", "dma", "hybrid"};
	uint64_t page_bytes = 0;
	int rc = td_lib_page_bytes(args->page ? args->page : "64K", &page_bytes, err);

	if (!rc && (page_bytes < 4096 || page_bytes > 2u << 20 || page_bytes & (page_bytes - 1)))
		rc = tide_fail(err, -EINVAL, "--page %s: give a power of two from 4K to 2M",
			       td_cli_shown(args->page).text);
	if (!rc)
		rc = check_size("near", args->near_size, td_lib_near_parse, page_bytes, err);
	if (!rc)
		rc = check_size("host", args->host, td_lib_host_parse, page_bytes, err);
	if (!rc)
		rc = check_word("transfer", args->transfer, transfers, 3, err);
	return rc ? rc : check_orchestrate(args, err);
}

/* ---- the module ---- */

static const struct td_gpu_module *load(const char *path, struct tide_error *err)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const struct td_gpu_module *m = library ? dlsym(library, TD_GPU_MODULE) : NULL;

	if (!library)
		tide_fail(err, -ENODEV, "%s cannot be loaded: %s", path, dlerror());
	else if (!m || m->api != TD_GPU_API || m->size != sizeof *m)
		tide_fail(err, -ENODEV, "%s is of another version of tide: install both anew",
			  path);
	else
		return m;
	return NULL;
}

const struct td_gpu_module *td_gpu_use_load(struct tide_error *err)
{
	char path[PATH_MAX];

	if (!td_cli_find_module(MODULE, path, sizeof path, NULL))
		return load(path, err);
	tide_fail(err, -ENODEV,
		  "no " MODULE " with this program: build tide where there is an nvcc");
	return NULL;
}

int td_gpu_use_module(struct td_gpu_use *use, struct tide_error *err)
{
	struct tide_gpu_info info = {.size = sizeof info};
	struct tide_error why = {0, ""};
	int rc = tide_gpu_info(&info, use->setup.device, err);

	if (rc)
		return rc;
	use->module = td_gpu_use_load(&why);
	return use->module ? 0 : tide_fail(err, why.code, "%s", why.text);
}

static const char *part_name(const struct td_gpu_part *p, size_t i)
{
	for (; p->name && i; i--)
		p++;
	return p->name;
}

const char *td_gpu_test_name(size_t i)
{
	const struct td_gpu_module *m = td_gpu_use_load(NULL);

	return m ? part_name(m->tests, i) : NULL;
}

const char *td_gpu_micro_name(size_t i)
{
	const struct td_gpu_module *m = td_gpu_use_load(NULL);

	return m ? part_name(m->micros, i) : NULL;
}

const char *td_gpu_app_name(size_t i)
{
	const struct td_gpu_module *m = td_gpu_use_load(NULL);

	return m ? part_name(m->apps, i) : NULL;
}

/* ---- what it made ---- */

json_t *td_gpu_use_document(const struct td_gpu_result *r, const char *verb, td_gpu_json *add,
			    const struct tide_error *failed)
{
	json_t *all = json_pack("{ss ss}", "tide", tide_version(), "verb", verb);

	if (failed)
		json_object_set_new(all, "error", td_cli_json_text(failed->text));
	add(all, r);
	if (failed && json_object_get(all, "ok"))
		json_object_set_new(all, "ok", json_false());
	return all;
}

/* Names of the parts that are not ok, with commas between. */
static void add_name(char *names, size_t size, const char *name)
{
	size_t n = strlen(names);

	snprintf(names + n, size - n, "%s%s", n ? ", " : "", name);
}

/* What the GPU can do at best is not judged. */
int td_gpu_use_judge(const struct td_gpu_result *r, bool tables, struct tide_error *err)
{
	char names[300] = "";

	for (size_t i = 0; i < r->tests_n; i++)
		if (!r->tests[i].ok)
			add_name(names, sizeof names, r->tests[i].name);
	for (size_t i = 0; tables && i < r->tables_n; i++)
		if (!r->tables[i].ok)
			add_name(names, sizeof names, r->tables[i].name);
	if (r->apps && !r->apps->ok)
		add_name(names, sizeof names, "applications");
	return *names ? tide_fail(err, -EIO, "not all is well: %s: see what is printed", names) : 0;
}
