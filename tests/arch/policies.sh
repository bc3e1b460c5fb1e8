#!/bin/sh
# A policy is one file, ROLE/NAME.c, or a folder, ROLE/NAME/NAME.c and what that includes; a placement
# that the GPU runs too is a header, place/NAME.h. It ends in one struct, whose role and name are those
# of the file.
# usage: policies.sh SOURCE-DIR
set -eu
cd "$1/policies"

find . -name '*.c' -o -path './place/*.h' | sort | sed 's,^\./,,' | awk '
function complain(why) {
	print "policies/" file ": " why
	bad = 1
}

{
	file = $0
	split(file, part, "/")
	role = part[1]
	name = part[2]
	sub(/\.[ch]$/, "", name)
	if (part[3] != "" && part[3] != name ".c") next
	symbol = "td_policy_" role "_" name
	gsub(/-/, "_", symbol)

	structs = named = roled = 0
	last = ""
	while ((getline line <file) > 0) {
		if (line ~ /^(static )?const struct tide_policy [a-z]/) structs++
		if (line == "const struct tide_policy " symbol " = {") named = 1
		if (index(line, ".name = \"" name "\"")) nameok = structs == 1
		if (index(line, ".role = TIDE_" toupper(role))) roled = structs == 1
		if (line != "" && line != "#endif") last = line
	}
	close(file)

	if (structs != 1) complain(structs " structs: one file is one policy")
	else if (!named) complain("its struct is not called " symbol)
	else if (last != "};") complain("does not end in its struct")
	if (!roled) complain("its .role is not that of its folder")
	if (!nameok) complain("its .name is not that of its file")
	nameok = 0
	files++
}

END {
	if (files == 0) { print "no policies"; bad = 1 }
	print files " policies"
	exit bad
}'
