/* explore [--bound N] [--walks N] [--runs N] [--seed N] [SCENARIO]
 * explore --replay HOW [--mutant N] SCENARIO, HOW as it was printed
 * explore mutants
 *
 * Without a name: every scenario. mutants: every deliberate mistake, which must be found. */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *bound, *walks, *runs, *seed, *replay, *mutant, *scenario;
};

static const char *value_of(int argc, char **argv, const char *name)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return NULL;
}

static struct options read_options(int argc, char **argv)
{
	struct options o = {.bound = value_of(argc, argv, "--bound"),
			    .walks = value_of(argc, argv, "--walks"),
			    .runs = value_of(argc, argv, "--runs"),
			    .seed = value_of(argc, argv, "--seed"),
			    .replay = value_of(argc, argv, "--replay"),
			    .mutant = value_of(argc, argv, "--mutant")};
	if (argc % 2 == 0)
		o.scenario = argv[argc - 1];
	return o;
}

static struct effort effort_of(const struct options *o)
{
	return (struct effort){
		.bound = o->bound ? (unsigned)strtoul(o->bound, NULL, 10) : scene->bound,
		.walks = o->walks ? (unsigned)strtoul(o->walks, NULL, 10) : scene->walks,
		.runs = o->runs ? strtoull(o->runs, NULL, 10) : 200000,
		.seed = o->seed ? strtoull(o->seed, NULL, 10) : 1};
}

static void print_found(const char *name, const struct effort *e, const struct found *f)
{
	printf("%-20s %8llu runs, %u deviations%s: %s\n", name, (unsigned long long)f->runs,
	       e->bound, f->whole ? "" : " in part",
	       f->outcome.text[0] ? f->outcome.text : "nothing is wrong");
	if (f->outcome.text[0])
		printf("    explore --replay '%s' %s\n", f->how, scene->name);
	fflush(stdout);
}

static bool explore(const struct options *o)
{
	struct effort e = effort_of(o);
	struct found f;
	mutant = o->mutant ? (enum mutant)atoi(o->mutant) : SOUND;
	if (o->replay)
		search_replay(o->replay, &f);
	else
		search(&e, &f);
	print_found(scene->name, &e, &f);
	return !f.outcome.text[0];
}

static bool name_scene(const char *name)
{
	for (scene = scenarios; scene->name; scene++)
		if (strcmp(scene->name, name) == 0)
			return true;
	printf("there is no scenario %s\n", name);
	return false;
}

/* Is this mistake found? */
static bool is_found(const struct options *o, const struct mutant_case *m)
{
	struct found f;
	if (!name_scene(m->scenario))
		return false;
	struct effort e = effort_of(o);
	mutant = m->mutant;
	search(&e, &f);
	printf("%-20s %8llu runs: %s\n", m->name, (unsigned long long)f.runs,
	       f.outcome.text[0] ? f.outcome.text : "NOT FOUND");
	fflush(stdout);
	return f.outcome.text[0] != '\0';
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	bool good = true;
	if (o.scenario && strcmp(o.scenario, "mutants") == 0) {
		for (const struct mutant_case *m = mutant_cases; m->name; m++)
			good &= is_found(&o, m);
	} else if (o.scenario) {
		good = name_scene(o.scenario) && explore(&o);
	} else {
		for (scene = scenarios; scene->name; scene++)
			good &= explore(&o);
	}
	return good ? 0 : 1;
}
