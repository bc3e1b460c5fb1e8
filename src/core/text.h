/* Words and numbers as people write them. */
#ifndef TD_CORE_TEXT_H
#define TD_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A whole unsigned number, decimal or 0x hexadecimal: 0, -EINVAL (not a number), -ERANGE (more
 * than 64 bits). Only the n characters at text are looked at. */
int td_core_u64(const char *text, size_t n, uint64_t *out);

/* A whole finite decimal number: 0 or -EINVAL. */
int td_core_real(const char *text, double *out);

/* A part of a whole, `0.01` or `1%`: 0 or -EINVAL. */
int td_core_share(const char *text, double *out);

/* `4096`, `64K`, `2M`, `16G`, `1T`: bytes. 0, -EINVAL or -ERANGE. */
int td_core_size(const char *text, size_t n, uint64_t *bytes);

/* The name most like word, or NULL where none is near enough to suggest. */
const char *td_core_nearest(const char *word, const char *const *names, size_t n);

/* The first n characters of a user's word, fit for one line of an error: cut where it is long,
 * with ? for line breaks and the like. Used as td_core_shown(word, n).text. */
struct td_core_word {
	char text[64];
};
struct td_core_word td_core_shown(const char *text, size_t n);

/* Messages name settings as members of structs, `near_size`; a command line has options: --near. In
 * place: _size falls away, and _ becomes -. The new length. */
size_t td_core_as_options(char *text);

#endif
