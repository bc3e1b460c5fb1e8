/* Words and numbers as people write them. */
#ifndef TD_CORE_TEXT_H
#define TD_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole unsigned number, decimal or 0x hexadecimal: 0, -EINVAL (not a number), -ERANGE (more
 * than 64 bits). Only the n characters at text are looked at. */
int td_core_u64(const char *text, size_t n, uint64_t *out);

/* A whole finite decimal number: 0 or -EINVAL. */
int td_core_real(const char *text, double *out);

/* A part of a whole, `0.01` or `1%`: 0 or -EINVAL. */
int td_core_share(const char *text, double *out);

/* size.c: `4096`, `64K`, `1.5G`, `64MiB`, `1e6`: bytes, rounded up to a whole one. K, M, G and T
 * are powers of 1024, also as KiB; KB, MB, GB and TB are powers of 1000. 0, -EINVAL or -ERANGE. */
int td_core_size(const char *text, size_t n, uint64_t *bytes);
/* A whole number, also as `1e6` or 0x hexadecimal. 0, -EINVAL or -ERANGE. */
int td_core_count(const char *text, size_t n, uint64_t *out);

/* The name most like word, or NULL where none is near enough to suggest. */
const char *td_core_nearest(const char *word, const char *const *names, size_t n);

/* The first n characters of a user's word, fit for one line of an error: cut where it is long,
 * with ? for line breaks and the like. Used as td_core_shown(word, n).text. */
struct td_core_word {
	char text[64];
};
struct td_core_word td_core_shown(const char *text, size_t n);

/* UTF-8 without control characters? */
bool td_core_is_line(const char *text);

/* Names of files may hold any bytes. Those that are no UTF-8 become \xNN, and with controls also
 * those that a terminal would obey. As snprintf(): the length of the whole, cut to fit. */
size_t td_core_escape(char *to, size_t room, const char *text, bool controls);

/* Messages name settings as members of structs, `near_size`; a command line has options: --near. In
 * place: _size falls away, and _ becomes -. The new length. */
size_t td_core_as_options(char *text);

#endif
