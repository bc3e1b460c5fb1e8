/* From documents to what a report holds. */
#ifndef TD_REPORT_READ_H
#define TD_REPORT_READ_H

#include "model.h"

/* One document, or a list of them. -EINVAL: it is none of tide's; -ENOMEM. */
int td_report_take(struct td_report *r, const json_t *doc, uint32_t file);

/* read_gpu.c: a document of tide gpu bench or tide gpu info. */
int td_report_take_gpu(struct td_report *r, const json_t *doc, uint32_t file);

/* read_gpu_run.c: a document of tide run --gpu-near. */
int td_report_take_gpu_run(struct td_report *r, const json_t *doc);

/* parse.c: values of documents, whatever is in their place. */
uint64_t td_report_u64(const json_t *object, const char *key);       /* 0: none */
double td_report_real(const json_t *value);                          /* NAN: none */
const char *td_report_string(const json_t *object, const char *key); /* NULL: none */

/* command.c: the line that makes this result again; NULL: no memory. */
char *td_report_sim_command(const json_t *run);
char *td_report_gpu_command(const json_t *run, const json_t *config);
char *td_report_mrc_command(const json_t *doc, const char *policy);

/* The same without the input: what was asked of it. */
char *td_report_sim_asked(const json_t *run);
char *td_report_mrc_asked(const json_t *doc, const char *policy);

/* read.c: numbers of the version and of the digest that a result, or one curve of it, names. */
int td_report_name_record(struct td_report *r, const json_t *doc, const json_t *curve,
			  uint32_t *version, uint32_t *digest);

/* store.c: whether the same was read before, of the same paper or GPU, which then counts as equal.
 * -ENOMEM. */
int td_report_is_told(struct td_report *r, const char *who, const json_t *what);

/* What went in, as a user would write it; never NULL. */
const char *td_report_input(const json_t *doc);

#endif
