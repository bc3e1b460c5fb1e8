/* Memory of another process as it arrives over a UNIX socket: one message with a JSON array of
 * regions and, as SCM_RIGHTS, the userfaultfd and the memfd. The message stays in the socket, for
 * whoever serves the memory next.
 *
 * A file of its own: what is preloaded into programs has no reader of JSON. */
#include "lent.h"
#include "sized.h"
#include "tide/pager.h"

#include <errno.h>
#include <jansson.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define REGIONS 64
#define TEXT_BYTES (64 << 10)
#define FDS 8

struct handover {
	struct td_uffd_lent lent;
	struct td_uffd_lent_region region[REGIONS];
};

/* ---- what the files are ---- */

static void take_fd(struct td_uffd_lent *lent, int fd)
{
	char path[32], name[64] = "";
	struct statfs system;
	struct stat st;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(path, name, sizeof name - 1);
	name[n > 0 ? n : 0] = '\0';
	if (lent->uffd < 0 && !strcmp(name, "anon_inode:[userfaultfd]"))
		lent->uffd = fd;
	else if (lent->memfd < 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		 !fstatfs(fd, &system) && system.f_type == TMPFS_MAGIC)
		lent->memfd = fd;
	else
		close(fd); /* of no use here */
}

static void take_fds(struct td_uffd_lent *lent, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int fds[FDS];
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || n > FDS)
			continue;
		memcpy(fds, CMSG_DATA(c), n * sizeof *fds);
		for (size_t i = 0; i < n; i++)
			take_fd(lent, fds[i]);
	}
}

/* The time at which a process began is the 22nd word of its stat; the second may hold blanks. */
static uint64_t begin_of(pid_t pid)
{
	char path[32], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	char *at = strrchr(text, ')');
	for (int word = 2; at && word < 22; word++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

static void note_owner(struct td_uffd_lent *lent, int socket)
{
	struct ucred who;
	socklen_t n = sizeof who;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &n))
		return;
	lent->owner[0] = (uint64_t)who.pid;
	lent->owner[1] = begin_of(who.pid);
}

/* ---- the regions ---- */

/* A whole number that is not negative; missing: otherwise. */
static bool number(const json_t *o, const char *key, uint64_t otherwise, uint64_t *out)
{
	const json_t *v = json_object_get(o, key);
	*out = otherwise;
	if (!v)
		return otherwise != UINT64_MAX;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return false;
	*out = (uint64_t)json_integer_value(v);
	return true;
}

static int read_region(struct td_uffd_lent_region *r, const json_t *o, struct tide_error *err)
{
	uint64_t page, kib;
	bool whole = json_is_object(o) && number(o, "base_host_virt_addr", UINT64_MAX, &r->base) &&
		     number(o, "size", UINT64_MAX, &r->bytes) &&
		     number(o, "offset", UINT64_MAX, &r->file_offset) &&
		     number(o, "memfd_offset", r->file_offset, &r->memory_offset) &&
		     number(o, "page_size_kib", 4096, &kib) && /* which is bytes too */
		     number(o, "page_size", kib, &page);
	if (!whole)
		return tide_fail(err, -EINVAL,
				 "a region of the message lacks base_host_virt_addr, size or "
				 "offset, or one is no number: see tide/pager.h");
	if (page != 4096)
		return tide_fail(err, -ENOTSUP,
				 "a region has pages of %llu bytes: tide serves those of 4096",
				 (unsigned long long)page);
	return 0;
}

static int read_regions(struct handover *h, const char *text, size_t n, struct tide_error *err)
{
	json_error_t where;
	json_t *root = json_loadb(text, n, JSON_DISABLE_EOF_CHECK, &where);
	size_t regions = json_array_size(root);
	int rc = 0;
	if (!json_is_array(root) || !regions || regions > REGIONS)
		rc = tide_fail(err, -EINVAL,
			       "the message is no JSON array of 1 to %d regions: see tide/pager.h",
			       REGIONS);
	for (size_t i = 0; !rc && i < regions; i++)
		rc = read_region(&h->region[i], json_array_get(root, i), err);
	h->lent.region = h->region;
	h->lent.n = rc ? 0 : regions;
	json_decref(root);
	return rc;
}

/* ---- the message ---- */

static int peek(struct handover *h, int socket, char *text, size_t *n, struct tide_error *err)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct iovec to = {text, TEXT_BYTES};
	struct msghdr m = {.msg_iov = &to,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ssize_t got;
	do
		got = recvmsg(socket, &m, MSG_PEEK | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return tide_fail(err, -errno, "cannot read the message about the memory: %s",
				 strerror(errno));
	take_fds(&h->lent, &m);
	if (!got)
		return tide_fail(err, -ENODATA, "the socket was closed without a message");
	if (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return tide_fail(err, -EMSGSIZE, "the message about the memory is too long");
	if (h->lent.uffd < 0)
		return tide_fail(err, -EINVAL,
				 "the message brought no userfaultfd: send it by "
				 "SCM_RIGHTS");
	*n = (size_t)got;
	return 0;
}

static void close_files(struct handover *h)
{
	if (h->lent.uffd >= 0)
		close(h->lent.uffd);
	if (h->lent.memfd >= 0)
		close(h->lent.memfd);
}

static int take(struct handover *h, int socket, struct tide_error *err)
{
	char *text = malloc(TEXT_BYTES);
	size_t n = 0;
	*h = (struct handover){.lent = {.uffd = -1, .memfd = -1}};
	int rc = text ? peek(h, socket, text, &n, err)
		      : tide_fail(err, -ENOMEM, "no memory for the message: free some");
	if (!rc)
		rc = read_regions(h, text, n, err);
	if (!rc)
		note_owner(&h->lent, socket);
	free(text);
	if (rc)
		close_files(h);
	return rc;
}

int tide_adopt(struct tide **out, int socket, const struct tide_options *options,
	       const struct tide_adopt_options *how, struct tide_error *err)
{
	struct tide_adopt_options own = {0};
	struct handover h;
	int rc = how ? TD_LIB_TAKE(&own, how, tide_adopt_options, err) : 0;
	if (!rc)
		rc = take(&h, socket, err);
	if (rc)
		return rc;
	h.lent.mapping = &td_mapping_lent;
	h.lent.snapshot = own.snapshot;
	rc = td_lib_pager_open(out, options, &h.lent, err);
	close_files(&h);
	return rc;
}
