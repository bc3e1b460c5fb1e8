/* Between the files that check a page of tide report. */
#ifndef TIDE_TESTS_BROWSER_CHECK_H
#define TIDE_TESTS_BROWSER_CHECK_H

#include "browser.h"

extern const char *where; /* what is looked at, for messages */

void expect(struct browser *b, const char *what, const char *expression);
void expect_quiet(const struct browser *b);
void check_layout(struct browser *b);

/* check_tools.c: figures that are enlarged and switched; the keyboard; a hundred thousand rows. */
void check_tools(struct browser *b, const char *page, int width);
void check_keyboard(struct browser *b, const char *page);
void check_long(struct browser *b, const char *page);

#endif
