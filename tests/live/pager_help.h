/* What the programs of this folder share: they end with one line and 1 where something is wrong,
 * and with 77 where this machine refuses userfaultfd. */
#ifndef PAGER_HELP_H
#define PAGER_HELP_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tide/pager.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...)
{
	va_list args;
	fputs("wrong: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1); /* other threads may be at work: no cleaning up */
}

#define must(condition, ...) \
	do { \
		if (!(condition)) \
			fail(__VA_ARGS__); \
	} while (0)

static inline uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline struct tide *open_pager(const struct tide_options *options)
{
	struct tide_error err;
	struct tide *t;
	int rc = tide_open(&t, options, &err);
	if (rc == -EPERM || rc == -ENOSYS) {
		printf("skipped: %s\n", err.text);
		exit(77);
	}
	must(rc == 0, "tide_open: %s", err.text);
	return t;
}

static inline void *map(struct tide *t, size_t bytes, const struct tide_map_options *how)
{
	struct tide_error err;
	void *p;
	must(tide_map(t, &p, bytes, how, &err) == 0, "tide_map: %s", err.text);
	return p;
}

static inline void close_pager(struct tide *t)
{
	struct tide_error err;
	must(tide_close(t, &err) == 0, "tide_close: %s", err.text);
}

/* ---- options by name, for command lines ---- */

static inline bool set_option(struct tide_options *o, const char *key, const char *value)
{
	const struct {
		const char *key, **to;
	} option[] = {
		{"near", &o->near_size},    {"page", &o->page},         {"chunk", &o->chunk},
		{"evict", &o->evict},       {"prefetch", &o->prefetch}, {"place", &o->place},
		{"host", &o->host},         {"kind", &o->host_kind},    {"storage", &o->storage},
		{"mapping", &o->mapping},   {"service", &o->service},   {"seed", &o->seed},
		{"log", &o->log},           {"record", &o->record},     {"inject", &o->inject},
		{"watchdog", &o->watchdog},
	};
	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (!strcmp(option[i].key, key)) {
			*option[i].to = value;
			return true;
		}
	return false;
}

/* Of "key=value", whose = becomes the key's end. */
static inline char *split_setting(char *setting)
{
	char *value = strchr(setting, '=');
	must(value, "not KEY=VALUE: %s", setting);
	*value = '\0';
	return value + 1;
}

/* ---- the value of a word tells where it belongs ---- */

static inline uint64_t word_value(uint64_t word, uint64_t version)
{
	return (version + 1) << 40 | (word & ((UINT64_C(1) << 40) - 1));
}

/* A file of so many words of version 0. */
static inline void make_file(const char *path, size_t bytes)
{
	uint64_t buffer[512];
	FILE *f = fopen(path, "w");
	must(f, "%s: %s", path, strerror(errno));
	for (size_t word = 0; word < bytes / 8;) {
		size_t n = 0;
		while (n < 512 && word < bytes / 8)
			buffer[n++] = word_value(word++, 0);
		fwrite(buffer, 8, n, f);
	}
	fwrite("odd end", 1, bytes % 8, f);
	must(fclose(f) == 0, "%s: %s", path, strerror(errno));
}

/* ---- accesses that may fail ---- */

static __thread sigjmp_buf bus_back;
static __thread volatile sig_atomic_t bus_expected;
static __thread void *volatile bus_address;

static inline void on_bus(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (!bus_expected) {
		static const char text[] = "wrong: a bus error that nobody expected\n";
		(void)!write(2, text, sizeof text - 1);
		_exit(1);
	}
	bus_address = info->si_addr;
	siglongjmp(bus_back, 1);
}

/* Before tide_open(), which passes on what is not its own. */
static inline void expect_bus(void)
{
	struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
	must(sigaction(SIGBUS, &action, NULL) == 0, "sigaction: %s", strerror(errno));
}

/* Did it go well? If not, bus_address says where it did not. */
static inline bool try_load(const uint64_t *at, uint64_t *value)
{
	bus_expected = 1;
	if (sigsetjmp(bus_back, 1)) {
		bus_expected = 0;
		return false;
	}
	*value = *(const volatile uint64_t *)at;
	bus_expected = 0;
	return true;
}

static inline bool try_store(uint64_t *at, uint64_t value)
{
	bus_expected = 1;
	if (sigsetjmp(bus_back, 1)) {
		bus_expected = 0;
		return false;
	}
	*(volatile uint64_t *)at = value;
	bus_expected = 0;
	return true;
}

#endif
