/* td_assert(CONDITION): an invariant of ours, checked in the debug and sanitizer builds. A build
 * with NDEBUG compiles the condition but does not evaluate it. td_checked(CALL) is for predicates
 * that walk a whole structure (NAME_check(), which returns a negative errno): the same, for a call.
 *
 * A failed assertion writes one line to standard error and ends the program. It uses neither stdio
 * nor the heap, so it can be used inside a signal handler. */
#ifndef TD_CORE_ASSERT_H
#define TD_CORE_ASSERT_H

_Noreturn void td_core_assert_failed(const char *file, int line, const char *condition);

#ifdef NDEBUG
#define td_assert(condition) ((void)sizeof(condition))
#else
#define td_assert(condition) \
	((condition) ? (void)0 : td_core_assert_failed(__FILE__, __LINE__, #condition))
#endif

#define td_checked(call) td_assert((call) == 0)

#endif
