/* A page of tide report as its readers see it: on a phone and on a desk, light and dark, with and
 * without script, on paper.
 * usage: check_report BROWSER PROFILE-DIR PAGE HOSTILE-PAGE LONG-PAGE   (absolute paths) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

const char *where = "";

void expect(struct browser *b, const char *what, const char *expression)
{
	if (!browser_holds(b, expression))
		fail("%s: not so: %s (%s)", where, what, expression);
}

void expect_quiet(const struct browser *b)
{
	if (*browser_complaints(b))
		fail("%s: the page complains:\n%s", where, browser_complaints(b));
}

/* ---- how it looks ---- */

void check_layout(struct browser *b)
{
	expect(b, "nothing sticks out of the page",
	       "document.documentElement.scrollWidth <= innerWidth");
	expect(b, "no element is wider than the window, but in a box that scrolls",
	       "[...document.body.querySelectorAll('*')].every(e => e.closest('.scroll table') ||"
	       " e.closest('svg') || e.getBoundingClientRect().right <= innerWidth + 1)");
	expect(b, "the title and the summary are seen",
	       "document.querySelector('h1').offsetHeight > 0 &&"
	       " document.querySelector('#summary p').offsetHeight > 0");
	expect(b, "letters are not too small to read",
	       "[...document.querySelectorAll('p, td, th, li, figcaption')]"
	       ".every(e => parseFloat(getComputedStyle(e).fontSize) >= 12)");
}

/* Every figure is drawn twice, and shown once. */
static void check_figures(struct browser *b, bool narrow)
{
	expect(b, "there are figures", "document.querySelectorAll('figure').length > 2");
	expect(b, "one form of each figure is shown",
	       narrow ? "[...document.querySelectorAll('figure')].every(f =>"
			" f.querySelector('.narrow svg').clientHeight > 60 &&"
			" f.querySelector('.wide').offsetHeight === 0)"
		      : "[...document.querySelectorAll('figure')].every(f =>"
			" f.querySelector('.wide svg').clientHeight > 60 &&"
			" f.querySelector('.narrow').offsetHeight === 0)");
	expect(b, "their letters can be read",
	       "[...document.querySelectorAll('figure svg')].filter(s => s.clientWidth).every(s =>"
	       " s.querySelector('text').getBoundingClientRect().height >= 9)");
	expect(b, "bars and lines have the colours of the page",
	       "[...document.querySelectorAll('figure polygon')].every(p =>"
	       " getComputedStyle(p).fill.startsWith('rgb'))");
}

/* 0 is black, 1 is white. */
#define LIGHTNESS(element, property) \
	"(getComputedStyle(document.querySelector('" element "'))." property \
	".match(/[0-9.]+/g).slice(0, 3).reduce((a, c) => a + Number(c), 0) / 765)"

static void check_scheme(struct browser *b, bool dark)
{
	expect(b, "the background follows the reader",
	       dark ? LIGHTNESS("body", "backgroundColor") " < 0.2"
		    : LIGHTNESS("body", "backgroundColor") " > 0.8");
	expect(b, "letters of figures stand out",
	       dark ? LIGHTNESS("figure text", "fill") " > 0.7"
		    : LIGHTNESS("figure text", "fill") " < 0.4");
}

/* ---- what it does ---- */

/* The column of the table of runs that has this head, and what stands in it. */
#define COLUMN(table, head) \
	"[...document.querySelectorAll('" table " th')].findIndex(h =>" \
	" h.textContent.trim() === '" head "')"
#define CELLS(table, head) \
	"[...document.querySelectorAll('" table \
	" tbody tr')].map(r => r.cells[" COLUMN(table, head) "])"
#define FAULTS CELLS("#runs", "faults") ".map(c => Number(c.textContent.replaceAll(',', '')))"
#define RISES(list) list ".every((v, i, all) => i === 0 || all[i - 1] <= v)"
#define FALLS(list) list ".every((v, i, all) => i === 0 || all[i - 1] >= v)"

static void mark_head(struct browser *b, const char *head)
{
	char expression[400];

	snprintf(expression, sizeof expression,
		 "[...document.querySelectorAll('#runs th')].forEach(h =>"
		 " h.id = h.textContent.trim() === '%s' ? 'wanted' : '')",
		 head);
	json_decref(browser_value(b, expression));
}

static void check_sorting(struct browser *b)
{
	mark_head(b, "faults");
	expect(b, "there are many runs, not in order yet",
	       FAULTS ".length > 10 && !" RISES(FAULTS) " && !" FALLS(FAULTS));
	browser_click(b, "#wanted button");
	expect(b, "a click sorts, as numbers", RISES(FAULTS));
	expect(b, "and says so",
	       "document.querySelector('#wanted').getAttribute('aria-sort') === 'ascending'");
	browser_click(b, "#wanted button");
	expect(b, "another click turns it", FALLS(FAULTS));
	mark_head(b, "evict");
	json_decref(browser_value(b, "document.querySelector('#wanted button').focus()"));
	browser_press(b, "Enter");
	expect(b, "the keyboard sorts words",
	       CELLS("#runs",
		     "evict") ".map(c => c.textContent)"
			      ".every((v, i, all) => i === 0 || all[i - 1].localeCompare(v) <= 0)");
	expect(b, "one column is sorted at a time",
	       "document.querySelectorAll('#runs th:not([aria-sort=none])').length === 1");
}

static void check_commands(struct browser *b)
{
	expect(b, "every run has its command line",
	       "document.querySelectorAll('code.command').length >="
	       " document.querySelectorAll('#runs tbody tr').length");
	browser_click(b, "summary");
	browser_click(b, "code.command + button");
	expect(b, "the button copies or selects",
	       "new Promise(done => setTimeout(() => done(/Copied|Selected/.test("
	       "document.querySelector('code.command + button').textContent)), 200))");
}

static void check_view(struct browser *b, const char *page, int width, int height, bool dark)
{
	char name[64];

	snprintf(name, sizeof name, "%dx%d %s", width, height, dark ? "dark" : "light");
	where = name;
	browser_view(b, width, height, dark ? "dark" : "light", "");
	browser_load(b, page);
	check_layout(b);
	check_figures(b, width < 600);
	check_scheme(b, dark);
	check_sorting(b);
	check_commands(b);
	check_layout(b);
	expect_quiet(b);
}

/* ---- other readers ---- */

static void check_plain(struct browser *b, const char *page)
{
	where = "without script";
	browser_view(b, 1280, 800, "light", "");
	browser_do(b, "Emulation.setScriptExecutionDisabled", json_pack("{sb}", "value", 1));
	browser_load(b, page);
	expect(b, "it says which tide made it",
	       "/of tide [0-9]+\\.[0-9]+/.test(document.querySelector('footer').textContent)");
	expect(b, "nothing is there that needs the script",
	       "!document.querySelector('.tools, .pager, dialog')");
	expect(b, "tables are whole", "document.querySelectorAll('#runs tbody tr').length > 10");
	expect(b, "heads are plain",
	       "document.querySelectorAll('th button').length === 0 &&"
	       " document.querySelector('#runs th').textContent === 'run'");
	browser_do(b, "Emulation.setScriptExecutionDisabled", json_pack("{sb}", "value", 0));
}

static void check_print(struct browser *b, const char *page)
{
	where = "on paper";
	browser_view(b, 800, 1100, "dark", "print");
	browser_load(b, page);
	check_scheme(b, false);
	expect(b, "there is nothing to click",
	       "getComputedStyle(document.querySelector('nav')).display === 'none'");
	expect(b, "buttons and switches are gone",
	       "[...document.querySelectorAll('.tools, .commands button')].every(e =>"
	       " e.offsetHeight === 0)");
	expect(b, "figures are there",
	       "[...document.querySelectorAll('figure')].every(f =>"
	       " [...f.querySelectorAll('svg')].some(s => s.clientHeight > 60))");
	expect(b, "tables are not cut",
	       "[...document.querySelectorAll('.scroll')].every(s =>"
	       " getComputedStyle(s).overflowY === 'visible')");
}

/* Whatever the results hold is text. */
static void check_hostile(struct browser *b, const char *page)
{
	where = "hostile results";
	browser_view(b, 360, 740, "light", "");
	browser_load(b, page);
	expect(b, "the only script is ours", "document.scripts.length === 1");
	expect(b, "no element came with a result",
	       "!document.querySelector('img, iframe, object, embed, link, base, form, [onerror],"
	       " [onload], [onclick], [style]:not(.swatch)')");
	expect(b, "the words are names of series too",
	       "[...document.querySelectorAll('.tools label, figure')].some(e =>"
	       " e.textContent.includes('<img'))");
	expect(b, "the words are there as words",
	       "document.querySelector('#runs').textContent.includes('<script>alert(1)</script>')");
	expect(b, "they are in the figures too",
	       "[...document.querySelectorAll('figure svg')].some(f => f.textContent.includes('<img'))");
	check_layout(b);
	expect_quiet(b);
}

static void check_policy(struct browser *b)
{
	where = "content policy";
	json_decref(browser_value(
		b, "(() => { const s = document.createElement('script');"
		   "s.textContent = 'window.ran = 1'; document.body.append(s); })()"));
	expect(b, "a script that is not ours does not run", "window.ran === undefined");
}

int main(int argc, char **argv)
{
	char page[4200], hostile[4200], large[4200];
	struct browser *b;

	if (argc != 6)
		fail("usage: check_report BROWSER PROFILE-DIR PAGE HOSTILE-PAGE LONG-PAGE");
	snprintf(page, sizeof page, "file://%s", argv[3]);
	snprintf(hostile, sizeof hostile, "file://%s", argv[4]);
	snprintf(large, sizeof large, "file://%s", argv[5]);
	b = browser_start(argv[1], argv[2]);
	check_view(b, page, 320, 640, false);
	check_view(b, page, 360, 740, true);
	check_view(b, page, 768, 1024, true);
	check_view(b, page, 1280, 800, false);
	check_view(b, page, 1280, 800, true);
	check_tools(b, page, 1280);
	check_tools(b, page, 320);
	check_keyboard(b, page);
	check_long(b, large);
	check_plain(b, page);
	check_print(b, page);
	check_hostile(b, hostile);
	check_policy(b);
	browser_stop(b);
	return 0;
}
