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
# td_policy_ROLE_NAME, with _ for every - of the name. Sorted by role, in the order of enum tide_role,
# then by name.
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
	list(SORT names)
	set(${out} ${names} PARENT_SCOPE)
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
