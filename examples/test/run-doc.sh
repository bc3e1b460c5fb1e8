#!/bin/sh
# Does what a document says and compares. Three kinds of its code blocks count:
#
#     ```c file=NAME   appended to NAME
#     ```console       $ a command, > more of it, and what it prints on both streams; a line of
#                      three dots stands for any lines
#     ```sh run        a command per line, each of which has to succeed
#
# The commands of all blocks run in one shell, in a folder of their own that holds the files. There
# ~/tide is a copy of the sources, and the installed tide is found by PATH and pkg-config.
# usage: run-doc.sh DOCUMENT PREFIX   (CC and TIDE_SOURCE from the environment)
set -eu

doc=$1
prefix=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/home/mine"
ln -s "$(command -v "${CC:-cc}")" "$work/bin/cc"
lib=$(dirname "$(find "$prefix" -name libtide.so)")

# Files, then wanted (the blocks as they are) and script (what prints the same).
awk -v folder="$work" '
function quoted(text) {
	gsub(/\047/, "\047\\\047\047", text)
	return "\047" text "\047"
}

# Shows the command as the document does and runs it, with $? as the one before left it.
function emit() {
	if (command == "") return
	print "s=$?; printf \"%s\\n\" " quoted(shown) "; (exit $s)\n{ " command "\n} 2>&1" >script
	command = ""
}

BEGIN {
	script = folder "/script"
	wanted = folder "/wanted"
}

/^```/ {
	if (kind != "") {
		emit()
		kind = ""
	} else {
		kind = substr($1, 4)
		if (kind == "") kind = "text"
		if (kind == "c" && $2 ~ /^file=/) {
			file = folder "/home/mine/" substr($2, 6)
			blocks++
		} else if (kind == "c" || (kind == "sh" && $2 != "run")) {
			kind = "text"
		}
		if (kind == "console" || kind == "sh") blocks++
	}
	next
}

kind == "c" { print >file }

kind == "sh" { print "{ " $0 "\n} >/dev/null || echo " quoted("failed: " $0) >script }

kind == "console" {
	print >wanted
	if ($1 == "$") {
		emit()
		shown = $0
		command = substr($0, 3)
	} else if ($1 == ">" && command != "") {
		shown = shown "\n" $0
		command = command "\n" substr($0, 3)
	} else {
		emit()
	}
}

END {
	if (!blocks) {
		print "no block to run"
		exit 1
	}
}' "$doc"

if grep -q '[~]/tide' "$work/script"; then
	mkdir "$work/home/tide"
	tar -C "$TIDE_SOURCE" --exclude=./build --exclude=./.git -cf - . | tar -C "$work/home/tide" -xf -
fi

(
	cd "$work/home/mine"
	HOME=$work/home PATH=$work/bin:$prefix/bin:$PATH
	PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
	export HOME PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
	unset TIDE TIDE_SOURCE TIDE_BUILD
	sh "$work/script" >"$work/got" </dev/null
) || true

# Equal but for the lines of three dots; each takes as few lines as the next wanted one allows.
awk '
NR == FNR { wanted[++n] = $0; next }
{ got[++m] = $0 }
END {
	for (i = j = 1; i <= n; i++) {
		if (wanted[i] == "...") {
			while (i <= n && wanted[i] == "...") i++
			if (i > n) j = m + 1
			while (j <= m && got[j] != wanted[i]) j++
			if (i > n) break
		}
		if (j > m || got[j] != wanted[i]) {
			print "line " i " of the blocks is not what comes: " wanted[i]
			print "instead: " (j > m ? "the end" : got[j])
			exit 1
		}
		j++
	}
	if (j <= m) {
		print "more than the document says: " got[j]
		exit 1
	}
	print n " lines as written"
}' "$work/wanted" "$work/got" || {
	diff -u "$work/wanted" "$work/got" || true
	exit 1
}
