/* The command line of a result that does not bring its own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

const char *td_report_input(const json_t *doc)
{
	const json_t *input = json_object_get(doc, "input");
	const char *name = json_string_value(input);

	if (!name)
		name = td_report_string(input, "workload");
	if (!name)
		name = td_report_string(input, "trace");
	return name ? name : "(unnamed input)";
}

/* A word as a shell takes it back. */
static void put_word(FILE *to, const char *word)
{
	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789-_=+:,./%@")]) {
		fprintf(to, " %s", word);
		return;
	}
	fputs(" '", to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			putc(*word, to);
	putc('\'', to);
}

static void put_option(FILE *to, const char *option, const char *value)
{
	if (!value)
		return;
	fprintf(to, " --%s", option);
	put_word(to, value);
}

static void put_size(FILE *to, const char *option, const json_t *config, const char *key,
		     const char *unit)
{
	uint64_t n = td_report_u64(config, key);

	if (n)
		fprintf(to, " --%s %" PRIu64 "%s", option, n, unit);
}

static void put_input(FILE *to, const json_t *doc)
{
	const json_t *input = json_object_get(doc, "input");
	const char *trace = td_report_string(input, "trace");

	put_option(to, "workload", td_report_string(input, "workload"));
	put_option(to, "trace", trace);
	if (trace)
		put_option(to, "format", td_report_string(input, "format"));
}

static void put_model(FILE *to, const json_t *config)
{
	const char *model = td_report_string(config, "model");

	if (model && strcmp(model, "functional") == 0)
		fputs(" --functional", to);
	else
		put_option(to, "model", model);
}

static char *sim_line(const json_t *run, bool with_input)
{
	const json_t *config = json_object_get(run, "config");
	const char *place = td_report_string(config, "place");
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("tide sim", to);
	if (with_input)
		put_input(to, run);
	put_size(to, "near", config, "near_pages", "p");
	put_size(to, "page", config, "page_bytes", "");
	put_size(to, "chunk", config, "chunk_bytes", "");
	put_option(to, "evict", td_report_string(config, "evict"));
	put_option(to, "prefetch", td_report_string(config, "prefetch"));
	put_option(to, "place", place);
	if (place)
		put_size(to, "host", config, "host_pages", "p");
	put_model(to, config);
	put_size(to, "seed", config, "seed", "");
	fclose(to);
	return text;
}

char *td_report_sim_command(const json_t *run)
{
	return sim_line(run, true);
}

char *td_report_sim_asked(const json_t *run)
{
	return sim_line(run, false);
}

char *td_report_gpu_command(const json_t *run, const json_t *config)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("tide gpu bench", to);
	put_option(to, "app", td_report_string(run, "app"));
	put_option(to, "place", td_report_string(run, "place"));
	fprintf(to, " --oversubscribe %g",
		json_number_value(json_object_get(run, "oversubscribe")));
	put_size(to, "near", config, "near_bytes", "");
	put_size(to, "host", config, "host_bytes", "");
	put_size(to, "page", config, "page_bytes", "");
	put_option(to, "transfer", td_report_string(config, "transfer"));
	fclose(to);
	return text;
}

static char *mrc_line(const json_t *doc, const char *policy, bool with_input)
{
	const json_t *config = json_object_get(doc, "config");
	const json_t *sample = json_object_get(config, "sample");
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("tide mrc", to);
	if (with_input)
		put_input(to, doc);
	put_size(to, "page", config, "page_bytes", "");
	put_option(to, "policy", policy);
	put_option(to, "sizes", td_report_string(config, "sizes"));
	if (json_is_number(sample) && json_number_value(sample) < 1)
		fprintf(to, " --sample %.15g", json_number_value(sample));
	put_size(to, "seed", config, "seed", "");
	fclose(to);
	return text;
}

char *td_report_mrc_command(const json_t *doc, const char *policy)
{
	return mrc_line(doc, policy, true);
}

char *td_report_mrc_asked(const json_t *doc, const char *policy)
{
	return mrc_line(doc, policy, false);
}
