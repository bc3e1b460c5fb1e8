/* Virtual memory: addresses that are reserved, pieces of memory, and what is mapped where. All
 * pieces lie in one file without a name. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

struct piece {
	struct made made;
	off_t at;
	size_t bytes;
	bool device, released;
	unsigned maps;
};

struct map {
	struct map *next;
	cu_ptr at;
	struct piece *piece;
};

static struct map *maps;
static int file = -1;
static off_t file_end;

/* ---- with the lock held ---- */

static bool ready(void)
{
	if (file < 0) {
		file = memfd_create("fake-cuda", MFD_CLOEXEC);
		if (file >= 0 && ftruncate(file, (off_t)1 << 42)) {
			close(file);
			file = -1;
		}
	}
	return file >= 0;
}

static struct map *map_of(cu_ptr at)
{
	struct map *m = maps;
	while (m && (at < m->at || at - m->at >= m->piece->bytes))
		m = m->next;
	return m;
}

bool fake_mapping(cu_ptr at, cu_ptr *base, size_t *bytes, bool *device)
{
	struct map *m = map_of(at);
	if (!m)
		return false;
	*base = m->at;
	*bytes = m->piece->bytes;
	*device = m->piece->device;
	return true;
}

static bool maps_in(cu_ptr at, size_t bytes)
{
	for (struct map *m = maps; m; m = m->next)
		if (m->at < at + bytes && at < m->at + m->piece->bytes)
			return true;
	return false;
}

static void drop_if_unused(struct piece *p)
{
	if (!p->released || p->maps)
		return;
	fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, p->at, (off_t)p->bytes);
	if (p->device)
		fake_device_give(p->bytes);
	fake_unmake(p);
}

static cu_result unmap(cu_ptr at, size_t bytes)
{
	struct map **link = &maps;
	while (*link && (*link)->at != at)
		link = &(*link)->next;
	struct map *m = *link;
	if (!m || m->piece->bytes != bytes)
		return CU_INVALID_VALUE;
	if (mmap((void *)at, bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		return CU_OUT_OF_MEMORY;
	*link = m->next;
	m->piece->maps--;
	drop_if_unused(m->piece);
	free(m);
	return CU_OK;
}

static cu_result map(cu_ptr at, size_t bytes, struct piece *p)
{
	struct range *r = fake_range(at);
	if (!r || r->kind != RANGE_RESERVED || bytes > r->bytes - (at - r->at))
		return CU_INVALID_VALUE;
	if (p->bytes != bytes || p->released || maps_in(at, bytes))
		return CU_INVALID_VALUE;
	if (mmap((void *)at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file, p->at) == MAP_FAILED)
		return CU_OUT_OF_MEMORY;
	struct map *m = fake_allocate(sizeof *m);
	*m = (struct map){.next = maps, .at = at, .piece = p};
	maps = m;
	p->maps++;
	return CU_OK;
}

static bool all_mapped(cu_ptr at, size_t bytes)
{
	cu_ptr end = at + bytes;
	while (at < end) {
		struct map *m = map_of(at);
		if (!m)
			return false;
		at = m->at + m->piece->bytes;
	}
	return at == end;
}

/* ---- without it ---- */

static bool in_pieces(uint64_t n)
{
	return n && !(n % PIECE_BYTES);
}

static bool poison(off_t at, size_t bytes)
{
	static const unsigned char block[1 << 16] = {[0 ...(1 << 16) - 1] = POISON};
	for (size_t done = 0; done < bytes; done += sizeof block)
		if (pwrite(file, block, sizeof block, at + (off_t)done) != (ssize_t)sizeof block)
			return false;
	return true;
}

EXPORT cu_result cuMemGetAllocationGranularity(size_t *bytes, const struct cu_piece_of *what,
					       int option)
{
	ENTER(cuMemGetAllocationGranularity);
	(void)what, (void)option;
	*bytes = PIECE_BYTES;
	return CU_OK;
}

EXPORT cu_result cuMemAddressReserve(cu_ptr *at, size_t bytes, size_t align, cu_ptr hint,
				     unsigned long long flags)
{
	ENTER(cuMemAddressReserve);
	if (!in_pieces(bytes) || flags || (align & (align - 1)))
		return CU_INVALID_VALUE;
	align = align > PIECE_BYTES ? align : PIECE_BYTES;
	char *p = mmap((void *)hint, bytes + align, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return CU_OUT_OF_MEMORY;
	size_t before = (align - (uintptr_t)p % align) % align;
	if (before)
		munmap(p, before);
	munmap(p + before + bytes, align - before);
	*at = (cu_ptr)(p + before);
	pthread_mutex_lock(&fake_lock);
	fake_range_add(*at, bytes, RANGE_RESERVED, NULL);
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

EXPORT cu_result cuMemAddressFree(cu_ptr at, size_t bytes)
{
	ENTER(cuMemAddressFree);
	pthread_mutex_lock(&fake_lock);
	struct range *r = fake_range(at);
	bool fine = r && r->kind == RANGE_RESERVED && r->at == at && r->bytes == bytes &&
		    !maps_in(at, bytes);
	if (fine) {
		fake_range_drop(r);
		munmap((void *)at, bytes);
	}
	pthread_mutex_unlock(&fake_lock);
	return fine ? CU_OK : CU_INVALID_VALUE;
}

EXPORT cu_result cuMemCreate(cu_piece *piece, size_t bytes, const struct cu_piece_of *what,
			     unsigned long long flags)
{
	ENTER(cuMemCreate);
	bool device = what->location.type == CU_LOCATION_DEVICE;
	if (!in_pieces(bytes) || flags || what->type != CU_ALLOCATION_PINNED || what->location.id ||
	    (!device && what->location.type != CU_LOCATION_HOST_NUMA))
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&fake_lock);
	bool fits = ready() && (!device || fake_device_take(bytes));
	off_t at = file_end;
	if (fits)
		file_end += (off_t)bytes;
	pthread_mutex_unlock(&fake_lock);
	if (!fits)
		return CU_OUT_OF_MEMORY;
	if (!poison(at, bytes)) {
		pthread_mutex_lock(&fake_lock);
		if (device)
			fake_device_give(bytes);
		pthread_mutex_unlock(&fake_lock);
		return CU_OUT_OF_MEMORY;
	}
	struct piece *p = fake_make(MADE_PIECE, sizeof *p);
	p->at = at;
	p->bytes = bytes;
	p->device = device;
	*piece = (cu_piece)(uintptr_t)p;
	return CU_OK;
}

static struct piece *piece_of(cu_piece piece)
{
	struct piece *p = (struct piece *)(uintptr_t)piece;
	return fake_is(p, MADE_PIECE) ? p : NULL;
}

EXPORT cu_result cuMemRelease(cu_piece piece)
{
	ENTER(cuMemRelease);
	pthread_mutex_lock(&fake_lock);
	struct piece *p = piece_of(piece);
	bool fine = p && !p->released;
	if (fine) {
		p->released = true;
		drop_if_unused(p);
	}
	pthread_mutex_unlock(&fake_lock);
	return fine ? CU_OK : CU_INVALID_VALUE;
}

EXPORT cu_result cuMemMap(cu_ptr at, size_t bytes, size_t offset, cu_piece piece,
			  unsigned long long flags)
{
	ENTER(cuMemMap);
	if (offset || flags || !in_pieces(bytes) || !in_pieces(at))
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&fake_lock);
	struct piece *p = piece_of(piece);
	cu_result result = p ? map(at, bytes, p) : CU_INVALID_VALUE;
	pthread_mutex_unlock(&fake_lock);
	return result;
}

EXPORT cu_result cuMemUnmap(cu_ptr at, size_t bytes)
{
	ENTER(cuMemUnmap);
	pthread_mutex_lock(&fake_lock);
	cu_result result = unmap(at, bytes);
	pthread_mutex_unlock(&fake_lock);
	return result;
}

/* Only for the device 0, or for nodes of the host; the program can read what the device can. */
EXPORT cu_result cuMemSetAccess(cu_ptr at, size_t bytes, const struct cu_access *who, size_t n)
{
	ENTER(cuMemSetAccess);
	int access = PROT_NONE;
	for (size_t i = 0; i < n; i++) {
		if (who[i].location.id)
			return CU_INVALID_VALUE;
		if (who[i].flags == CU_ACCESS_READ_WRITE)
			access = PROT_READ | PROT_WRITE;
	}
	pthread_mutex_lock(&fake_lock);
	bool fine = in_pieces(bytes) && all_mapped(at, bytes);
	if (fine)
		fine = !mprotect((void *)at, bytes, access);
	pthread_mutex_unlock(&fake_lock);
	return fine ? CU_OK : CU_INVALID_VALUE;
}
