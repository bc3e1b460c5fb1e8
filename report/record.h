/* What a result says it is a result of: the one place that reads it. */
#ifndef TD_REPORT_RECORD_H
#define TD_REPORT_RECORD_H

#include <jansson.h>

struct td_report_record {
	const char *version;          /* of tide; "": not said */
	const char *input, *settings; /* digests; NULL: of a tide that did not write them */
};

/* The texts are the document's. curve: a part of doc with a record of its own, or doc. */
struct td_report_record td_report_record(const json_t *doc, const json_t *curve);

#endif
