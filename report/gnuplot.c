#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

FILE *td_report_script(void)
{
	int fd = memfd_create("script", MFD_CLOEXEC);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !to)
		close(fd);
	return to;
}

/* In single quotes gnuplot takes every character as it is, two single quotes for one. */
void td_report_script_text(FILE *to, const char *text)
{
	putc('\'', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '\'')
			putc('\'', to);
		putc(c < ' ' || c == 127 ? ' ' : c, to);
	}
	putc('\'', to);
}

/* gnuplot's first words of complaint: it points at the place in lines of carets before. */
static int fail_drawing(int said, struct tide_error *err)
{
	char text[1024], *line, *rest = text;
	ssize_t n = pread(said, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (strstr(line, "line ") || strstr(line, "rror"))
			break;
	return tide_fail(err, -EIO, "gnuplot could not draw the figure: %.60s",
			 line && *line ? line : "try gnuplot by hand");
}

static int fail_spawn(int code, const char *instead, struct tide_error *err)
{
	if (code == ENOENT)
		return tide_fail(err, -ENOENT,
				 "gnuplot is not in PATH, and draws the figures: get it by sudo "
				 "apt install gnuplot-nox%s%s",
				 instead ? ", or leave out " : "", instead ? instead : "");
	return tide_fail(err, -code, "cannot run gnuplot: %s", strerror(code));
}

static int run(char *const *argv, const int fds[3], int *status, const char *instead,
	       struct tide_error *err)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return fail_spawn(code, instead, err);
	for (int i = 0; i < 3 && !code; i++)
		code = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	if (!code)
		code = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code)
		return fail_spawn(code, instead, err);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return fail_spawn(errno, instead, err);
	return 0;
}

/* gnuplot does not say that the disk was full: a figure that has no end is not whole. */
static bool is_whole(int fd, const char *last)
{
	char tail[17] = "";
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, tail, 16, size > 16 ? size - 16 : 0);

	return n > 0 && memmem(tail, (size_t)n, last, strlen(last));
}

/* The same results give the same bytes: a PDF is not to say when it was made. */
static void forget_time(int fd)
{
	static const char key[] = "/CreationDate (D:", never[] = "20000101000000Z";
	off_t size = lseek(fd, 0, SEEK_END);
	char *all = size > 0 ? mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			     : MAP_FAILED;
	char *at = all == MAP_FAILED ? NULL : memmem(all, (size_t)size, key, sizeof key - 1);

	if (at && all + size - at > (ptrdiff_t)(sizeof key + sizeof never))
		memcpy(at + sizeof key - 1, never, sizeof never - 1);
	if (all != MAP_FAILED)
		munmap(all, (size_t)size);
}

/* The script from its beginning, all of it in the file. */
static bool is_ready(FILE *script)
{
	return fflush(script) == 0 && !ferror(script) && lseek(fileno(script), 0, SEEK_SET) == 0;
}

int td_report_gnuplot(FILE *script, int out, const char *last, const char *instead,
		      struct tide_error *err)
{
	char *const argv[] = {(char[]){"gnuplot"}, (char[]){"--default-settings"}, NULL};
	int said = memfd_create("said", MFD_CLOEXEC), status = 0, rc;

	if (!script || said < 0 || !is_ready(script))
		rc = tide_fail(err, -ENOMEM, "no memory for the figure: free some");
	else
		rc = run(argv, (int[]){fileno(script), out, said}, &status, instead, err);
	if (!rc && status)
		rc = fail_drawing(said, err);
	else if (!rc && !is_whole(out, last))
		rc = tide_fail(err, -EIO,
			       "the figure could not be written whole: is the disk full?");
	if (!rc && strcmp(last, "%%EOF") == 0)
		forget_time(out);
	if (script)
		fclose(script);
	if (said >= 0)
		close(said);
	return rc;
}

int td_report_gnuplot_check(const char *instead, struct tide_error *err)
{
	char *const argv[] = {(char[]){"gnuplot"}, (char[]){"--version"}, NULL};
	int status, nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), rc;

	if (nowhere < 0)
		return tide_fail(err, -errno, "cannot open /dev/null: %s", strerror(errno));
	rc = run(argv, (int[]){nowhere, nowhere, nowhere}, &status, instead, err);
	close(nowhere);
	return rc;
}
