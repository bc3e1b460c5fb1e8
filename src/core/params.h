/* Reads `name:key=value,key=value` by a table of parameters. */
#ifndef TD_CORE_PARAMS_H
#define TD_CORE_PARAMS_H

#include <stddef.h>
#include <stdio.h>

#include "core/text.h"
#include "tide/error.h"
#include "tide/param.h"

/* Length of the name part: up to the first colon. */
size_t td_core_spec_name(const char *spec);

/* A name with its parameters behind a comma, `zipf,skew=1`, as it is to be written: `zipf:skew=1`;
 * empty: it is no such thing. Several names, `lru,lrm`? */
struct td_core_word td_core_spec_meant(const char *name);
bool td_core_spec_is_list(const char *name);

/* Values for every row of the table, defaults where spec gives none. *values is one allocation
 * (texts included), freed with free(). who is for errors: "policy mhpe". */
int td_core_params(const struct tide_param *table, const char *spec, const char *who,
		   union tide_value **values, struct tide_error *err);

/* One line for a digest: the same value gives the same line whatever the locale. For numbers and
 * texts. */
void td_core_put_param(FILE *to, const struct tide_param *row, const union tide_value *value);

size_t td_core_params_count(const struct tide_param *table);

#endif
