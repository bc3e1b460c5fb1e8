#include "mappings.h"

#include <string.h>

#include "mech/uffd/uffd.h"

const char *td_lib_mapping_word(size_t i)
{
	const struct td_mapping *m = i ? td_mapping_at(i - 1) : NULL;
	return !i ? "auto" : m ? td_mapping_name(m) : NULL;
}

const char *td_lib_service_word(size_t i)
{
	const struct td_service *s = i ? td_service_at(i - 1) : NULL;
	return !i ? "auto" : s ? td_service_name(s) : NULL;
}

static const struct td_mapping *named(const char *name)
{
	const struct td_mapping *m;
	for (size_t i = 0; (m = td_mapping_at(i)); i++) {
		if (strcmp(td_mapping_name(m), name) == 0)
			break;
	}
	return m;
}

bool td_lib_sees_touched(const char *mapping)
{
	const struct td_mapping *m = named(mapping);
	return m && td_mapping_sees_touched(m);
}

bool td_lib_may_protect(const char *mapping)
{
	const struct td_mapping *m = named(mapping);
	return m && td_mapping_is_protectable(m);
}

const char *td_lib_run_mapping_word(size_t i)
{
	return i && !td_lib_mapping_word(i) && td_lib_mapping_word(i - 1) ? TD_LIB_MAPPING_KERNEL
									  : td_lib_mapping_word(i);
}
