# The GPU runtime (libtide_cuda.so) and what `tide gpu` runs on it (libtide_gpu.so): modules that
# are loaded when they are needed, so that everything else neither links nor needs CUDA. Built where
# there is an nvcc and no sanitizer. CUDAToolkit_ROOT says where CUDA is, if not in the PATH or in
# /usr/local/cuda.

set(TIDE_CUDA AUTO CACHE STRING "Build the GPU runtime: AUTO (where there is an nvcc), ON, OFF")
set_property(CACHE TIDE_CUDA PROPERTY STRINGS AUTO ON OFF)
# Machine code for the newest, and code for every other that its driver translates when it first
# meets it.
set(TIDE_CUDA_ARCHITECTURES "75-virtual;90-real" CACHE STRING
	"GPUs to compile for, as NUMBER-real or NUMBER-virtual")

# What is wrong with nvcc, in one line: it needs a C++ compiler that it knows. Tried once.
function(tide_try_nvcc out)
	set(${out} "" PARENT_SCOPE)
	if(TIDE_NVCC_WORKS STREQUAL CUDAToolkit_NVCC_EXECUTABLE)
		return()
	endif()
	set(probe ${PROJECT_BINARY_DIR}/nvcc_probe)
	file(CONFIGURE OUTPUT ${probe}.cu CONTENT "__global__ void probe(int *to) { *to = 1; }\n")
	execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -arch=sm_90 -c ${probe}.cu -o ${probe}.o
		RESULT_VARIABLE rc OUTPUT_VARIABLE said ERROR_VARIABLE said)
	if(rc EQUAL 0)
		set(TIDE_NVCC_WORKS ${CUDAToolkit_NVCC_EXECUTABLE} CACHE INTERNAL "nvcc that compiles")
		return()
	endif()
	string(REGEX REPLACE "\n.*" "" said "${said}")
	set(${out} "${CUDAToolkit_NVCC_EXECUTABLE} does not compile: ${said}" PARENT_SCOPE)
endfunction()

# TIDE_HAS_CUDA, or one line that says why not.
function(tide_look_for_cuda)
	set(TIDE_HAS_CUDA OFF PARENT_SCOPE)
	if(NOT TIDE_CUDA OR TIDE_SANITIZE)
		return()
	endif()
	find_package(CUDAToolkit 12 QUIET)
	if(NOT CUDAToolkit_FOUND OR NOT CUDAToolkit_NVCC_EXECUTABLE)
		set(why "no nvcc of CUDA 12 or later: give -DCUDAToolkit_ROOT=FOLDER if there is one")
	elseif(NOT TARGET CUDA::cudart_static)
		set(why "${CUDAToolkit_LIBRARY_DIR} has no libcudart_static.a: install CUDA's runtime")
	else()
		tide_try_nvcc(why)
	endif()
	if(why STREQUAL "")
		message(STATUS "GPU runtime: CUDA ${CUDAToolkit_VERSION}, ${CUDAToolkit_NVCC_EXECUTABLE}")
		set(TIDE_HAS_CUDA ON PARENT_SCOPE)
	elseif(TIDE_CUDA STREQUAL AUTO)
		message(STATUS "GPU runtime: not built: ${why}")
	else()
		message(FATAL_ERROR "GPU runtime: ${why}")
	endif()
endfunction()

tide_look_for_cuda()
if(TIDE_HAS_CUDA)
	find_package(CUDAToolkit 12 QUIET) # its variables belong to the scope that asks
endif()

# tide_nvcc(OUT SOURCE...): objects of CUDA C++ files. No fused multiply-add, as in C.
function(tide_nvcc out)
	set(warnings -Wall,-Wextra,-Wno-maybe-uninitialized)
	set(flags -std=c++17 -O3 --fmad=false -D_GNU_SOURCE
		-I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include
		-I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/policies -I${PROJECT_SOURCE_DIR})
	if(TIDE_WERROR)
		list(APPEND flags -Werror all-warnings)
		string(APPEND warnings ",-Werror")
	endif()
	if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
		list(APPEND flags -DNDEBUG)
	endif()
	foreach(architecture IN LISTS TIDE_CUDA_ARCHITECTURES)
		string(REGEX MATCH "^[0-9]+[a-f]*" number ${architecture})
		set(code sm_${number})
		if(architecture MATCHES "-virtual$")
			set(code compute_${number})
		endif()
		list(APPEND flags -gencode arch=compute_${number},code=${code})
	endforeach()
	set(objects "")
	foreach(source IN LISTS ARGN)
		cmake_path(ABSOLUTE_PATH source)
		cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
		set(object ${PROJECT_BINARY_DIR}/cuda/${name}.o)
		cmake_path(GET object PARENT_PATH folder)
		file(MAKE_DIRECTORY ${folder})
		# nvcc names its temporary files after its process, and symbols after those. Where every
		# build must give the same bytes, the files are kept, and named after the source.
		set(keep "")
		if(DEFINED ENV{SOURCE_DATE_EPOCH})
			set(keep --keep --keep-dir ${object}.keep)
			file(MAKE_DIRECTORY ${object}.keep)
		endif()
		add_custom_command(OUTPUT ${object} VERBATIM
			COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${flags}
				${keep} -Xcompiler ${warnings},-fPIC
				-MD -MF ${object}.d -c ${source} -o ${object}
			DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building CUDA object ${name}.o")
		list(APPEND objects ${object})
	endforeach()
	set(${out} ${objects} PARENT_SCOPE)
endfunction()

# tide_cuda_module(NAME MAP SOURCE...): exports one table; CUDA's runtime, the library and what C++
# may want are inside and hidden.
function(tide_cuda_module name map)
	add_library(${name} MODULE ${ARGN})
	set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET default # the map hides the rest
		LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
	target_include_directories(${name} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
	target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Wsign-conversion>)
	target_link_libraries(${name} PRIVATE tide_static CUDA::cudart_static
		-Wl,--push-state,-Bstatic,--as-needed stdc++ -Wl,--pop-state)
	target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,--exclude-libs,ALL
		-Wl,--no-undefined -static-libgcc)
endfunction()

# ---- the runtime and the pool's device in C: for the GPU, and for tests with plain memory in its
# place ----

file(GLOB runtime_sources CONFIGURE_DEPENDS src/mech/cuda/*.c src/pool/cuda/*.c)
set(host_sources ${runtime_sources})
list(FILTER host_sources EXCLUDE REGEX "/device_cuda\\.c$")
list(FILTER runtime_sources EXCLUDE REGEX "/device_host\\.c$")
if(host_sources)
	add_library(tide_cuda_host STATIC EXCLUDE_FROM_ALL ${host_sources})
	target_compile_options(tide_cuda_host PRIVATE -Wsign-conversion)
	target_link_libraries(tide_cuda_host PUBLIC tide_static)
endif()
if(TIDE_HAS_CUDA AND runtime_sources)
	file(GLOB runtime_kernels CONFIGURE_DEPENDS src/pool/cuda/*.cu)
	tide_nvcc(runtime_objects ${runtime_kernels})
	tide_cuda_module(tide_cuda ${PROJECT_SOURCE_DIR}/src/mech/cuda/libtide_cuda.map
		${runtime_sources} ${runtime_objects})
endif()

# ---- what tide gpu runs ----

# Sizes, inputs and references of the applications need no GPU, and their tests have none.
file(GLOB plan_sources CONFIGURE_DEPENDS lab/gpu/*.c src/gpu/tools.c src/gpu/files.c
	src/gpu/results.c)
list(FILTER plan_sources EXCLUDE REGEX "/bench\\.c$")
if(plan_sources)
	add_library(tide_gpu_plans STATIC EXCLUDE_FROM_ALL ${plan_sources})
	target_compile_options(tide_gpu_plans PRIVATE -Wsign-conversion)
	target_link_libraries(tide_gpu_plans PUBLIC tide_lab)
endif()
if(TIDE_HAS_CUDA)
	file(GLOB gpu_sources CONFIGURE_DEPENDS src/gpu/*.c lab/gpu/*.c)
	file(GLOB gpu_kernels CONFIGURE_DEPENDS src/gpu/*.cu lab/gpu/*.cu)
	if(gpu_kernels)
		tide_nvcc(gpu_objects ${gpu_kernels})
		file(GLOB pool_sources CONFIGURE_DEPENDS src/pool/cuda/*.c) # measured from inside
		tide_cuda_module(tide_gpu ${PROJECT_SOURCE_DIR}/src/gpu/libtide_gpu.map
			${gpu_sources} ${gpu_objects} ${pool_sources} ${runtime_objects})
		target_link_libraries(tide_gpu PRIVATE tide_lab)
	endif()
endif()

# ---- the kernels of `tide run --gpu-near` ----

# tide_gpu_image(OUT): a C file with the compiled kernels of src/run/gpu/chunk.cu, or with none.
function(tide_gpu_image out)
	set(file ${PROJECT_BINARY_DIR}/gpu_chunk.c)
	set(${out} ${file} PARENT_SCOPE)
	if(NOT TIDE_HAS_CUDA)
		file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include \"run/gpu/preload.h\"
const unsigned char td_gpu_image[1] = {0};
const size_t td_gpu_image_bytes = 0;
")
		return()
	endif()
	set(source ${PROJECT_SOURCE_DIR}/src/run/gpu/chunk.cu)
	set(binary ${PROJECT_BINARY_DIR}/gpu_chunk.fatbin)
	set(flags -std=c++17 -O3 --fatbin)
	foreach(architecture IN LISTS TIDE_CUDA_ARCHITECTURES)
		string(REGEX MATCH "^[0-9]+[a-f]*" number ${architecture})
		set(code sm_${number})
		if(architecture MATCHES "-virtual$")
			set(code compute_${number})
		endif()
		list(APPEND flags -gencode arch=compute_${number},code=${code})
	endforeach()
	add_custom_command(OUTPUT ${file} VERBATIM
		COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${flags} -o ${binary} ${source}
		COMMAND ${CMAKE_COMMAND} -DFROM=${binary} -DTO=${file}
			-P ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
		DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
		COMMENT "Building CUDA image gpu_chunk.fatbin")
endfunction()
