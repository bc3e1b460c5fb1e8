# The generated tables: a new policy or workload is one new file and no edit elsewhere.

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

# policies/ROLE/NAME.c defines td_policy_ROLE_NAME, with _ for every - of the name. Sorted by
# role, in the order of enum tide_role, then by name.
function(tide_policy_table out)
	set(symbols "")
	foreach(role evict prefetch place)
		file(GLOB names CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/policies/${role}
			${PROJECT_SOURCE_DIR}/policies/${role}/*.c)
		list(TRANSFORM names REPLACE "\\.c$" "")
		list(SORT names)
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
