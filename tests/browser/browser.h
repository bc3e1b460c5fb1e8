/* A browser without a window, told what to do over a pair of pipes: the DevTools protocol, a JSON
 * message each way, ended by a zero byte. Anything that goes wrong ends the test. */
#ifndef TIDE_TESTS_BROWSER_H
#define TIDE_TESTS_BROWSER_H

#include <jansson.h>
#include <stdbool.h>

struct browser;

/* Starts the program; profile: an empty folder for its own files. */
struct browser *browser_start(const char *program, const char *profile);
void browser_stop(struct browser *b);

/* A command and its result; params is taken over, NULL: none. */
json_t *browser_call(struct browser *b, const char *method, json_t *params);
void browser_do(struct browser *b, const char *method, json_t *params);

/* The size of the window, and what the reader prefers; media "" or "print", scheme light or dark.
 */
void browser_view(struct browser *b, int width, int height, const char *scheme, const char *media);
void browser_load(struct browser *b, const char *url); /* until it is there */
void browser_click(struct browser *b, const char *selector);
void browser_press(struct browser *b, const char *key); /* as a page calls it: "Enter", "+" */

/* The value of a JavaScript expression, to be released. */
json_t *browser_value(struct browser *b, const char *expression);
bool browser_holds(struct browser *b, const char *expression);

/* What the page did since it was loaded and should not: requests of other addresses, errors,
 * dialogs. "" if nothing. */
const char *browser_complaints(const struct browser *b);

__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

#endif
