/* Signatures on the processor. MD5 comes from libcrypto, which is loaded only when MD5 is asked
 * for. So the library does not depend on libcrypto. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h> /* the widest vectors that the processor has: twice as fast */
#endif

#include "device.h"

static void *open_libcrypto(void)
{
	static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
	void *library = NULL;
	for (size_t i = 0; !library && i < 2; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return library;
}

int td_pool_hash_load(struct td_pool_hasher *h, enum td_pool_hash hash, struct tide_error *err)
{
	if (hash != TD_POOL_MD5 || __atomic_load_n(&h->md5, __ATOMIC_RELAXED))
		return 0;
	void *library = open_libcrypto(), *symbol = library ? dlsym(library, "MD5") : NULL;
	if (!symbol)
		return tide_fail(err, -ENOSYS,
				 "no libcrypto for md5: install libssl3, or use hash xxh3");
	struct td_pool_hasher found;
	memcpy(&found.md5, &symbol, sizeof found.md5);
	__atomic_store_n(&h->md5, found.md5, __ATOMIC_RELAXED); /* all threads store the same */
	return 0;
}

static int hash_md5(struct td_pool_hasher *h, const void *const *blocks, size_t n, size_t bytes,
		    struct td_pool_signature *signatures)
{
	int rc = td_pool_hash_load(h, TD_POOL_MD5, NULL);
	if (rc)
		return rc;
	struct td_pool_hasher loaded = {__atomic_load_n(&h->md5, __ATOMIC_RELAXED)};
	for (size_t i = 0; i < n; i++)
		loaded.md5(blocks[i], bytes, (unsigned char *)signatures[i].at);
	return 0;
}

static void hash_xxh3(const void *const *blocks, size_t n, size_t bytes,
		      struct td_pool_signature *signatures)
{
	for (size_t i = 0; i < n; i++) {
		XXH128_hash_t h = XXH3_128bits(blocks[i], bytes);
		signatures[i] = (struct td_pool_signature){{h.low64, h.high64}};
	}
}

int td_pool_hash_blocks(struct td_pool_hasher *h, enum td_pool_hash hash, const void *const *blocks,
			size_t n, size_t bytes, struct td_pool_signature *signatures)
{
	if (hash == TD_POOL_MD5)
		return hash_md5(h, blocks, n, bytes, signatures);
	hash_xxh3(blocks, n, bytes, signatures);
	return 0;
}

int td_pool_host_hash(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures)
{
	struct td_pool_host *h = state;
	return td_pool_hash_blocks(&h->hasher, hash, blocks, n, h->slot_bytes, signatures);
}
