# tests/fuzz/fuzz_NAME.c, with its seeds in tests/fuzz/corpus/NAME/.
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS sources)
	cmake_path(GET source STEM target)
	string(REGEX REPLACE "^fuzz_" "" name ${target})
	add_executable(${target} ${source})
	target_link_libraries(${target} PRIVATE tide_cli)
	target_link_options(${target} PRIVATE -fsanitize=fuzzer)
	add_test(NAME fuzz/${name} COMMAND ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh $<TARGET_FILE:${target}>
		${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
endforeach()
