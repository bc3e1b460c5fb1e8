/* What the machine must have: swap, the right to advise other processes, and a view of page tables.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "group.h"
#include "kernel.h"
#include "scan.h"

static bool is_zram(const char *path)
{
	return strncmp(path, "/dev/zram", 9) == 0;
}

static void look_at_swap(struct td_kernel_machine *m)
{
	char path[256], type[32];
	unsigned long long size, used;
	unsigned devices = 0, zram = 0;
	FILE *file = fopen("/proc/swaps", "re");
	if (file && fscanf(file, "%*[^\n]") == EOF)
		devices = 0;
	while (file && fscanf(file, "%255s %31s %llu %llu %*d", path, type, &size, &used) == 4) {
		devices++;
		zram += is_zram(path);
		m->swap_bytes += size << 10;
		m->swap_free_bytes += (size > used ? size - used : 0) << 10;
	}
	if (file)
		fclose(file);
	if (devices)
		snprintf(m->swap, sizeof m->swap, "%s, %llu MiB, %llu MiB free",
			 zram == devices ? "zram"
			 : zram          ? "zram and others"
					 : "a device or file",
			 (unsigned long long)m->swap_bytes >> 20,
			 (unsigned long long)m->swap_free_bytes >> 20);
}

static bool has_capability(unsigned which)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};
	return syscall(SYS_capget, &head, data) == 0 &&
	       data[which / 32].effective >> (which % 32) & 1;
}

static bool can_scan(void)
{
	struct td_kernel_region region;
	uint64_t from = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && td_kernel_scan(fd, &from, TD_KERNEL_ADDRESSES, TD_KERNEL_PRESENT,
					    &region, 1) >= 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

void td_kernel_look(struct td_kernel_machine *m)
{
	*m = (struct td_kernel_machine){
		.may_advise = has_capability(CAP_SYS_NICE) && has_capability(CAP_SYS_PTRACE),
		.scans = can_scan(),
		.makes_groups = td_kernel_group_possible(),
	};
	look_at_swap(m);
}

int td_kernel_check(const struct td_kernel_machine *m, struct tide_error *err)
{
	if (!*m->swap)
		return tide_fail(
			err, -ENODEV,
			"mapping kernel needs swap, and this machine has none: let root make "
			"some (zramctl -f -s 4G -a lz4, mkswap, swapon), or "
			"take another mapping");
	if (!m->swap_free_bytes)
		return tide_fail(
			err, -ENODEV,
			"mapping kernel needs free swap, and all of it is in use (%s): add "
			"some, or take another mapping",
			m->swap);
	if (!m->may_advise)
		return tide_fail(err, -EPERM,
				 "mapping kernel advises the kernel about another process, which "
				 "needs CAP_SYS_NICE and CAP_SYS_PTRACE: run tide as root, or take "
				 "another mapping");
	if (!m->scans)
		return tide_fail(err, -ENOTSUP,
				 "mapping kernel needs PAGEMAP_SCAN, of Linux 6.7: take another "
				 "mapping");
	return 0;
}
