/* Numbers as people read them, and texts as HTML and CSV take them. */
#include <inttypes.h>
#include <string.h>

#include "model.h"

struct td_report_text td_report_grouped(uint64_t n)
{
	struct td_report_text out;
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	char *to = out.text;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}

/* value in the largest unit that leaves at least 1 of it. */
static struct td_report_text in_units(double value, double step, const char *const *units, size_t n,
				      int digits)
{
	struct td_report_text out;
	size_t unit = 0;

	while (value >= step && unit + 1 < n) {
		value /= step;
		unit++;
	}
	snprintf(out.text, sizeof out.text, "%.*f %s", unit ? digits : 0, value, units[unit]);
	return out;
}

/* "8 MiB", but "1.5 MiB". */
struct td_report_text td_report_bytes(uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	struct td_report_text out = in_units((double)bytes, 1024, units, 7, 1);
	char *zero = strstr(out.text, ".0 ");

	if (zero)
		memmove(zero, zero + 2, strlen(zero + 2) + 1);
	return out;
}

struct td_report_text td_report_ns(uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return in_units((double)ns, 1000, units, 4, 3);
}

struct td_report_text td_report_near(const struct td_report_run *run)
{
	struct td_report_text out;

	if (run->page_bytes && run->near_pages < UINT64_MAX / run->page_bytes)
		return td_report_bytes(run->near_pages * run->page_bytes);
	snprintf(out.text, sizeof out.text, "%.40s pages", td_report_grouped(run->near_pages).text);
	return out;
}

const char *td_report_metric_name(enum td_report_metric metric)
{
	switch (metric) {
	case TD_REPORT_TIME: return "simulated time";
	case TD_REPORT_MEASURED: return "measured time";
	case TD_REPORT_STORAGE: return "storage I/O";
	default: return "faults";
	}
}

/* Whatever a document holds is text of the page and nothing else. */
void td_report_html_part(FILE *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		switch (c) {
		case '&': fputs("&amp;", to); break;
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '"': fputs("&quot;", to); break;
		case '\'': fputs("&#39;", to); break;
		default: putc(c < ' ' || c == 127 ? ' ' : c, to);
		}
	}
}

void td_report_html(FILE *to, const char *text)
{
	td_report_html_part(to, text, strlen(text));
}

void td_report_csv(FILE *to, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	putc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', to);
		putc(*text, to);
	}
	putc('"', to);
}
