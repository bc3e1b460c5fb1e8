/* Runs the cases of FOLDER/expected.jsonl and compares every count that a case names.
 * usage: check_counts TIDE FOLDER */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *run_tide(const char *tide, const char *args)
{
	char command[4096];
	FILE *output;
	json_t *document;

	snprintf(command, sizeof command, "'%s' sim --functional %s --json", tide, args);
	output = popen(command, "r");
	document = output ? json_loadf(output, 0, NULL) : NULL;
	if (output && pclose(output) != 0) {
		json_decref(document);
		return NULL;
	}
	return document;
}

static int compare_counts(const char *args, const json_t *expected, const json_t *counts)
{
	const char *key;
	json_t *wanted;
	int bad = 0;

	json_object_foreach((json_t *)(size_t)expected, key, wanted)
	{
		json_t *got = json_object_get(counts, key);
		if (got && json_equal(got, wanted))
			continue;
		bad = 1;
		printf("%s: %s is %lld, not %lld\n", args, key, (long long)json_integer_value(got),
		       (long long)json_integer_value(wanted));
	}
	return bad;
}

static int run_case(const char *tide, const json_t *item)
{
	const char *args = json_string_value(json_object_get(item, "args"));
	json_t *run = run_tide(tide, args);
	int bad;

	if (!run) {
		printf("%s: the run failed\n", args);
		return 1;
	}
	bad = compare_counts(args, json_object_get(item, "counts"), json_object_get(run, "counts"));
	json_decref(run);
	return bad;
}

int main(int argc, char **argv)
{
	unsigned equal = 0, different = 0;
	json_t *item;
	FILE *file;

	if (argc != 3 || chdir(argv[2]) != 0)
		return 2;
	file = fopen("expected.jsonl", "r");
	if (!file)
		return 1;
	while ((item = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		if (run_case(argv[1], item))
			different++;
		else
			equal++;
		json_decref(item);
	}
	fclose(file);
	printf("%u cases equal, %u different\n", equal, different);
	return different > 0 || equal == 0;
}
