#!/bin/sh
# Reads every #include of ours and fails on an edge between rooms that edges.txt does not list.
# usage: includes.sh SOURCE-DIR
set -eu
cd "$1"

find include src policies report lab -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' |
	sort | awk '
# The room of a path: include, report, policies/evict, lab/claims, or the folder below src.
function room(path,    part) {
	split(path, part, "/")
	if (part[1] == "include" || part[1] == "report") return part[1]
	return part[1] == "policies" || part[1] == "lab" ? part[1] "/" part[2] : part[2]
}

# "a/b/../c" -> "a/c"
function normal(path) {
	while (sub(/[^\/]+\/\.\.\//, "", path)) ;
	return path
}

function exists(path,    line, got) {
	got = (getline line <path)
	close(path)
	return got >= 0
}

# The file that the compiler would take, or "".
function resolve(from, name,    folder, i, path) {
	folder = from
	sub(/[^\/]*$/, "", folder)
	split(folder " include/ src/ ./", place, " ")
	for (i = 1; i <= 4; i++) {
		path = normal(place[i] name)
		sub(/^\.\//, "", path)
		if (exists(path)) return path
	}
	return ""
}

# A header as edges.txt writes it: tide/policy.h, trace/source.h.
function written(path) {
	sub(/^(include|src)\//, "", path)
	return path
}

# Its folder: tide/device/.
function folder_of(path) {
	path = written(path)
	sub(/[^\/]*$/, "", path)
	return path
}

function check(from, line,    name, to, a, b) {
	name = line
	sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
	sub(/[">].*/, "", name)
	to = resolve(from, name)
	if (to == "") {
		# A system header; but a quoted name must be ours.
		if (line ~ /"/) complain(from, name, "no such file")
		return
	}
	a = room(from)
	b = room(to)
	edges++
	if (a != b && !((a, b) in may) && !((a, written(to)) in may) && !((a, folder_of(to)) in may))
		complain(from, name, a " may not include this of " b ", see tests/arch/edges.txt")
}

function complain(from, name, why) {
	print from ": " name ": " why
	bad = 1
}

BEGIN {
	while ((getline line <"tests/arch/edges.txt") > 0) {
		if (line ~ /^(#|$)/) continue
		n = split(line, word, /[: \t]+/)
		known[word[1]] = 1
		for (i = 2; i <= n; i++) if (word[i] != "") may[word[1], word[i]] = 1
	}
}

{
	if (!(room($0) in known)) complain($0, room($0), "a room that tests/arch/edges.txt does not know")
	while ((getline line <$0) > 0) if (line ~ /^[ \t]*#[ \t]*include[ \t]*["<]/) check($0, line)
	close($0)
}

END {
	if (edges == 0) complain("tests/arch/includes.sh", "nothing", "no include was found")
	print edges " includes of ours"
	exit bad
}'
