/* Runs the cases of FOLDER/expected.jsonl whose policies the program knows, and compares every
 * count that a case names.
 * usage: check_counts TIDE FOLDER */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *run_tide(const char *tide, const char *verb, const char *args)
{
	char command[4096];
	FILE *output;
	json_t *document;

	snprintf(command, sizeof command, "'%s' %s %s --json", tide, verb, args);
	output = popen(command, "r");
	document = output ? json_loadf(output, 0, NULL) : NULL;
	if (output && pclose(output) != 0) {
		json_decref(document);
		return NULL;
	}
	return document;
}

static int has_policy(const json_t *policies, const char *role, const char *spec)
{
	json_t *policy;
	size_t i, n = strcspn(spec, ": ");

	json_array_foreach((json_t *)(size_t)policies, i, policy)
	{
		const char *name = json_string_value(json_object_get(policy, "name"));
		if (strcmp(json_string_value(json_object_get(policy, "role")), role) == 0 &&
		    strlen(name) == n && strncmp(name, spec, n) == 0)
			return 1;
	}
	return 0;
}

/* Every `--ROLE POLICY` of the arguments names a policy that there is. */
static int all_known(const json_t *policies, const char *args)
{
	static const char *const roles[] = {"evict", "prefetch", "place"};

	for (size_t i = 0; i < 3; i++) {
		char option[16];
		const char *at;
		snprintf(option, sizeof option, "--%s ", roles[i]);
		at = strstr(args, option);
		if (at && !has_policy(policies, roles[i], at + strlen(option)))
			return 0;
	}
	return 1;
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
	json_t *run = run_tide(tide, "sim --functional", args);
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
	unsigned equal = 0, different = 0, skipped = 0;
	json_t *policies, *item;
	FILE *file;

	if (argc != 3 || chdir(argv[2]) != 0)
		return 2;
	policies = run_tide(argv[1], "policies", "");
	file = fopen("expected.jsonl", "r");
	if (!policies || !file)
		return 1;
	while ((item = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		const char *args = json_string_value(json_object_get(item, "args"));
		if (!all_known(json_object_get(policies, "policies"), args))
			skipped++;
		else if (run_case(argv[1], item))
			different++;
		else
			equal++;
		json_decref(item);
	}
	fclose(file);
	json_decref(policies);
	printf("%u cases equal, %u different, %u skipped (their policies are not there yet)\n",
	       equal, different, skipped);
	return different > 0 || equal == 0;
}
