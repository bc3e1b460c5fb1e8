# bin/tide, the libraries and their headers, tide.pc, manual pages, shell completion.

install(TARGETS tide tide_shared tide_static)
foreach(module tide_preload tide_preload_gpu tide_cuda tide_gpu)
	if(TARGET ${module})
		install(TARGETS ${module} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tide)
	endif()
endforeach()
install(DIRECTORY include/tide ${PROJECT_BINARY_DIR}/include/tide TYPE INCLUDE)
install(DIRECTORY policies/place DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tide/device
	FILES_MATCHING PATTERN "*.h")

# tide.pc finds its prefix from where it lies, so `cmake --install --prefix` may change it.
file(RELATIVE_PATH TIDE_PC_TO_PREFIX
	/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" TIDE_PC_TO_PREFIX ${TIDE_PC_TO_PREFIX})
configure_file(tide.pc.in tide.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tide.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES completion/tide.bash RENAME tide
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completion/_tide DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completion/tide.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# docs/man/NAME.SECTION.scd; the counts in them come from the lists of the sources.
find_program(SCDOC scdoc REQUIRED)
file(GLOB man_sources CONFIGURE_DEPENDS docs/man/*.scd)
file(GLOB man_lists CONFIGURE_DEPENDS include/tide/*.def src/mech/vmm/figures.def
	src/mech/kernel/figures.def)
set(fill ${PROJECT_SOURCE_DIR}/docs/man/lists.awk)
set(man_pages "")
foreach(source IN LISTS man_sources)
	cmake_path(GET source STEM LAST_ONLY name)
	string(REGEX MATCH "[0-9]$" section ${name})
	set(page ${PROJECT_BINARY_DIR}/man/man${section}/${name}) # where man(1) finds it by PATH
	add_custom_command(OUTPUT ${page} DEPENDS ${source} ${fill} ${man_lists} VERBATIM
		COMMAND sh -c "awk -v lists=\"$0\" -f \"$1\" \"$2\" | \"$3\" >\"$4\""
			${PROJECT_SOURCE_DIR}/include/tide ${fill} ${source} ${SCDOC} ${page})
	install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
	list(APPEND man_pages ${page})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man/man1)
add_custom_target(man ALL DEPENDS ${man_pages})
