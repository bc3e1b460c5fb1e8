/* Results of any content become a page or an error. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_report *r = td_report_open();
	FILE *nowhere = fopen("/dev/null", "w");
	struct tide_error err;
	char path[40];
	int fd = memfd_create("results", MFD_CLOEXEC);

	if (!r || !nowhere || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	/* The series in one order or the other. */
	if (td_report_wish(
		    r,
		    &(struct td_report_wish){.version = "0", .order = size % 2 ? "best" : "name"},
		    &err))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (td_report_read(r, path, &err) == 0 && td_report_prepare(r, &err) == 0)
		td_report_page(r, NULL, nowhere);
	td_report_close(r);
	fclose(nowhere);
	close(fd);
	return 0;
}
