#include "record.h"

#include <stddef.h>
#include <string.h>

/* A digest as tide writes it; whatever else stands there is none. */
static const char *digest(const json_t *record, const char *key)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text && strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32 ? text : NULL;
}

struct td_report_record td_report_record(const json_t *doc, const json_t *curve)
{
	const char *version = json_string_value(json_object_get(doc, "tide"));
	const json_t *record = json_object_get(curve, "record");

	return (struct td_report_record){version ? version : "", digest(record, "input"),
					 digest(record, "settings")};
}
