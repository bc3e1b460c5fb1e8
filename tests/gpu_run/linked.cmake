# The library of `tide run --gpu-near` in a program, and not in front of one: a sanitizer's runtime
# and what is preloaded take the same names. The plain build has this under the thread sanitizer,
# for which the mechanism and the engine are compiled again; what else there is of tide has no
# threads of its own here. A sanitizer's build has it under that one.

set(linked fake_cuda)
set(linked_fake ${GPU_RUN_FAKE})
set(linked_options "")
set(again "")
if(NOT TIDE_SANITIZE)
	set(linked_options -fsanitize=thread -O1 -g)
	file(GLOB again CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mech/vmm/*.c
		${PROJECT_SOURCE_DIR}/src/engine/*.c ${PROJECT_SOURCE_DIR}/src/core/*.c)
	set(linked fake_cuda_tsan)
	set(linked_fake ${CMAKE_CURRENT_BINARY_DIR}/fake-tsan)
	add_library(fake_cuda_tsan SHARED ${fake_sources})
	set_target_properties(fake_cuda_tsan PROPERTIES OUTPUT_NAME cuda VERSION 1 SOVERSION 1
		LIBRARY_OUTPUT_DIRECTORY ${linked_fake})
	target_include_directories(fake_cuda_tsan PRIVATE ${PROJECT_SOURCE_DIR}/src)
	target_compile_options(fake_cuda_tsan PRIVATE ${linked_options})
	target_link_options(fake_cuda_tsan PRIVATE -Wl,-Bsymbolic -Wl,-z,nodelete -fsanitize=thread)
	target_link_libraries(fake_cuda_tsan PRIVATE Threads::Threads)
endif()

file(GLOB run_gpu CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/run/gpu/*.c)
add_library(gpu_run_linked STATIC ${run_gpu} ${again} linked_image.c)
target_compile_options(gpu_run_linked PRIVATE ${linked_options})
target_compile_definitions(gpu_run_linked PRIVATE "TD_VMM_ARENA_LEAST=((uint64_t)1 << 36)")
target_include_directories(gpu_run_linked PRIVATE
	$<TARGET_PROPERTY:tide_objects,INTERFACE_INCLUDE_DIRECTORIES>)

function(gpu_run_linked_program name)
	add_executable(gpu_run_${name}_linked ${name}.c ${ARGN} program.c driver_linked.c)
	set_target_properties(gpu_run_${name}_linked PROPERTIES OUTPUT_NAME ${name}_linked)
	target_compile_options(gpu_run_${name}_linked PRIVATE ${linked_options})
	# Its names are for the program alone: the sanitizer's runtime looks for dlsym(), too.
	target_link_options(gpu_run_${name}_linked PRIVATE ${linked_options}
		-Wl,--exclude-libs,libgpu_run_linked.a)
	target_link_libraries(gpu_run_${name}_linked PRIVATE gpu_run_linked ${linked} tide_static)
endfunction()

gpu_run_linked_program(random random_graphs.c random_kernels.c random_order.c random_steps.c)
gpu_run_linked_program(misc)

# gpu_run_linked(NAME MIB SETTINGS PROGRAM [ARGUMENT...])
function(gpu_run_linked name mib settings program)
	tide_test(gpu_run/linked-${name} ${gpu_run}/linked.sh ${linked_fake}
		"near_size=${mib}M ${settings}" ${programs}/${program}_linked ${ARGN})
	math(EXPR budget "${mib} << 20")
	set_property(TEST ${preset}gpu_run/linked-${name} APPEND PROPERTY ENVIRONMENT
		FAKE_CUDA_HASH=1 BUDGET=${budget} SLACK=2097152)
endfunction()

foreach(trust none args ${trust_file})
	cmake_path(GET trust STEM name)
	gpu_run_linked(random-${name}-1 16 "chunk=2M threshold=4K trust=${trust}" random 1 80)
	gpu_run_linked(random-${name}-2 32
		"chunk=2M threshold=4K evict=mhpe prefetch=tree host=200M trust=${trust}" random 2 80)
	gpu_run_linked(random-${name}-3 32 "chunk=4M threshold=64K host=64M trust=${trust}"
		random 3 80 3 60)
endforeach()
foreach(trust none args)
	foreach(name thread capture free-during-use fill)
		gpu_run_linked(${name}-${trust} 16 "host=64M chunk=2M threshold=64K trust=${trust}"
			misc ${name})
	endforeach()
endforeach()
