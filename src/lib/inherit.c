/* Forks, and memory that moves: for what is in front of a program. */
#include "inherit.h"

#include <string.h>

#include "mech/uffd/uffd.h"
#include "pager.h"
#include "remap.h"

int td_lib_before_fork(struct tide *t)
{
	td_lib_hot_before_fork(&t->hot);
	int rc = td_pager_before_fork(td_lib_pager(t));
	if (rc)
		td_lib_hot_after_fork(&t->hot);
	return rc;
}

void td_lib_in_parent(struct tide *t)
{
	td_pager_in_parent(td_lib_pager(t));
	td_lib_hot_after_fork(&t->hot);
}

int td_lib_in_child(struct tide *t)
{
	td_lib_leave_record(t);
	td_lib_hot_after_fork(&t->hot);
	if (!td_pager_in_child(td_lib_pager(t)))
		return 0;
	int rc = td_pager_become_plain(td_lib_pager(t));
	return rc ? rc : 1;
}

void td_lib_disown(struct tide *t)
{
	td_lib_leave_record(t);
	td_pager_disown(td_lib_pager(t));
}

int td_lib_map_over(struct tide *t, void *at, size_t bytes, struct tide_error *err)
{
	const struct td_uffd_file over = {.over = true};
	return td_pager_map(td_lib_pager(t), &at, bytes, at, &over, err);
}

int td_lib_remap(struct tide *t, void *old, size_t old_bytes, void *to, size_t bytes, bool keep,
		 struct tide_error *err)
{
	char *rest = (char *)to + old_bytes;
	size_t more = bytes - old_bytes;
	int rc = more ? td_lib_map_over(t, rest, more, err) : 0;
	if (rc)
		return rc;
	rc = td_pager_move(td_lib_pager(t), old, old_bytes, to, keep);
	if (rc && more)
		td_pager_unmap(td_lib_pager(t), rest, more, NULL);
	return rc ? tide_fail(err, rc, "memory cannot be moved: %s", strerror(-rc)) : 0;
}
