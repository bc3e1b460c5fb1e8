/* A program that exports functions with the names of functions that tide uses of other libraries.
 * They mean something else here: whoever calls one of them ends the program with a word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((size_t)24 << 20)

__attribute__((noreturn)) static void clash(const char *name)
{
	ssize_t ignored = write(STDERR_FILENO, name, strlen(name));

	(void)ignored;
	_exit(99);
}

#define NAME(name) \
	__attribute__((visibility("default"))) void name(void); \
	void name(void) \
	{ \
		clash(#name " was called\n"); \
	}
NAME(json_object)
NAME(json_array)
NAME(json_array_append_new)
NAME(json_delete)
NAME(json_dumps)
NAME(json_get_alloc_funcs)
NAME(json_set_alloc_funcs)
NAME(json_integer)
NAME(json_null)
NAME(json_object_set_new)
NAME(json_real)
NAME(json_string)
NAME(LZ4_compress_fast_extState)
NAME(LZ4_decompress_safe)
NAME(LZ4_sizeofState)
NAME(XXH3_64bits)
NAME(XXH3_64bits_withSeed)
NAME(ZSTD_CCtx_setParameter)
NAME(ZSTD_compressBound)
NAME(ZSTD_compressCCtx)
NAME(ZSTD_compressStream2)
NAME(ZSTD_createCCtx_advanced)
NAME(ZSTD_decompressDCtx)
NAME(ZSTD_estimateCCtxSize_usingCParams)
NAME(ZSTD_estimateDCtxSize)
NAME(ZSTD_freeCCtx)
NAME(ZSTD_getCParams)
NAME(ZSTD_getErrorCode)
NAME(ZSTD_initStaticCCtx)
NAME(ZSTD_initStaticDCtx)
NAME(ZSTD_isError)
NAME(io_uring_get_cqe)
NAME(__io_uring_get_cqe)
NAME(io_uring_queue_init)
NAME(io_uring_queue_exit)
NAME(io_uring_submit)
NAME(deflate)
NAME(deflateInit2_)
NAME(deflateEnd)

int main(void)
{
	unsigned char *data = malloc(BYTES);
	unsigned long sum = 0, x = 1;

	if (!data)
		return 1;
	for (size_t i = 0; i < BYTES; i++) {
		x = i % 64 ? x : x * 6364136223846793005UL + 1442695040888963407UL;
		data[i] = (unsigned char)(x >> 56);
	}
	for (size_t i = 0; i < BYTES; i += 509)
		sum = sum * 31 + data[i];
	printf("%lu\n", sum);
	free(data);
	return 0;
}
