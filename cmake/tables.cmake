# The generated tables: a new policy, workload, trace format or verb is one new file or folder, and no
# edit elsewhere.

# One C file that declares every symbol and lists them in a NULL-ended array of `listed`: the symbols
# themselves, or a member that they begin with (.head).
function(tide_write_table file header type array symbols listed member)
	set(declarations "")
	set(rows "")
	foreach(symbol IN LISTS symbols)
		string(APPEND declarations "extern ${type} ${symbol};\n")
		string(APPEND rows "\t&${symbol}${member},\n")
	endforeach()
	file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
/* Made by cmake/tables.cmake. */
#include "@header@"

@declarations@
extern @listed@ *const @array@[];
@listed@ *const @array@[] = {
@rows@	NULL,
};
]])
endfunction()

# policies/ROLE/NAME.c, or policies/ROLE/NAME/NAME.c where a policy is a folder, defines
# td_policy_ROLE_NAME, with _ for every - of the name; so does policies/place/NAME.h, a placement that
# the GPU runs too. Sorted by role, in the order of enum tide_role, then by name.
function(tide_policy_names out role)
	set(names "")
	set(folder ${PROJECT_SOURCE_DIR}/policies/${role})
	file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.c ${folder}/*/*.c)
	foreach(file IN LISTS files)
		cmake_path(GET file STEM name)
		cmake_path(GET file PARENT_PATH parent)
		if(parent STREQUAL "" OR parent STREQUAL name) # not another part of a folder
			list(APPEND names ${name})
		endif()
	endforeach()
	if(role STREQUAL place)
		tide_placement_names(placements)
		list(APPEND names ${placements})
	endif()
	list(SORT names)
	set(${out} ${names} PARENT_SCOPE)
endfunction()

function(tide_placement_names out)
	set(folder ${PROJECT_SOURCE_DIR}/policies/place)
	file(GLOB names CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.h)
	list(TRANSFORM names REPLACE "\\.h$" "")
	list(SORT names)
	set(${out} ${names} PARENT_SCOPE)
endfunction()

# For every placement that the GPU runs too, a C file that compiles its header as a policy; a table
# of them for the runtime, and in the same order device/placements.h and device/rules.h for kernels.
function(tide_placements out)
	tide_placement_names(names)
	set(sources "")
	set(includes "")
	set(list "")
	set(numbers "")
	set(symbols "")
	foreach(name IN LISTS names)
		string(REPLACE "-" "_" identifier ${name})
		set(file ${PROJECT_BINARY_DIR}/place/${identifier}.c)
		file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
/* Made by cmake/tables.cmake. */
#define TIDE_PLACEMENT @identifier@
#include "place/@name@.h"
]])
		list(APPEND sources ${file})
		string(APPEND includes "#include \"place/${name}.h\"\n")
		string(APPEND list " \\\n\tCASE(${identifier})")
		string(APPEND numbers "\tTIDE_PLACES_${identifier},\n")
		list(APPEND symbols td_placer_${identifier})
	endforeach()
	string(SHA256 sum "${names}")
	string(SUBSTRING ${sum} 0 8 sum)
	file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/tide/device/placements.h @ONLY CONTENT [[
/* Made by cmake/tables.cmake: the placements of policies/place that the GPU runs too. */
#ifndef TIDE_DEVICE_PLACEMENTS_H
#define TIDE_DEVICE_PLACEMENTS_H

/* By number: td_dev_control.place. */
enum tide_places {
@numbers@};

#define TIDE_PLACEMENTS(CASE)@list@

/* Of their names, in this order. */
#define TIDE_PLACEMENTS_SUM 0x@sum@u

#endif
]])
	file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/tide/device/rules.h @ONLY CONTENT [[
/* Made by cmake/tables.cmake: the rules of the placements. Include device/place.h instead. */
@includes@]])
	set(file ${PROJECT_BINARY_DIR}/placer_table.c)
	tide_write_table(${file} tide/placement.h "const struct tide_placer" td_placer_table
		"${symbols}" "const struct tide_placer" "")
	set(${out} ${sources} ${file} PARENT_SCOPE)
endfunction()

function(tide_policy_table out)
	set(symbols "")
	foreach(role evict prefetch place)
		tide_policy_names(names ${role})
		list(TRANSFORM names REPLACE "-" "_")
		list(TRANSFORM names PREPEND td_policy_${role}_)
		list(APPEND symbols ${names})
	endforeach()
	set(file ${PROJECT_BINARY_DIR}/policy_table.c)
	tide_write_table(${file} tide/policy.h "const struct tide_policy" td_policy_table "${symbols}"
		"const struct tide_policy" "")
	set(${out} ${file} PARENT_SCOPE)
endfunction()

# For every eviction policy, a C file that compiles it together with the loop over single pages, and a
# table of these loops.
function(tide_page_loops out)
	tide_policy_names(names evict)
	set(sources "")
	set(symbols "")
	foreach(name IN LISTS names)
		string(REPLACE "-" "_" identifier ${name})
		set(source evict/${name}.c)
		if(NOT EXISTS ${PROJECT_SOURCE_DIR}/policies/${source})
			set(source evict/${name}/${name}.c)
		endif()
		set(file ${PROJECT_BINARY_DIR}/pages/${identifier}.c)
		file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
/* Made by cmake/tables.cmake. */
#include "mech/sim/pages.h"

#define td_policy_evict_@identifier@ td_joined_evict_@identifier@
#include "@source@"
#undef td_policy_evict_@identifier@

TD_SIM_PAGES(@identifier@, td_joined_evict_@identifier@);
]])
		list(APPEND sources ${file})
		list(APPEND symbols td_sim_pages_${identifier})
	endforeach()
	set(file ${PROJECT_BINARY_DIR}/pages_table.c)
	tide_write_table(${file} mech/sim/pages.h "const struct td_sim_pages" td_sim_pages_table
		"${symbols}" "const struct td_sim_pages" "")
	set(${out} ${sources} ${file} PARENT_SCOPE)
endfunction()

# FOLDER/KIND_NAME.c defines td_workload_KIND_NAME, which is a TYPE and has its struct td_workload in
# MEMBER.
function(tide_workload_table out folder kind header type member array)
	file(GLOB names CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${folder}
		${PROJECT_SOURCE_DIR}/${folder}/${kind}_*.c)
	list(TRANSFORM names REPLACE "\\.c$" "")
	list(SORT names)
	list(TRANSFORM names REPLACE "-" "_")
	list(TRANSFORM names PREPEND td_workload_)
	set(file ${PROJECT_BINARY_DIR}/${array}.c)
	tide_write_table(${file} ${header} "const struct ${type}" ${array} "${names}"
		"const struct td_workload" "${member}")
	set(${out} ${file} PARENT_SCOPE)
endfunction()

# src/trace/format_NAME.c defines td_trace_format_NAME.
function(tide_format_table out)
	file(GLOB names CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/trace
		${PROJECT_SOURCE_DIR}/src/trace/format_*.c)
	list(TRANSFORM names REPLACE "\\.c$" "")
	list(SORT names)
	list(TRANSFORM names REPLACE "-" "_")
	list(TRANSFORM names PREPEND td_trace_)
	set(file ${PROJECT_BINARY_DIR}/format_table.c)
	set(type "const struct td_trace_format")
	tide_write_table(${file} trace/reader.h "${type}" td_trace_format_table "${names}" "${type}" "")
	set(${out} ${file} PARENT_SCOPE)
endfunction()

# src/pool/device_NAME.c defines td_pool_device_NAME.
function(tide_pool_device_table out)
	file(GLOB names CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/pool
		${PROJECT_SOURCE_DIR}/src/pool/device_*.c)
	list(TRANSFORM names REPLACE "\\.c$" "")
	list(SORT names)
	list(TRANSFORM names PREPEND td_pool_)
	set(file ${PROJECT_BINARY_DIR}/pool_device_table.c)
	set(type "const struct td_pool_device")
	tide_write_table(${file} pool/device.h "${type}" td_pool_device_table "${names}" "${type}" "")
	set(${out} ${file} PARENT_SCOPE)
endfunction()

# src/cli/kind_NAME.c defines td_cli_kind_NAME, which rows of options call TD_CLI_NAME.
function(tide_kinds)
	set(cli ${PROJECT_SOURCE_DIR}/src/cli)
	file(GLOB names CONFIGURE_DEPENDS RELATIVE ${cli} ${cli}/kind_*.c)
	list(SORT names)
	set(rows "")
	foreach(name IN LISTS names)
		string(REGEX REPLACE "^kind_(.*)\\.c$" "\\1" name ${name})
		string(TOUPPER ${name} word)
		string(APPEND rows "extern const struct td_cli_kind td_cli_kind_${name};\n"
			"#define TD_CLI_${word} (&td_cli_kind_${name})\n")
	endforeach()
	file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/cli/kinds.h @ONLY CONTENT [[
/* Made by cmake/tables.cmake: the kinds of values that options have. */
@rows@]])
endfunction()

# src/cli/cmd_NAME.c, or the folder src/cli/NAME, defines td_cli_verb_NAME. A verb may have both.
function(tide_verb_table out)
	set(cli ${PROJECT_SOURCE_DIR}/src/cli)
	file(GLOB names CONFIGURE_DEPENDS RELATIVE ${cli} ${cli}/cmd_*.c)
	file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${cli} ${cli}/*/*.c)
	list(TRANSFORM names REPLACE "^cmd_(.*)\\.c$" "\\1")
	list(TRANSFORM folders REPLACE "/.*$" "")
	list(APPEND names ${folders})
	list(REMOVE_DUPLICATES names)
	list(SORT names)
	list(TRANSFORM names REPLACE "-" "_")
	list(TRANSFORM names PREPEND td_cli_verb_)
	set(file ${PROJECT_BINARY_DIR}/verb_table.c)
	set(type "const struct td_cli_verb")
	tide_write_table(${file} cli/options.h "${type}" td_cli_verb_table "${names}" "${type}" "")
	set(${out} ${file} PARENT_SCOPE)
endfunction()
