/* What cannot be is refused with one clear line each: prints them all, for pager_refusals.sh to
 * compare.
 * usage: pager_refusals FOLDER */
#include <sys/mman.h>

#include "pager_help.h"

static char file[200], empty[200];
static char *folder;

/* The folder has another name each time. */
static void print(const char *what, int rc, const char *text)
{
	const char *at = strstr(text, folder);
	must(rc < 0, "%s is not refused", what);
	must(*text && !strchr(text, '\n'), "%s: not one line: %s", what, text);
	if (at)
		printf("%s: %.*sFOLDER%s\n", what, (int)(at - text), text, at + strlen(folder));
	else
		printf("%s: %s\n", what, text);
}

#define OPEN(...) \
	refuse_open(#__VA_ARGS__, \
		    (struct tide_options){.size = sizeof(struct tide_options), __VA_ARGS__})

static void refuse_open(const char *what, struct tide_options o)
{
	struct tide_error err = {.text = ""};
	struct tide *t = NULL;
	int rc = tide_open(&t, &o, &err);
	if (rc == -EPERM || rc == -ENOSYS) {
		printf("skipped: %s\n", err.text);
		exit(77);
	}
	print(what, rc, err.text);
}

static void sizes(void)
{
	OPEN(0);
	OPEN(.near_size = "0");
	OPEN(.near_size = "much");
	OPEN(.near_size = "50%");
	OPEN(.near_size = "32K");
	OPEN(.near_size = "64K");
	OPEN(.near_size = "4M", .page = "2K");
	OPEN(.near_size = "4M", .page = "6K");
	OPEN(.near_size = "4M", .page = "128K");
	OPEN(.near_size = "4M", .chunk = "65p");
	OPEN(.near_size = "4M", .chunk = "6K");
	OPEN(.near_size = "4M", .page = "64K", .chunk = "64p");
	OPEN(.near_size = "99999999T");
	OPEN(.near_size = "4M", .host = "-1");
	OPEN(.near_size = "4M", .host = "some");
}

static void policies(void)
{
	OPEN(.near_size = "4M", .evict = "opt");
	OPEN(.near_size = "4M", .evict = "lru");
	OPEN(.near_size = "4M", .evict = "mru");
	OPEN(.near_size = "4M", .evict = "lfu");
	OPEN(.near_size = "4M", .evict = "reserved-lru");
	OPEN(.near_size = "4M", .evict = "arc", .chunk = "1p");
	OPEN(.near_size = "4M", .evict = "leu", .chunk = "16p");
	OPEN(.near_size = "4M", .evict = "tournament:of=lru+lrm");
	OPEN(.near_size = "4M", .evict = "best");
	OPEN(.near_size = "4M", .evict = "mhpe:t9=1");
	OPEN(.near_size = "4M", .evict = "pattern");
	OPEN(.near_size = "4M", .evict = "./missing.so");
	OPEN(.near_size = "4M", .evict = "mhpe", .mapping = "fast");
	OPEN(.near_size = "4M", .evict = "observ-lru", .mapping = "fast");
	OPEN(.near_size = "4M", .prefetch = "best");
	OPEN(.near_size = "4M", .place = "reuse", .host = "1M", .chunk = "16p");
	OPEN(.near_size = "4M", .place = "bam", .chunk = "1p", .prefetch = "none");
	OPEN(.near_size = "4M", .place = "hmm", .host = "1M", .chunk = "1p", .prefetch = "none");
}

static void words(void)
{
	OPEN(.near_size = "4M", .host_kind = "snappy");
	OPEN(.near_size = "4M", .mapping = "slow");
	OPEN(.near_size = "4M", .service = "fork");
	OPEN(.near_size = "4M", .seed = "one");
	OPEN(.near_size = "4M", .watchdog = "soon");
	OPEN(.near_size = "4M", .inject = "read=ENONE:3");
	OPEN(.near_size = "4M", .inject = "reed=EIO:3");
	OPEN(.near_size = "4M", .inject = "read=EIO:0");
	OPEN(.near_size = "4M", .storage = "/nowhere/far");
	OPEN(.near_size = "4M", .log = "/nowhere/log");
	OPEN(.near_size = "4M", .record = "/nowhere/trace.tide");
	OPEN(.near_size = "4M", .storage = "/");
}

static struct tide *t;

#define MAP(bytes, ...) \
	refuse_map( \
		#bytes " " #__VA_ARGS__, bytes, \
		&(struct tide_map_options){.size = sizeof(struct tide_map_options), __VA_ARGS__})

static void refuse_map(const char *what, size_t bytes, const struct tide_map_options *how)
{
	struct tide_error err = {.text = ""};
	void *at;
	int rc = tide_map(t, &at, bytes, how, &err);
	print(what, rc, err.text);
}

static void maps(void)
{
	MAP(0, .path = NULL);
	MAP((size_t)1 << 62, .path = NULL);
	MAP(64 * MIB, .path = NULL);
	MAP(0, .path = "/nowhere/file");
	MAP(0, .path = folder);
	MAP(0, .path = empty);
	MAP(0, .path = file, .offset = 100);
	MAP(0, .path = file, .offset = 16 * MIB);
	MAP(64 * MIB, .path = file);
	MAP(MIB, .at = (void *)0x100001000);
	MAP(MIB, .at = (void *)((uintptr_t)stdout & ~(64 * KIB - 1)));
}

#define CALL(call) refuse_call(#call, call)

static struct tide_error err;

static void refuse_call(const char *what, int rc)
{
	print(what, rc, err.text);
	err.text[0] = '\0';
}

static void calls(void)
{
	struct tide_map_options how = {.size = sizeof how, .path = file, .shared = true};
	unsigned char *at = map(t, 2 * MIB, NULL), *of_file = map(t, 0, &how);
	CALL(tide_unmap(t, at + 1, 4096, &err));
	CALL(tide_advise(t, at, 4096, (enum tide_advice)77, &err));
	CALL(tide_advise(t, of_file, 4096, TIDE_DROP, &err));
	must(tide_unmap(t, at, 2 * MIB, &err) == 0, "tide_unmap: %s", err.text);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	must(argc == 2, "usage: pager_refusals FOLDER");
	folder = argv[1];
	snprintf(file, sizeof file, "%s/file", folder);
	snprintf(empty, sizeof empty, "%s/empty", folder);
	make_file(file, 1 * MIB);
	make_file(empty, 0);
	sizes();
	policies();
	words();
	struct tide_options o = {.size = sizeof o, .near_size = "4M", .host = "8M"};
	t = open_pager(&o);
	maps();
	calls();
	close_pager(t);
	return 0;
}
