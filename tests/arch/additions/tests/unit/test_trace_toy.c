#include "test_trace.h"
static void reads(void **state)
{
	static const unsigned char bytes[] = "TOYTOYTO\7\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0";
	struct tide_error err = {0};
	struct events got;
	(void)state;
	if (read_with(&(struct td_trace_options){.path = save("x.any", bytes, 24)}, &got, &err))
		fail_msg("%s", err.text);
	assert_int_equal(got.n, 2);
	free(got.at);
}
int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reads)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
