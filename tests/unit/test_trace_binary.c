/* The binary readers, the guess of formats, compressed input, pipes, and files that are none. */
#include <lzma.h>
#include <sys/wait.h>
#include <zlib.h>
#include <zstd.h>

#include "test_trace.h"
#include "trace/bytes.h"

static void put_vscsi1(unsigned char *p, uint16_t command, uint32_t bytes, uint64_t sector)
{
	memset(p, 0, 32);
	store32(p + 4, bytes);
	store16(p + 12, command);
	store16(p + 14, 0x0100);
	store64(p + 16, sector);
}

static void put_vscsi2(unsigned char *p, uint16_t command, uint32_t bytes, uint64_t sector)
{
	memset(p, 0, 40);
	store16(p, command);
	store16(p + 2, 0x0200);
	store32(p + 8, bytes);
	store64(p + 16, sector);
}

static void put_oracle(unsigned char *p, uint64_t page, uint64_t then)
{
	memset(p, 0, 24);
	store64(p + 4, page);
	store32(p + 12, 4096);
	store64(p + 16, then);
}

static void expect(const char *path, const char *format, uint64_t page_bytes,
		   const struct td_event *events, size_t n)
{
	struct tide_error err = {0};
	struct events got;

	if (read_with(&(struct td_trace_options){.path = path,
						 .format = format,
						 .page_bytes = page_bytes},
		      &got, &err))
		fail_msg("%s", err.text);
	assert_same(&(struct events){(struct td_event *)events, n}, &got, false);
	free(got.at);
}

/* Both versions: reads, writes, requests over several pages, commands that move no data. */
static void vscsi_versions(void **state)
{
	static const struct td_event wanted[] = {
		{0, 0, 0, false},
		{0, 0, 0, true},
		{1, 0, 0, true},
		{2, 0, 0, false},
	};
	unsigned char one[4 * 32], two[4 * 40];
	static const struct {
		uint16_t command;
		uint32_t bytes;
		uint64_t sector;
	} requests[] = {{0x28, 512, 7}, {0x2a, 1024, 7}, {0x35, 512, 99}, {0x88, 4096, 16}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		put_vscsi1(one + i * 32, requests[i].command, requests[i].bytes,
			   requests[i].sector);
		put_vscsi2(two + i * 40, requests[i].command, requests[i].bytes,
			   requests[i].sector);
	}
	expect(save("v1.vscsi", one, sizeof one), NULL, 0, wanted, 4);
	expect(save("v2.vscsi", two, sizeof two), NULL, 4096, wanted, 4);
	/* No ending: the content tells. */
	expect(save("v1", one, sizeof one), NULL, 0, wanted, 4);
	expect(save("v2", two, sizeof two), NULL, 0, wanted, 4);
}

static void vscsi_refuses(void **state)
{
	unsigned char bytes[96];

	(void)state;
	for (int i = 0; i < 3; i++)
		put_vscsi1(bytes + i * 32, 0x28, 512, 8);
	assert_fails(&(struct td_trace_options){.path = save("cut.vscsi", bytes, 70)}, -EBADMSG,
		     "%s is cut off in record 3, which has 6 of 32 bytes: get the whole file");
	assert_fails(&(struct td_trace_options){.path = save("cut.vscsi", bytes, 7)}, -EBADMSG,
		     "%s is cut off in record 1, which has 7 of 32 bytes: get the whole file");
	bytes[64 + 15] = 7;
	assert_fails(&(struct td_trace_options){.path = save("v.vscsi", bytes, 96)}, -EBADMSG,
		     "%s record 3 is not of version 1 as the first is: the file is damaged");
	bytes[15] = 3;
	assert_fails(&(struct td_trace_options){.path = save("v.vscsi", bytes, 96)}, -ENOTSUP,
		     "%s does not start with vscsi records of version 1 or 2: say the right format "
		     "with `format`");
	put_vscsi1(bytes, 0x28, 512, UINT64_C(1) << 60);
	assert_fails(&(struct td_trace_options){.path = save("v.vscsi", bytes, 32)}, -ERANGE,
		     "%s record 1: block number 1152921504606846976 is beyond 64-bit addresses: "
		     "the file is damaged");
}

static void oraclegeneral_reads(void **state)
{
	static const struct td_event wanted[] = {
		{5, 0, 0, false}, {UINT64_MAX, 0, 0, false}, {5, 0, 0, false}};
	unsigned char bytes[72];
	struct td_trace_source *s;

	(void)state;
	put_oracle(bytes, 5, 3);
	put_oracle(bytes + 24, UINT64_MAX, UINT64_MAX);
	put_oracle(bytes + 48, 5, UINT64_MAX);
	expect(save("a.oracleGeneral.bin", bytes, 72), NULL, 0, wanted, 3);
	expect(save("a.ORACLEGENERAL", bytes, 72), NULL, 0, wanted, 3);
	expect(save("plain", bytes, 72), NULL, 0, wanted, 3);
	assert_int_equal(
		td_trace_open(&s, &(struct td_trace_options){.path = scratch("plain")}, NULL), 0);
	assert_int_equal(s->facts.accesses, 3);
	assert_int_equal(s->facts.refs, 0);
	assert_true(s->facts.pages == TD_UNKNOWN);
	td_trace_close(s);
	assert_fails(&(struct td_trace_options){.path = save("c.oracleGeneral", bytes, 71)},
		     -EBADMSG,
		     "%s is cut off in record 3, which has 23 of 24 bytes: get the whole file");
}

static void guesses_text(void **state)
{
	static const struct td_event txt[] = {{5, 0, 0, true}, {6, 0, 0, false}};

	(void)state;
	expect(save("noend", "# a, b\n5 w\n6\n", 13), NULL, 0, txt, 2);
	expect(save("noend", "5,w\n6,r\n", 8), NULL, 0, txt, 2);
	expect(save("odd.name", "5,w\n6,r\n", 8), NULL, 0, txt, 2);
	/* What is said counts more than the name. */
	expect(save("x.csv", "5 w\n6 r\n", 8), "txt", 0, txt, 2);
}

static void refuses_what_is_no_trace(void **state)
{
	(void)state;
	assert_fails(&(struct td_trace_options){.path = "/nonexistent/x.txt"}, -ENOENT,
		     "%s does not exist: check the name");
	assert_fails(&(struct td_trace_options){.path = folder}, -EISDIR,
		     "%s is a directory: name a trace file");
	assert_fails(&(struct td_trace_options){.path = save("bin", "\0\1\2\3\4", 5)}, -EINVAL,
		     test_names("cannot tell the format of %s: say it with `format` ",
				td_trace_read_format, "|")
			     .text);
	assert_fails(&(struct td_trace_options){.path = scratch("bin"), .format = "text"}, -EINVAL,
		     test_names("unknown trace format text, did you mean txt?: known here are ",
				td_trace_read_format, ", ")
			     .text);
	assert_fails(
		&(struct td_trace_options){.path = scratch("bin"), .format = "quux"}, -EINVAL,
		test_names("unknown trace format quux: known here are ", td_trace_read_format, ", ")
			.text);
	assert_fails(&(struct td_trace_options){.path = save("x.tide", "hello", 5)}, -EBADMSG,
		     "%s is no tide trace, its first bytes are wrong: say its format with "
		     "`format`");
}

static size_t gzip(unsigned char *to, size_t room, const void *from, size_t n)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)from;
	z.avail_in = (unsigned)n;
	z.next_out = to;
	z.avail_out = (unsigned)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static size_t xz(unsigned char *to, size_t room, const void *from, size_t n)
{
	size_t used = 0;

	assert_int_equal(
		lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, from, n, to, &used, room),
		LZMA_OK);
	return used;
}

enum { GZIP, ZSTD, XZ, KINDS };

static size_t compress_as(int kind, unsigned char *to, size_t room, const void *from, size_t n)
{
	return kind == ZSTD ? ZSTD_compress(to, room, from, n, 3)
	       : kind == XZ ? xz(to, room, from, n)
			    : gzip(to, room, from, n);
}

/* Members one after another, any name, and every truncation is an error. */
static void reads_compressed(void **state)
{
	static const struct td_event wanted[] = {
		{5, 0, 0, true}, {6, 0, 0, false}, {7, 0, 0, true}};

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		static const char *const names[] = {"c.txt.gz", "c.txt.zst", "c.TXT.xz"};
		unsigned char bytes[400];
		const char *name = names[kind];
		size_t first = compress_as(kind, bytes, sizeof bytes, "5 w\n6", 5), n = first;
		struct tide_error err;
		struct events got;

		n += compress_as(kind, bytes + n, sizeof bytes - n, "\n7 w\n", 5);
		expect(save(name, bytes, n), NULL, 0, wanted, 3);
		expect(save("hidden", bytes, n), NULL, 0, wanted, 3);
		for (size_t cut = 4; cut < n; cut++) {
			int rc = read_with(
				&(struct td_trace_options){.path = save(name, bytes, cut)}, &got,
				&err);
			free(got.at);
			assert_int_equal(rc, cut == first ? 0 : -EBADMSG);
		}
		assert_fails(&(struct td_trace_options){.path = save(name, bytes, n - 1)}, -EBADMSG,
			     "%s is cut off inside its compressed data: get the whole file");
		memcpy(bytes + n, "junk", 4);
		assert_int_equal(
			read_with(&(struct td_trace_options){.path = save(name, bytes, n + 4)},
				  &got, &err),
			-EBADMSG);
		free(got.at);
		n = compress_as(kind, bytes, sizeof bytes, "", 0);
		assert_fails(&(struct td_trace_options){.path = save(name, bytes, n)}, -ENODATA,
			     "%s has no accesses: it is empty");
	}
}

/* More than a buffer of them, twice, and padding between the members. */
static void reads_xz(void **state)
{
	enum { N = 200000 };
	char *text = malloc(N * 8), *p = text;
	unsigned char *bytes = malloc(N * 9);
	struct tide_error err = {0};
	struct td_trace_source *s;
	struct events a, b;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		p += sprintf(p, "%u\n", (unsigned)tide_hash64(i) % 1000000);
	n = compress_as(XZ, bytes, N * 8, text, (size_t)(p - text));
	memset(bytes + n, 0, 4);
	n += 4;
	n += compress_as(XZ, bytes + n, N, "7\n", 2);
	assert_int_equal(
		td_trace_open(&s, &(struct td_trace_options){.path = save("p.xz", bytes, n)}, &err),
		0);
	assert_int_equal(drain(s, &a, &err), 0);
	assert_int_equal(s->ops->rewind(s, &err), 0);
	assert_int_equal(drain(s, &b, &err), 0);
	assert_int_equal(a.n, N + 1);
	assert_int_equal(a.at[N].page, 7);
	assert_same(&a, &b, false);
	td_trace_close(s);
	free(a.at);
	free(b.at);
	free(bytes);
	free(text);
	assert_int_equal(
		td_trace_create(&(struct td_trace_writer *){NULL}, scratch("o.txt.xz"), NULL, &err),
		-ENOTSUP);
}

static int pipe_with(const char *text)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	return ends[0];
}

/* A pipe is read once; with spool, as often as one likes. */
static void pipes(void **state)
{
	struct td_trace_options options = {.path = "standard input"};
	struct tide_error err = {0};
	struct td_trace_source *s;
	struct events a, b;

	(void)state;
	assert_int_equal(td_trace_open_fd(&s, pipe_with("1\n2 w\n3\n"), &options, &err), 0);
	assert_null(s->ops->rewind);
	assert_int_equal(td_trace_seek(s, 1, &err), 0);
	assert_int_equal(drain(s, &a, &err), 0);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.at[0].page, 2);
	assert_int_equal(td_trace_seek(s, 0, &err), -ESPIPE);
	assert_string_equal(err.text,
			    "standard input cannot be read twice: save it to a file first");
	td_trace_close(s);
	free(a.at);

	options.spool = true;
	assert_int_equal(td_trace_open_fd(&s, pipe_with("1\n2 w\n3\n"), &options, &err), 0);
	assert_non_null(s->ops->rewind);
	assert_int_equal(s->bytes_total, 8);
	assert_int_equal(drain(s, &a, &err), 0);
	assert_int_equal(s->ops->rewind(s, &err), 0);
	assert_int_equal(drain(s, &b, &err), 0);
	assert_int_equal(a.n, 3);
	assert_same(&a, &b, false);
	td_trace_close(s);
	free(a.at);
	free(b.at);
}

/* "-" in a child process whose standard input is the file. */
static void standard_input(void **state)
{
	const char *path = save("in.txt", "1\n2\n", 4);
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		struct td_trace_source *s;
		struct tide_batch *b = calloc(1, sizeof *b);
		int ok;

		if (dup2(open(path, O_RDONLY), 0) < 0)
			_exit(9);
		ok = !td_trace_open(&s, &(struct td_trace_options){.path = "-"}, NULL) &&
		     !td_trace_next(s, b, NULL) && b->n == 2 && s->ops->rewind &&
		     !s->ops->rewind(s, NULL) && !td_trace_next(s, b, NULL) && b->n == 2;
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vscsi_versions),
		cmocka_unit_test(vscsi_refuses),
		cmocka_unit_test(oraclegeneral_reads),
		cmocka_unit_test(guesses_text),
		cmocka_unit_test(refuses_what_is_no_trace),
		cmocka_unit_test(reads_compressed),
		cmocka_unit_test(reads_xz),
		cmocka_unit_test(pipes),
		cmocka_unit_test(standard_input),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
