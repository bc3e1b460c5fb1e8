/* What readers do with figures and long tables, by mouse and by keyboard. */
#include <stdio.h>

#include "check.h"

#define RUN(b, expression) json_decref(browser_value(b, expression))

/* What the large figure shows: x, y, width, height. */
#define SEEN "document.querySelector('dialog svg').getAttribute('viewBox').split(' ').map(Number)"
#define KEEP "window.kept = " SEEN ";"

/* The first figure with several series. */
#define FIGURE \
	"[...document.querySelectorAll('figure')].find(f => f.querySelectorAll('.tools input').length > 1)"
#define PARTS(i) "[..." FIGURE ".querySelectorAll('g[data-series=\"" #i "\"]')]"
#define ARE(i, display) PARTS(i) ".every(g => getComputedStyle(g).display " display ")"

static void check_large(struct browser *b)
{
	expect(b, "nothing is enlarged", "!document.querySelector('dialog[open]')");
	browser_click(b, "figure .tools button");
	expect(b, "a figure is enlarged, and fills the window",
	       "document.querySelector('dialog[open] svg').clientWidth > innerWidth * 0.8 &&"
	       " document.querySelector('dialog[open]').getBoundingClientRect().right <= innerWidth");
	RUN(b, KEEP);
	browser_click(b, "dialog button[aria-label='Zoom in']");
	expect(b, "a button zooms in", SEEN "[2] < kept[2] * 0.9 && " SEEN "[0] > 0");
	browser_click(b, "dialog button[aria-label='Zoom out']");
	expect(b, "and out again", "Math.abs(" SEEN "[2] - kept[2]) < 1");
	browser_do(b, "Input.dispatchMouseEvent",
		   json_pack("{ss si si si si}", "type", "mouseWheel", "x", 150, "y", 300, "deltaX",
			     0, "deltaY", -100));
	expect(b, "the wheel zooms",
	       "new Promise(done => setTimeout(() => done(" SEEN "[2] < kept[2] * 0.95), 200))");
	browser_click(b, "dialog button[aria-label='Show the whole figure']");
	expect(b, "all of it is shown again", SEEN ".every((v, i) => v === kept[i])");
	browser_click(b, "dialog .tools button:last-child");
	expect(b, "the page is back", "!document.querySelector('dialog[open]')");
}

static void check_series(struct browser *b)
{
	RUN(b, FIGURE ".id = 'wanted-figure'");
	expect(b, "a series has parts in both forms of its figure", PARTS(1) ".length >= 2");
	expect(b, "all series are shown", ARE(0, "!== 'none'") " && " ARE(1, "!== 'none'"));
	browser_click(b, "#wanted-figure .tools label:nth-of-type(2) input");
	expect(b, "one is switched off, and no other",
	       ARE(1, "=== 'none'") " && " ARE(0, "!== 'none'"));
	browser_click(b, "#wanted-figure .tools button");
	expect(b, "it stays off in the large figure",
	       "getComputedStyle(document.querySelector('dialog g[data-series=\"1\"]')).display"
	       " === 'none'");
	browser_click(b, "dialog .tools button:last-child");
	browser_click(b, "#wanted-figure .tools label:nth-of-type(2) input");
	expect(b, "it is switched on again", ARE(1, "!== 'none'"));
}

void check_tools(struct browser *b, const char *page, int width)
{
	char name[64];

	snprintf(name, sizeof name, "figures at %d", width);
	where = name;
	browser_view(b, width, 720, "light", "");
	browser_load(b, page);
	check_large(b);
	check_series(b);
	check_layout(b);
	expect_quiet(b);
}

/* Tab after tab, until the focus is on what is wanted. */
static void tab_to(struct browser *b, const char *wanted)
{
	for (int i = 0; i < 200; i++) {
		if (browser_holds(b, wanted))
			return;
		browser_press(b, "Tab");
	}
	fail("%s: the tab key does not reach %s", where, wanted);
}

void check_keyboard(struct browser *b, const char *page)
{
	where = "by keyboard";
	browser_view(b, 1280, 800, "light", "");
	browser_load(b, page);
	browser_press(b, "Tab");
	expect(b, "the first stop leads to the results, and is seen",
	       "document.activeElement.matches('.skip') &&"
	       " document.activeElement.getBoundingClientRect().left >= 0");
	browser_press(b, "Enter");
	expect(b, "it does", "location.hash === '#summary'");
	tab_to(b, "document.activeElement.textContent === 'Enlarge'");
	expect(b, "the focus is seen",
	       "getComputedStyle(document.activeElement).outlineStyle !== 'none'");
	RUN(b, "window.opener_ = document.activeElement");
	browser_press(b, "Enter");
	expect(b, "a figure is enlarged", "!!document.querySelector('dialog[open]')");
	RUN(b, KEEP);
	browser_press(b, "+");
	expect(b, "plus zooms", SEEN "[2] < kept[2] * 0.9");
	RUN(b, KEEP);
	browser_press(b, "ArrowRight");
	expect(b, "arrows move", SEEN "[0] > kept[0]");
	browser_press(b, "0");
	expect(b, "0 shows all", SEEN "[0] === 0");
	browser_press(b, "Escape");
	expect(b, "Escape leads back to the button",
	       "!document.querySelector('dialog[open]') && document.activeElement === opener_");
	tab_to(b, "document.activeElement.matches('.tools input')");
	RUN(b, "document.activeElement.closest('figure').id = 'wanted-figure'");
	browser_press(b, " ");
	expect(b, "the space bar switches a series",
	       "[...document.querySelectorAll('#wanted-figure g[data-series=\"0\"]')].every(g =>"
	       " getComputedStyle(g).display === 'none')");
	tab_to(b, "document.activeElement.matches('.scroll')");
	expect_quiet(b);
}

/* ---- a hundred thousand rows ---- */

#define ROWS "document.querySelectorAll('#runs tbody tr').length"
#define PLACE "document.querySelector('#runs .place').textContent"
#define CELL(head) \
	"document.querySelector('#runs tbody tr').cells[[...document.querySelectorAll('#runs th')]" \
	".findIndex(h => h.textContent === '" head "')].textContent"

static void sort_by_faults(struct browser *b)
{
	RUN(b, "[...document.querySelectorAll('#runs th')].find(h => h.textContent === 'faults').id"
	       " = 'wanted'");
	browser_click(b, "#wanted button");
}

void check_long(struct browser *b, const char *page)
{
	where = "a hundred thousand rows";
	browser_view(b, 768, 1024, "light", "");
	browser_load(b, page);
	expect(b, "few of them are elements", ROWS " === 200");
	expect(b, "all of them are there", PLACE " === 'rows 1 to 200 of 100,000'");
	browser_click(b, "#runs button[aria-label='Rows behind']");
	expect(b, "a button leads on", PLACE " === 'rows 201 to 400 of 100,000'");
	browser_click(b, "#runs button[aria-label='Last rows']");
	expect(b, "and to the end", PLACE " === 'rows 99,801 to 100,000 of 100,000'");
	expect(b, "rows of data look as those of the page",
	       "[...document.querySelectorAll('#runs tbody tr')].every(r => r.cells.length ==="
	       " document.querySelectorAll('#runs th').length) && /^[0-9.]+%$/.test(" CELL(
		       "hits") ")");
	sort_by_faults(b);
	expect(b, "sorting takes in all rows", CELL("faults") " === '1'");
	browser_click(b, "#wanted button");
	expect(b, "the other way too", CELL("faults") " === '100,000'");
	RUN(b, "(() => { const s = document.querySelector('#runs input[type=search]');"
	       "s.value = 'P7'; s.dispatchEvent(new Event('input')); })()");
	expect(b, "rows are found",
	       "new Promise(done => setTimeout(() => done(" PLACE
	       " === 'rows 1 to 200 of 5,000'), 1000))");
	expect(b, "by their policy", CELL("evict") " === 'p7'");
	check_layout(b);
	expect_quiet(b);
}
