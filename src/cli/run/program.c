#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "run.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* As execvp() looks for it. */
int td_run_find_program(const char *name, char *path, size_t size, struct tide_error *err)
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/')) {
		if (snprintf(path, size, "%s", name) < (int)size && is_program(path))
			return 0;
		return tide_fail(err, -ENOENT, "%s is no program: give one that can be executed",
				 td_cli_shown(name).text);
	}
	for (folders = folders ? folders : "/bin:/usr/bin"; *folders;) {
		int len = (int)strcspn(folders, ":");
		int n = snprintf(path, size, "%.*s%s%s", len, folders, len ? "/" : "./", name);
		if (n > 0 && (size_t)n < size && is_program(path))
			return 0;
		folders += len;
		folders += *folders == ':';
	}
	return tide_fail(err, -ENOENT, "no program %s in the PATH: give its path",
			 td_cli_shown(name).text);
}

/* The program that a script names in its first line; false: it is no script. */
static bool interpreter(const char *head, char *path, size_t size)
{
	if (strncmp(head, "#!", 2) != 0)
		return false;
	head += 2;
	head += strspn(head, " \t");
	snprintf(path, size, "%.*s", (int)strcspn(head, " \t\r\n"), head);
	return true;
}

static bool has_interp(int fd, const Elf64_Ehdr *e)
{
	for (unsigned i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p;
		off_t at = (off_t)(e->e_phoff + (uint64_t)i * e->e_phentsize);
		if (pread(fd, &p, sizeof p, at) != sizeof p)
			return false;
		if (p.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static int check_elf(int fd, const char *path, const Elf64_Ehdr *e, struct tide_error *err)
{
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0)
		return tide_fail(err, -ENOEXEC, "%s is neither a program nor a script: give one",
				 path);
	if (e->e_ident[EI_CLASS] != ELFCLASS64)
		return tide_fail(err, -ENOEXEC, "%s is a 32-bit program: give one of 64 bits",
				 path);
	if (!has_interp(fd, e))
		return tide_fail(err, -ENOEXEC,
				 "%s is linked statically, so no library can be put in front of "
				 "it: link it dynamically, or use libtide in it",
				 path);
	return 0;
}

/* The loader ignores LD_PRELOAD where a program gets rights that its caller has not. */
static int check_rights(int fd, const char *path, struct tide_error *err)
{
	struct stat st;
	const char *what = NULL;

	if (fstat(fd, &st))
		return tide_fail(err, -errno, "cannot look at %s: %s", path, strerror(errno));
	if ((st.st_mode & S_ISUID) && st.st_uid != geteuid())
		what = "setuid";
	else if ((st.st_mode & S_ISGID) && st.st_gid != getegid())
		what = "setgid";
	else if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		what = "given capabilities";
	if (!what)
		return 0;
	return tide_fail(err, -EPERM,
			 "%s is %s, so no library can be put in front of it: run it as its owner, "
			 "or a copy without that",
			 path, what);
}

static int check_one(const char *path, char *then, size_t size, struct tide_error *err)
{
	union {
		Elf64_Ehdr elf;
		char text[256];
	} head = {.text = ""};
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;

	*then = '\0';
	if (fd < 0) /* one may execute what one may not read */
		return errno == EACCES ? 0
				       : tide_fail(err, -errno, "cannot open %s: %s", path,
						   strerror(errno));
	if (pread(fd, &head, sizeof head - 1, 0) < 0)
		rc = tide_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
	else if (!interpreter(head.text, then, size))
		rc = check_elf(fd, path, &head.elf, err);
	if (!rc)
		rc = check_rights(fd, path, err);
	close(fd);
	return rc;
}

/* A script's interpreter may be a script: the kernel follows five. */
int td_run_check_program(const char *path, struct tide_error *err)
{
	char here[PATH_MAX], then[PATH_MAX];
	int rc = 0;

	snprintf(here, sizeof here, "%s", path);
	for (int depth = 0; depth < 5 && !rc && *here; depth++) {
		rc = check_one(here, then, sizeof then, err);
		memcpy(here, then, sizeof here);
	}
	return rc;
}

int td_run_find_preload(char *path, size_t size, struct tide_error *err)
{
	return td_cli_find_module("libtide_preload.so", path, size, err);
}

int td_run_find_gpu_preload(char *path, size_t size, struct tide_error *err)
{
	return td_cli_find_module("libtide_preload_gpu.so", path, size, err);
}
