/* The pager's ways of mapping and of serving faults, by their names. */
#ifndef TD_LIB_MAPPINGS_H
#define TD_LIB_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Words that options take, "auto" first; NULL after the last. */
const char *td_lib_mapping_word(size_t i);
const char *td_lib_service_word(size_t i);

/* The same for tide run, which knows one more: the kernel pages. */
#define TD_LIB_MAPPING_KERNEL "kernel"
const char *td_lib_run_mapping_word(size_t i);

/* Is every touch of a page seen under this mapping? May the program protect its pages? */
bool td_lib_sees_touched(const char *mapping);
bool td_lib_may_protect(const char *mapping);

#endif
