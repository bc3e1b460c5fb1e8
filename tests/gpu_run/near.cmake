# Programs under `tide run --gpu-near`, compared with themselves alone.

# The driver is asked for a page of tide's own besides the program's memory.
set(slack 2097152)

# gpu_run_near(NAME TRUST OPTIONS PROGRAM [ARGUMENT...])
function(gpu_run_near name trust options program)
	if(trust STREQUAL file)
		set(trust ${trust_file})
	endif()
	tide_test(gpu_run/near-${name} ${gpu_run}/under.sh $<TARGET_FILE:tide> ${GPU_RUN_FAKE}
		"${options} --gpu-trust ${trust}" ${programs}/${program} ${ARGN})
	set_property(TEST gpu_run/near-${name} APPEND PROPERTY ENVIRONMENT SLACK=${slack})
endfunction()

# Each seed runs with one of these: budgets from a tenth of what the program has to more than that,
# and the policies that launches can drive.
set(ways
	"--gpu-near 16M --gpu-chunk 2M --gpu-threshold 4K"
	"--gpu-near 24M --gpu-chunk 4M --gpu-threshold 64K --gpu-evict lru"
	"--gpu-near 48M --gpu-chunk 2M --gpu-threshold 1 --gpu-evict cp --gpu-prefetch none"
	"--gpu-near 64M --gpu-chunk 8M --gpu-threshold 256K --gpu-evict mhpe --gpu-prefetch tree"
	"--gpu-near 16M --gpu-chunk 2M --gpu-threshold 1 --gpu-evict leu --gpu-prefetch tree"
	"--gpu-near 32M --gpu-chunk 4M --gpu-threshold 1M --gpu-host 200M"
	"--gpu-near 192M --gpu-chunk 2M --gpu-threshold 4K --gpu-evict mhpe"
	"--gpu-near 20M --gpu-chunk 2M --gpu-threshold 4K --gpu-evict lru --gpu-prefetch follow"
	"--gpu-near 40M --gpu-chunk 10M --gpu-threshold 512K")
list(LENGTH ways ways_n)
foreach(seed RANGE 1 12)
	math(EXPR way "${seed} % ${ways_n}")
	math(EXPR odd "${seed} % 2")
	list(GET ways ${way} options)
	set(program random)
	if(odd)
		set(program random_loaded)
	endif()
	foreach(trust none args file)
		gpu_run_near(random-${trust}-${seed} ${trust} "${options}" ${program} ${seed} 150)
	endforeach()
endforeach()

# Hardly more host memory than the program needs, or less: pieces of one size go for those of
# another, and what there is no room for is refused.
foreach(trust none args)
	foreach(seed 1 4 5)
		foreach(host 16 32 48)
			gpu_run_near(tight-${trust}-${seed}-${host} ${trust}
				"--gpu-near 24M --gpu-chunk 4M --gpu-threshold 64K --gpu-host ${host}M"
				random ${seed} 150 3 60)
			set_property(TEST gpu_run/near-tight-${trust}-${seed}-${host} APPEND PROPERTY
				ENVIRONMENT REFUSES=1 LIMIT=60)
		endforeach()
	endforeach()
	foreach(chunk 2 8)
		gpu_run_near(fill-${trust}-${chunk} ${trust}
			"--gpu-near 32M --gpu-chunk ${chunk}M --gpu-threshold 64K --gpu-host 34M" misc fill)
	endforeach()
endforeach()

# What programs do besides computing.
foreach(trust none args)
	foreach(name getinfo range attributes double-free middle-free huge fork thread capture
		capture-forbids free-during-use squeeze exit abort wild)
		gpu_run_near(${name}-${trust} ${trust}
			"--gpu-near 16M --gpu-chunk 2M --gpu-threshold 64K" misc ${name})
	endforeach()
	# Memory stays when its context goes: docs/limits.md.
	gpu_run_near(context-${trust} ${trust}
		"--gpu-near 16M --gpu-chunk 2M --gpu-threshold 64K" misc context)
	set_property(TEST gpu_run/near-context-${trust} APPEND PROPERTY ENVIRONMENT
		"DIFFERS=s/its memory: error 1/its memory: error 0/")
	gpu_run_near(loop-${trust} ${trust}
		"--gpu-near 32M --gpu-chunk 2M --gpu-threshold 4K" loop 16 4)
endforeach()

# Every call that tide makes fails, one by one.
foreach(trust none args)
	foreach(error 2 700)
		tide_test(gpu_run/fails-${trust}-${error} ${gpu_run}/fails.sh $<TARGET_FILE:tide>
			${GPU_RUN_FAKE} ${PROJECT_SOURCE_DIR}/src/mech/vmm/cuda.def
			"--gpu-near 12M --gpu-chunk 2M --gpu-threshold 64K --gpu-trust ${trust}"
			${programs}/random 7 40 2 24)
		set_property(TEST gpu_run/fails-${trust}-${error} APPEND PROPERTY
			ENVIRONMENT ERRORS=${error})
	endforeach()
endforeach()

# Killed at any moment.
tide_test(gpu_run/killed ${gpu_run}/killed.sh $<TARGET_FILE:tide> ${GPU_RUN_FAKE} ${programs})
