/* Tables: their first rows as HTML, which every reader has, and the others as data, which the
 * script of the page shows some at a time. */
#include <math.h>
#include <string.h>

#include "model.h"

void td_report_put_heads(struct td_report_table *t, const char *caption, const char *const *heads,
			 FILE *to)
{
	*t = (struct td_report_table){.to = to};
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", to);
	td_report_html(to, caption);
	fputs("\"><table class=\"sortable\"><caption>", to);
	td_report_html(to, caption);
	fputs("</caption><thead><tr>", to);
	for (; *heads; heads++)
		fprintf(to, "<th scope=\"col\"%s>%s</th>", **heads == '#' ? " class=\"n\"" : "",
			*heads + (**heads == '#'));
	fputs("</tr></thead><tbody>\n", to);
}

static bool is_data(const struct td_report_table *t)
{
	return t->rows > TD_REPORT_ROWS_MOST;
}

static void end_row(const struct td_report_table *t)
{
	if (t->rows)
		fputs(is_data(t) ? "]" : "</tr>\n", t->to);
}

void td_report_put_row(struct td_report_table *t, bool is_best)
{
	end_row(t);
	t->rows++;
	if (!is_data(t)) {
		fputs(is_best ? "<tr class=\"best\">" : "<tr>", t->to);
		return;
	}
	if (t->rows == TD_REPORT_ROWS_MOST + 1)
		fputs("</tbody></table>\n<script type=\"application/json\">{\"rows\":[\n", t->to);
	else
		fputs(",\n", t->to);
	fprintf(t->to, "[%d", is_best);
}

/* Nothing in it ends the element that it stands in. */
static void put_json(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' ||
		    c == 127)
			fprintf(to, "\\u%04x", c);
		else
			putc(c, to);
	}
	putc('"', to);
}

/* Texts come again and again: rows have their numbers. */
static void put_data(struct td_report_table *t, const char *text)
{
	uint32_t number;

	if (td_report_name(&t->texts, text, &number))
		put_json(t->to, text);
	else
		fprintf(t->to, "%u", number);
}

static bool is_plain(double value, const char *shown)
{
	return value >= 0 && value < 0x1p53 && value == floor(value) &&
	       strcmp(td_report_grouped((uint64_t)value).text, shown) == 0;
}

static void put_data_number(struct td_report_table *t, double value, const char *shown)
{
	putc(',', t->to);
	if (!isfinite(value)) {
		fputs("null", t->to);
	} else if (is_plain(value, shown)) {
		fprintf(t->to, "%.0f", value);
	} else {
		fprintf(t->to, "[%.12g,", value);
		put_data(t, shown);
		putc(']', t->to);
	}
}

void td_report_put_number(struct td_report_table *t, double value, const char *shown)
{
	if (is_data(t)) {
		put_data_number(t, value, shown);
		return;
	}
	if (!isfinite(value)) {
		fputs("<td class=\"n\"></td>", t->to);
		return;
	}
	fprintf(t->to, "<td class=\"n\" data-v=\"%.12g\">", value);
	td_report_html(t->to, shown);
	fputs("</td>", t->to);
}

void td_report_put_text(struct td_report_table *t, const char *text)
{
	if (is_data(t)) {
		putc(',', t->to);
		put_data(t, text);
		return;
	}
	fputs("<td>", t->to);
	td_report_html(t->to, text);
	fputs("</td>", t->to);
}

static void put_texts(struct td_report_table *t)
{
	fputs("\n],\"texts\":[", t->to);
	for (size_t i = 0; i < t->texts.n; i++) {
		fputs(i ? "," : "", t->to);
		put_json(t->to, t->texts.at[i]);
	}
	fputs("]}</script></div>\n", t->to);
	td_report_free_names(&t->texts);
}

void td_report_put_foot(struct td_report_table *t, const char *what, const char *file)
{
	end_row(t);
	if (!is_data(t)) {
		fputs("</tbody></table></div>\n", t->to);
		return;
	}
	put_texts(t);
	fprintf(t->to,
		"<p class=\"note rest\">%s more %s are in this page, and need its script. With "
		"<code>--figures DIR</code> all of them are in <code>DIR/%s</code>.</p>\n",
		td_report_grouped(t->rows - TD_REPORT_ROWS_MOST).text, what, file);
}

void td_report_put_left_out(size_t n, const char *what, const char *file, FILE *to)
{
	if (n)
		fprintf(to,
			"<p class=\"note\">%s more %s are left out, so that the page stays light. "
			"With <code>--figures DIR</code> all of them are in <code>DIR/%s</code>."
			"</p>\n",
			td_report_grouped(n).text, what, file);
}

struct td_report_caption td_report_caption(const struct td_report *r, const char *what,
					   size_t baseline)
{
	const char *name = td_report_baseline(r, baseline);
	struct td_report_caption out;

	if (r->combinations.n < 2)
		snprintf(out.text, sizeof out.text, "%s", what);
	else
		snprintf(out.text, sizeof out.text, "%s; %s%.200s", what,
			 name ? "the baseline is " : "without a baseline", name ? name : "");
	return out;
}
