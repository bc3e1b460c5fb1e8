/* fread(), fwrite() and fputs() hand large buffers straight to the kernel: ours go piece by piece
 * through one that it can use. */
#include <string.h>

#include "calls.h"
#include "next.h"

typedef size_t pass(void *data, size_t bytes, FILE *f);

static size_t pass_in(void *data, size_t bytes, FILE *f)
{
	return next.fread_unlocked(data, 1, bytes, f);
}

static size_t pass_out(void *data, size_t bytes, FILE *f)
{
	return next.fwrite_unlocked(data, 1, bytes, f);
}

/* The file is locked by the caller, so that the pieces stay together. */
static size_t by_pieces(char *data, size_t bytes, FILE *f, pass *to)
{
	char room[16 << 10];
	size_t done = 0;

	while (done < bytes) {
		size_t want = bytes - done < sizeof room ? bytes - done : sizeof room, n;
		if (to == pass_out)
			memcpy(room, data + done, want);
		n = to(room, want, f);
		if (to == pass_in)
			memcpy(data + done, room, n);
		done += n;
		if (n < want)
			break;
	}
	return done;
}

static size_t items(void *data, size_t each, size_t n, FILE *f, pass *to)
{
	return by_pieces(data, each * n, f, to) / each;
}

static bool mine(const void *data, size_t each, size_t n)
{
	size_t bytes;

	return !__builtin_mul_overflow(each, n, &bytes) && td_calls_mine(data, bytes);
}

TD_EXPORT size_t fread_unlocked(void *data, size_t each, size_t n, FILE *f)
{
	if (!mine(data, each, n))
		return next.fread_unlocked(data, each, n, f);
	return items(data, each, n, f, pass_in);
}

TD_EXPORT size_t fwrite_unlocked(const void *data, size_t each, size_t n, FILE *f)
{
	if (!mine(data, each, n))
		return next.fwrite_unlocked(data, each, n, f);
	return items((void *)(uintptr_t)data, each, n, f, pass_out);
}

TD_EXPORT size_t fread(void *data, size_t each, size_t n, FILE *f)
{
	size_t got;

	if (!mine(data, each, n))
		return next.fread(data, each, n, f);
	flockfile(f);
	got = items(data, each, n, f, pass_in);
	funlockfile(f);
	return got;
}

TD_EXPORT size_t fwrite(const void *data, size_t each, size_t n, FILE *f)
{
	size_t put;

	if (!mine(data, each, n))
		return next.fwrite(data, each, n, f);
	flockfile(f);
	put = items((void *)(uintptr_t)data, each, n, f, pass_out);
	funlockfile(f);
	return put;
}

/* ---- texts ---- */

static bool is_paged(const char *text)
{
	return td_preload_settings.helps && td_preload_paged(text);
}

static int put_text(const char *text, FILE *f)
{
	size_t bytes = strlen(text);

	return by_pieces((char *)(uintptr_t)text, bytes, f, pass_out) == bytes ? 1 : EOF;
}

TD_EXPORT int fputs_unlocked(const char *text, FILE *f)
{
	return is_paged(text) ? put_text(text, f) : next.fputs_unlocked(text, f);
}

TD_EXPORT int fputs(const char *text, FILE *f)
{
	int rc;

	if (!is_paged(text))
		return next.fputs(text, f);
	flockfile(f);
	rc = put_text(text, f);
	funlockfile(f);
	return rc;
}

TD_EXPORT int puts(const char *text)
{
	int rc;

	if (!is_paged(text))
		return next.puts(text);
	flockfile(stdout);
	rc = put_text(text, stdout);
	if (rc != EOF && putc_unlocked('\n', stdout) == EOF)
		rc = EOF;
	funlockfile(stdout);
	return rc;
}

/* ---- buffers ---- */

/* The C library reads into its own buffers without asking us, and writes them at the very end:
 * they are not to be paged. */
TD_EXPORT int setvbuf(FILE *f, char *buffer, int mode, size_t bytes)
{
	bool paged = buffer && td_preload_paged(buffer);

	return next.setvbuf(f, paged ? NULL : buffer, mode, bytes);
}

TD_EXPORT void setbuffer(FILE *f, char *buffer, size_t bytes)
{
	setvbuf(f, buffer, buffer ? _IOFBF : _IONBF, bytes);
}

TD_EXPORT void setbuf(FILE *f, char *buffer)
{
	setbuffer(f, buffer, BUFSIZ);
}

/* As in calls.c. */
TD_EXPORT size_t __fread_chk(void *data, size_t room, size_t each, size_t n, FILE *f);
TD_EXPORT size_t __fread_unlocked_chk(void *data, size_t room, size_t each, size_t n, FILE *f);

static void check(size_t room, size_t each, size_t n)
{
	size_t bytes;

	if (__builtin_mul_overflow(each, n, &bytes) || bytes > room)
		abort();
}

TD_EXPORT size_t __fread_chk(void *data, size_t room, size_t each, size_t n, FILE *f)
{
	check(room, each, n);
	return fread(data, each, n, f);
}

TD_EXPORT size_t __fread_unlocked_chk(void *data, size_t room, size_t each, size_t n, FILE *f)
{
	check(room, each, n);
	return fread_unlocked(data, each, n, f);
}
