/* What a result is a result of: digests of its input and of all its settings. With the version of
 * tide, equal digests mean the same run. A result as JSON says them in its member "record". */
#ifndef TD_LIB_RECORD_H
#define TD_LIB_RECORD_H

#include "lib.h"

/* Settings are written down as one text, and the text is hashed. */
struct td_lib_settings {
	char *text;
	size_t bytes;
	FILE *to;
};

int td_lib_settings_begin(struct td_lib_settings *s); /* or -ENOMEM */
/* A policy with all its parameters, and the file of a shared object; NULL: there is none. */
void td_lib_settings_policy(struct td_lib_settings *s, const char *role,
			    const struct td_policy_choice *choice);
void td_lib_settings_number(struct td_lib_settings *s, const char *name, uint64_t value);
void td_lib_settings_text(struct td_lib_settings *s, const char *name, const char *value);
/* Frees the text. -ENOMEM: it is not whole. */
int td_lib_settings_end(struct td_lib_settings *s, uint64_t digest[2]);

/* Adds a trace that a policy learned from to what it learned before. */
void td_lib_learned(uint64_t learned[2], const struct td_trace_source *source);

/* The settings of a run that is open. */
int td_lib_sim_settings(struct tide_sim *sim, const struct td_engine_config *config,
			struct tide_error *err);

#endif
