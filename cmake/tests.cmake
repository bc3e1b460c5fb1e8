# tide_test(NAME COMMAND...): a test named KIND/WHAT, with the preset in front where that is a
# sanitizer's, since `make test` runs all builds as one. Exit status 77 skips. Scripts find the
# program, the sources and the build by these variables.

# Tests that take more than about five seconds on an idle core. `make check` leaves them out.
set(TIDE_LONG_TESTS
	"arch/(additions|abi-grows)|bench/"
	"conformance/(harm|library|matrix|must-show|numbering|oracle|parameters)$"
	"docs/(papers|writing-a-policy)|explore/|golden/check$|golden/manual$|golden/reproduce-gram|gpu/compile"
	"gpu_run/(fails|killed|linked|near-tight|near-random-.*-[4-9]$|near-random-.*-1.$)"
	"hostile/run-fine|hostile/sim-fine|hostile/.*-loops$|live/(kernel|nbd|race|replay|run|stress|fail-reads|fail-maps)|python/plain"
	"sweep/(mpi|slurm)"
	"unit/(device_stress|lib_workloads|mech_uffd|policy_leu|pool_(devices|extents|stress)|trace_write|workload_observuvm)")
list(JOIN TIDE_LONG_TESTS "|" TIDE_LONG_TESTS)

# Tests in which a sanitizer can find nothing that it has not found elsewhere: they compare outputs of
# code that other unit tests, the conformance suite and the fuzz targets run with wrong inputs too. The
# cases bad-* and usage-* stay, since they hand in what is wrong.
set(TIDE_PLAIN_TESTS
	"arch/|docs/|bench/|gpu/compile|conformance/(harm|must-show|numbering|oracle|oracle-expected)$|explore/mutants"
	"golden/(advise|check|manual|real|same-twice|compare|cppe|doctor|gmt|gpu|help|hmm|json|leu|models|mrc)"
	"golden/(observuvm|output|place|policies|pool|reproduce|run|sim|version|workloads)"
	"sweep/slurm"
	"unit/(lib_workloads|mech_groups|policy_leu|workload_.*_runs|workload_cppe|workload_gmt|workload_observuvm)")
list(JOIN TIDE_PLAIN_TESTS "|" TIDE_PLAIN_TESTS)

function(tide_test name)
	if(TIDE_SANITIZE AND name MATCHES "^(${TIDE_PLAIN_TESTS})")
		return()
	endif()
	set(labels "")
	if(name MATCHES "^(${TIDE_LONG_TESTS})")
		set(labels long)
	endif()
	if(TIDE_SANITIZE)
		cmake_path(GET PROJECT_BINARY_DIR FILENAME preset)
		set(name ${preset}/${name})
	endif()
	add_test(NAME ${name} COMMAND ${ARGN})
	set(environment TIDE=$<TARGET_FILE:tide> TIDE_SOURCE=${PROJECT_SOURCE_DIR}
		TIDE_BUILD=${PROJECT_BINARY_DIR} CC=${CMAKE_C_COMPILER})
	set_tests_properties(${name} PROPERTIES LABELS "${labels}"
		TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()
