/* The style of figures: colours that survive print in grey, widths and lists as people write them.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* After the headers that cmocka needs. */
#include <cmocka.h>

#include "report/model.h"

/* L* of CIELAB: equal steps look equally far apart. */
static double lightness(const char *colour)
{
	unsigned part[3];
	double y = 0;
	static const double weight[] = {0.2126, 0.7152, 0.0722};

	assert_int_equal(sscanf(colour, "#%2x%2x%2x", &part[0], &part[1], &part[2]), 3);
	for (int i = 0; i < 3; i++) {
		double c = part[i] / 255.0;
		y += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

/* What printers and readers of PDF make of a colour, which is another grey than L*. */
static double luma(const char *colour)
{
	unsigned r, g, b;

	assert_int_equal(sscanf(colour, "#%2x%2x%2x", &r, &g, &b), 3);
	return 0.299 * r + 0.587 * g + 0.114 * b;
}

/* Every two differ in grey, the first four by twice as much, and all stand out from paper. */
static void colours_survive_grey(void **state)
{
	(void)state;
	for (int i = 0; i < TD_REPORT_COLOURS; i++) {
		double l = lightness(td_report_lines[i].colour);
		assert_true(l < 80);
		for (int k = 0; k < i; k++) {
			const char *one = td_report_lines[i].colour;
			const char *two = td_report_lines[k].colour;
			assert_true(fabs(l - lightness(two)) >= (i < 4 ? 15 : 7));
			assert_true(fabs(luma(one) - luma(two)) >= (i < 4 ? 36 : 12));
		}
	}
}

/* Who cannot see the lightness sees the marker or the dashes. */
static void lines_differ(void **state)
{
	(void)state;
	for (int i = 0; i < TD_REPORT_COLOURS; i++)
		for (int k = 0; k < i; k++) {
			assert_int_not_equal(td_report_lines[i].marker, td_report_lines[k].marker);
			assert_string_not_equal(td_report_lines[i].dash, td_report_lines[k].dash);
		}
}

/* The page has the same colours on a light screen and on paper, and eight others on a dark one. */
static void page_has_the_colours(void **state)
{
	(void)state;
	for (int i = 0; i < TD_REPORT_COLOURS; i++) {
		char text[32];
		int n = 0;
		snprintf(text, sizeof text, "--c%d: %s;", i + 1, td_report_lines[i].colour);
		for (const char *at = td_report_css; (at = strstr(at, text)); at++)
			n++;
		assert_int_equal(n, 2);
	}
}

static void widths(void **state)
{
	static const struct {
		const char *text;
		double pixels;
	} good[] = {{"3.33in", 319.68}, {"8.5cm", 321.26}, {"85mm", 321.26}, {"240pt", 320}};
	static const char *const bad[] = {"",    "in",    "3.33",  "3,33in",   "-3in",
					  "0in", "nanin", "1e9in", "3.33inch", "3in 3in"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct td_report_look look = {0};
		assert_int_equal(td_report_look_width(&look, good[i].text, NULL), 0);
		assert_true(fabs(td_report_look_pixels(&look) - good[i].pixels) < 0.01);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct td_report_look look = {0};
		struct tide_error err;
		assert_int_equal(td_report_look_width(&look, bad[i], &err), -EINVAL);
		assert_non_null(strstr(err.text, "3.33in"));
	}
}

static void colours(void **state)
{
	static const char *const bad[] = {"",
					  "red",
					  "#12345",
					  "#1234567",
					  "#12345g",
					  "#123456,",
					  ",#123456",
					  "#123456;#654321",
					  "#123456' ; system('x"};
	struct td_report_look look = {0};

	(void)state;
	assert_int_equal(td_report_look_colours(&look, "#123456,#ABCDEF", NULL), 0);
	assert_int_equal(look.n, 2);
	assert_string_equal(look.colours[1], "#ABCDEF");
	look.n = 0;
	assert_int_equal(td_report_look_colours(&look, "grey", NULL), 0);
	assert_int_equal(look.n, TD_REPORT_COLOURS);
	for (size_t i = 0; i < look.n; i++)
		assert_memory_equal(look.colours[i] + 1, look.colours[i] + 3, 2);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct td_report_look none = {0};
		assert_int_equal(td_report_look_colours(&none, bad[i], NULL), -EINVAL);
	}
	/* Nine of them. */
	look.n = 0;
	assert_int_equal(td_report_look_colours(&look,
						"#000000,#000000,#000000,#000000,#000000,#000000,"
						"#000000,#000000,#000000",
						NULL),
			 -EINVAL);
}

static void endings(void **state)
{
	(void)state;
	assert_ptr_equal(td_report_output("a.pdf"), &td_report_pdf);
	assert_ptr_equal(td_report_output("b/a.svg"), &td_report_svg);
	assert_ptr_equal(td_report_output("a.png"), &td_report_png);
	assert_null(td_report_output(".pdf"));
	assert_null(td_report_output("a.ps"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_survive_grey),
		cmocka_unit_test(lines_differ),
		cmocka_unit_test(page_has_the_colours),
		cmocka_unit_test(widths),
		cmocka_unit_test(colours),
		cmocka_unit_test(endings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
