/* Programs that a sweep starts: sbatch, squeue, mpirun. What they say goes to a file in memory, so
 * that nobody waits for anybody. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster.h"

#define TEXT_MAX (UINT64_C(256) << 20) /* of what a program may say */
#define LAST_BYTES 4096                /* of a log that are looked at */

/* ---- last words ---- */

static bool has_letter(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isalpha((unsigned char)text[i]))
			return true;
	return false;
}

struct td_cli_last td_cli_last_line(const char *text, size_t n)
{
	struct td_cli_last out = {"it said nothing"};

	while (n) {
		const char *before = memrchr(text, '\n', n - 1);
		size_t start = before ? (size_t)(before - text) + 1 : 0;
		size_t length = n - start;
		while (length && isspace((unsigned char)text[start + length - 1]))
			length--;
		if (has_letter(text + start, length)) {
			snprintf(out.text, sizeof out.text, "%.*s", (int)length, text + start);
			break;
		}
		n = start;
	}
	return out;
}

struct td_cli_last td_cli_last_of(const char *path)
{
	char text[LAST_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t from = size > LAST_BYTES ? size - LAST_BYTES : 0;
	ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof text, from);

	if (fd >= 0)
		close(fd);
	return td_cli_last_line(text, n > 0 ? (size_t)n : 0);
}

/* ---- starting ---- */

/* In the child. Signals are as they were before the watch took them. */
static void become(const struct td_cli_cluster *c, char *const *argv, const int *files)
{
	for (int i = 0; i < 3; i++)
		if (dup2(files[i], i) < 0)
			_exit(127);
	pthread_sigmask(SIG_SETMASK, &c->s->watch.before, NULL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int fail_start(const char *program, int code, struct tide_error *err)
{
	return tide_fail(err, -code, "cannot start %s (%s): free memory or processes", program,
			 strerror(code));
}

static int memory(const char *name)
{
	return memfd_create(name, MFD_CLOEXEC);
}

static bool fill(int fd, const char *text)
{
	size_t n = strlen(text);

	return fd >= 0 && write(fd, text, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0;
}

/* All that was written to it, with an end of text. */
static char *read_all(int fd, size_t *n)
{
	struct stat st;
	char *text;
	ssize_t got;

	if (fstat(fd, &st) || (uint64_t)st.st_size > TEXT_MAX)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	got = text ? pread(fd, text, (size_t)st.st_size, 0) : -1;
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	*n = (size_t)got;
	return text;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int take_words(const char *program, const int *files, int status, struct td_cli_text *out,
		      struct tide_error *err)
{
	size_t n = 0;
	char *said;

	out->at = read_all(files[1], &out->n);
	said = read_all(files[2], &n);
	if (!out->at || !said) {
		free(said);
		return tide_fail(err, -ENOMEM, "no memory for what %s says: free some", program);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		tide_fail(err, -EIO, "%s failed (%s): check that Slurm runs, and --launch-args",
			  program, td_cli_last_line(said, n).text);
	free(said);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

int td_cli_capture(const struct td_cli_cluster *c, char *const *argv, const char *input,
		   struct td_cli_text *out, struct tide_error *err)
{
	int files[3] = {memory("input"), memory("output"), memory("error")};
	int rc, status = 0;
	pid_t pid = -1;

	*out = (struct td_cli_text){0};
	if (fill(files[0], input) && files[1] >= 0 && files[2] >= 0)
		pid = fork();
	if (pid == 0)
		become(c, argv, files);
	rc = pid < 0 ? fail_start(argv[0], errno, err) : 0;
	if (!rc) {
		status = wait_for(pid);
		rc = take_words(argv[0], files, status, out, err);
	}
	for (int i = 0; i < 3; i++)
		if (files[i] >= 0)
			close(files[i]);
	return rc;
}

int td_cli_start(const struct td_cli_cluster *c, char *const *argv, const char *log, pid_t *pid,
		 struct tide_error *err)
{
	int to = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int from = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t child = to < 0 || from < 0 ? -1 : fork();
	int code = errno;

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		become(c, argv, (int[]){from, to, to});
	}
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	if (to < 0)
		return tide_fail(err, -code, "cannot write %s (%s): make room", log,
				 strerror(code));
	if (child < 0)
		return fail_start(argv[0], code, err);
	*pid = child;
	return 0;
}
