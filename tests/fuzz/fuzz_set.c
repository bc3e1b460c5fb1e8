/* A set of pages from anyone: it is refused with a sentence, or its runs ascend and lie within what
 * they are of; and what was read is written as it was. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/hot_file.h"

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_part(const struct td_lib_hot_file *set, const struct td_lib_hot_part *part)
{
	uint64_t end = 0;

	require(part->run + part->runs_n <= set->runs_n);
	require(part->path ? *part->path == '/' : part->bytes > 0);
	for (size_t i = part->run; i < part->run + part->runs_n; i++) {
		const struct td_lib_hot_run *r = &set->runs[i];
		require(r->n && r->first >= end);
		end = r->first + r->n;
		require(end <= UINT64_MAX / TD_LIB_HOT_UNIT);
		require(part->path || (end - 1) * TD_LIB_HOT_UNIT < part->bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_lib_hot_file set;
	struct tide_error err = {0};
	char path[32];
	int fd = memfd_create("set", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int rc = td_lib_hot_file_read(&set, path, &err);
	require(rc == 0 || (err.code == rc && *err.text && !strpbrk(err.text, "\n\r")));
	for (size_t i = 0; i < set.parts_n; i++)
		check_part(&set, &set.parts[i]);
	td_lib_hot_file_free(&set);
	close(fd);
	return 0;
}
