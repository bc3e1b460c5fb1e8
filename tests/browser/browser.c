#include "browser.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 60000 /* for one answer: a machine may be busy */

struct browser {
	pid_t pid;
	int to, from;
	int last; /* id of the last command */
	char *session;
	const char *url; /* of the page that is shown */
	bool loaded;
	char complaints[2000];
	char *held; /* bytes that came after a message */
	size_t n, room;
};

/* The browser goes with the test, however that ends. */
static pid_t running;

static void end_running(void)
{
	if (running > 0 && kill(running, SIGKILL) == 0)
		waitpid(running, NULL, 0);
}

void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* ---- messages ---- */

static void write_message(struct browser *b, const json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT);
	size_t n = strlen(text) + 1;

	for (size_t done = 0; done < n;) {
		ssize_t wrote = write(b->to, text + done, n - done);
		if (wrote < 0 && errno != EINTR)
			fail("the browser does not listen: %s", strerror(errno));
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	free(text);
}

static void read_more(struct browser *b)
{
	struct pollfd fd = {b->from, POLLIN, 0};
	ssize_t got;

	if (b->room - b->n < 65536) {
		b->room = 2 * b->room + 65536;
		b->held = realloc(b->held, b->room);
		if (!b->held)
			fail("no memory");
	}
	if (poll(&fd, 1, PATIENCE_MS) <= 0)
		fail("the browser says nothing for %d s", PATIENCE_MS / 1000);
	got = read(b->from, b->held + b->n, b->room - b->n);
	if (got <= 0)
		fail("the browser has ended");
	b->n += (size_t)got;
}

static json_t *read_message(struct browser *b)
{
	size_t seen = 0;
	json_t *message;
	char *end;

	while (!(end = b->n > seen ? memchr(b->held + seen, '\0', b->n - seen) : NULL)) {
		seen = b->n;
		read_more(b);
	}
	message = json_loads(b->held, 0, NULL);
	if (!message)
		fail("the browser says no JSON: %.200s", b->held);
	b->n -= (size_t)(end + 1 - b->held);
	memmove(b->held, end + 1, b->n);
	return message;
}

/* ---- what a page does ---- */

static void complain(struct browser *b, const char *what, const json_t *about)
{
	char *text = json_dumps(about, JSON_ENCODE_ANY | JSON_COMPACT);
	size_t used = strlen(b->complaints);

	snprintf(b->complaints + used, sizeof b->complaints - used, "%s: %.300s\n", what, text);
	free(text);
}

static void take_event(struct browser *b, const json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *params = json_object_get(message, "params");
	const char *url;

	if (!method)
		return;
	if (strcmp(method, "Page.loadEventFired") == 0)
		b->loaded = true;
	else if (strcmp(method, "Runtime.exceptionThrown") == 0)
		complain(b, "script error", params);
	else if (strcmp(method, "Page.javascriptDialogOpening") == 0)
		complain(b, "dialog", params);
	else if (strcmp(method, "Log.entryAdded") == 0)
		complain(b, "log", params);
	else if (strcmp(method, "Network.requestWillBeSent") == 0) {
		url = json_string_value(json_object_get(json_object_get(params, "request"), "url"));
		if (!url || !b->url || strcmp(url, b->url) != 0)
			complain(b, "request", json_object_get(params, "request"));
	}
}

json_t *browser_call(struct browser *b, const char *method, json_t *params)
{
	json_t *message =
		json_pack("{si ss so*}", "id", ++b->last, "method", method, "params", params);
	json_t *result;

	if (b->session)
		json_object_set_new(message, "sessionId", json_string(b->session));
	write_message(b, message);
	json_decref(message);
	for (;;) {
		message = read_message(b);
		if (json_integer_value(json_object_get(message, "id")) == b->last)
			break;
		take_event(b, message);
		json_decref(message);
	}
	result = json_incref(json_object_get(message, "result"));
	if (!result)
		fail("%s: %s", method, json_dumps(json_object_get(message, "error"), 0));
	json_decref(message);
	return result;
}

void browser_do(struct browser *b, const char *method, json_t *params)
{
	json_decref(browser_call(b, method, params));
}

const char *browser_complaints(const struct browser *b)
{
	return b->complaints;
}

/* ---- beginning and end ---- */

/* The browser takes commands from descriptor 3 and answers on 4. */
__attribute__((noreturn)) static void become(const char *program, const char *profile, int in,
					     int out)
{
	char folder[4200];

	/* Out of the way of 3 and 4 first, as either may be one of them. */
	in = dup2(in, 20);
	out = dup2(out, 21);
	if (dup2(in, 3) < 0 || dup2(out, 4) < 0)
		_exit(126);
	/* It talks of much that does not matter: report.sh shows it where the test fails. */
	snprintf(folder, sizeof folder, "%s.log", profile);
	if (!freopen(folder, "w", stderr))
		_exit(126);
	snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
	execlp(program, program, "--headless", "--no-sandbox", "--disable-gpu",
	       "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
	       "--disable-component-update", "--disable-background-networking", "--disable-sync",
	       "--remote-debugging-pipe", folder, "about:blank", (char *)NULL);
	_exit(127);
}

static void attach(struct browser *b)
{
	json_t *target =
		browser_call(b, "Target.createTarget", json_pack("{ss}", "url", "about:blank"));
	const char *id = json_string_value(json_object_get(target, "targetId"));
	json_t *session = browser_call(b, "Target.attachToTarget",
				       json_pack("{ss sb}", "targetId", id, "flatten", 1));

	b->session = strdup(json_string_value(json_object_get(session, "sessionId")));
	json_decref(target);
	json_decref(session);
	for (const char *const *room = (const char *const[]){"Page.enable", "Runtime.enable",
							     "Network.enable", "Log.enable", NULL};
	     *room; room++)
		browser_do(b, *room, NULL);
}

struct browser *browser_start(const char *program, const char *profile)
{
	struct browser *b = calloc(1, sizeof *b);
	int commands[2], answers[2];

	signal(SIGPIPE, SIG_IGN);
	if (!b || pipe(commands) || pipe(answers))
		fail("cannot start: %s", strerror(errno));
	b->pid = fork();
	if (b->pid < 0)
		fail("cannot fork: %s", strerror(errno));
	if (b->pid == 0)
		become(program, profile, commands[0], answers[1]);
	running = b->pid;
	atexit(end_running);
	close(commands[0]);
	close(answers[1]);
	b->to = commands[1];
	b->from = answers[0];
	attach(b);
	return b;
}

void browser_stop(struct browser *b)
{
	free(b->session);
	b->session = NULL;
	browser_do(b, "Browser.close", NULL);
	waitpid(b->pid, NULL, 0);
	running = 0;
	close(b->to);
	close(b->from);
	free(b->held);
	free(b);
}

/* ---- what a reader does ---- */

void browser_view(struct browser *b, int width, int height, const char *scheme, const char *media)
{
	browser_do(b, "Emulation.setDeviceMetricsOverride",
		   json_pack("{si si si sb}", "width", width, "height", height, "deviceScaleFactor",
			     1, "mobile", width < 600));
	browser_do(b, "Emulation.setEmulatedMedia",
		   json_pack("{ss s[{ss ss}]}", "media", media, "features", "name",
			     "prefers-color-scheme", "value", scheme));
}

void browser_load(struct browser *b, const char *url)
{
	b->url = url;
	b->loaded = false;
	b->complaints[0] = '\0';
	browser_do(b, "Page.navigate", json_pack("{ss}", "url", url));
	while (!b->loaded) {
		json_t *message = read_message(b);
		take_event(b, message);
		json_decref(message);
	}
}

json_t *browser_value(struct browser *b, const char *expression)
{
	json_t *result = browser_call(b, "Runtime.evaluate",
				      json_pack("{ss sb sb}", "expression", expression,
						"returnByValue", 1, "awaitPromise", 1));
	json_t *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));

	if (json_object_get(result, "exceptionDetails"))
		fail("%s: %s", expression, json_dumps(result, 0));
	json_decref(result);
	return value ? value : json_null();
}

bool browser_holds(struct browser *b, const char *expression)
{
	json_t *value = browser_value(b, expression);
	bool holds = json_is_true(value);

	json_decref(value);
	return holds;
}

static void send_mouse(struct browser *b, const char *type, double x, double y)
{
	browser_do(b, "Input.dispatchMouseEvent",
		   json_pack("{ss sf sf ss si}", "type", type, "x", x, "y", y, "button", "left",
			     "clickCount", 1));
}

/* By the mouse, in the middle of the element, as a reader would. */
void browser_click(struct browser *b, const char *selector)
{
	char expression[1000];
	json_t *place;
	double x, y;

	snprintf(expression, sizeof expression,
		 "(() => { const e = document.querySelector(`%s`);"
		 "e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});"
		 "const r = e.getBoundingClientRect();"
		 "return [r.x + r.width / 2, r.y + r.height / 2]; })()",
		 selector);
	place = browser_value(b, expression);
	x = json_number_value(json_array_get(place, 0));
	y = json_number_value(json_array_get(place, 1));
	json_decref(place);
	send_mouse(b, "mousePressed", x, y);
	send_mouse(b, "mouseReleased", x, y);
}

void browser_press(struct browser *b, const char *key)
{
	static const struct {
		const char *key, *text;
		int number;
	} keys[] = {{"Enter", "\r", 13},  {"Tab", NULL, 9},         {" ", " ", 32},
		    {"Escape", NULL, 27}, {"ArrowRight", NULL, 39}, {"+", "+", 187},
		    {"0", "0", 48}};
	size_t i = 0;

	while (i < sizeof keys / sizeof keys[0] && strcmp(keys[i].key, key) != 0)
		i++;
	if (i == sizeof keys / sizeof keys[0])
		fail("no key %s", key);
	for (const char *const *type = (const char *const[]){"keyDown", "keyUp", NULL}; *type;
	     type++)
		browser_do(b, "Input.dispatchKeyEvent",
			   json_pack("{ss ss ss* si}", "type", *type, "key", key, "text",
				     keys[i].text, "windowsVirtualKeyCode", keys[i].number));
}
