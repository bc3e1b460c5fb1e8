# tide_page_texts(OUT): a C file with the texts of report/page.css and report/page.js, and with the
# sums by which a page tells the browser that these, and no others, are its own.
function(tide_page_texts out)
	set(page_texts "")
	foreach(kind css js)
		set(source ${PROJECT_SOURCE_DIR}/report/page.${kind})
		set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
		file(READ ${source} text)
		string(SHA256 sum "${text}")
		string(REPLACE "\\" "\\\\" text "${text}")
		string(REPLACE "\"" "\\\"" text "${text}")
		string(REPLACE "\n" "\\n\"\n\t\"" text "${text}")
		string(APPEND page_texts "const char td_report_${kind}[] =\n\t\"${text}\";\n"
			"const char td_report_${kind}_sum[] = \"${sum}\";\n")
	endforeach()
	set(file ${PROJECT_BINARY_DIR}/page_texts.c)
	file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
/* Made by cmake/page.cmake. */
#include "report/model.h"

@page_texts@]])
	set(${out} ${file} PARENT_SCOPE)
endfunction()
