# tide_test(NAME COMMAND...): a test named KIND/WHAT, with the preset in front where that is a
# sanitizer's, since `make test` runs all builds as one. Exit status 77 skips. Scripts find the
# program, the sources and the build by these variables.
function(tide_test name)
	if(TIDE_SANITIZE)
		cmake_path(GET PROJECT_BINARY_DIR FILENAME preset)
		set(name ${preset}/${name})
	endif()
	add_test(NAME ${name} COMMAND ${ARGN})
	set(environment TIDE=$<TARGET_FILE:tide> TIDE_SOURCE=${PROJECT_SOURCE_DIR}
		TIDE_BUILD=${PROJECT_BINARY_DIR} CC=${CMAKE_C_COMPILER})
	set_tests_properties(${name} PROPERTIES
		TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()
