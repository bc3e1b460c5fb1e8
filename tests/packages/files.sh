#!/bin/bash
# Every file that `cmake --install` puts somewhere is in one package, and every line of a list of
# debian/ names a file. The packages are not built: their lists are read as dh_install reads them.
# usage: files.sh SOURCE-DIR PREFIX LIBDIR MANIFEST   (what was installed; PREFIX becomes /usr)
set -eu

source=$1 prefix=$2 libdir=$3 manifest=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
wrong()
{
	echo "$1"
	bad=1
}

# The same tree as a package sees it, of empty files; a package's libdir has the machine's name.
staged()
{
	sed -e "s,^$prefix/,," -e "s,^$libdir/,lib/," -e 's,^lib/,lib/machine/,' -e 's,^,usr/,' "$manifest"
}

# Lines that match nothing are wrong, unless they are of a part that this build does not have.
optional()
{
	case $1 in
	tide-gpu) [ ! -e "$prefix/$libdir/tide/libtide_cuda.so" ] ;;
	nbdkit-plugin-tide) [ ! -d "$prefix/$libdir/nbdkit" ] ;;
	*) false ;;
	esac
}

mkdir "$work/tree"
cd "$work/tree"
staged | sort >"$work/installed"
[ -s "$work/installed" ] || wrong "nothing was installed: no $manifest"
xargs dirname <"$work/installed" | sort -u | xargs mkdir -p
xargs touch <"$work/installed"

shopt -s nullglob
: >"$work/taken"
for list in "$source"/debian/*.install; do
	package=$(basename "$list" .install)
	while read -r pattern _; do
		# shellcheck disable=SC2206 # the pattern is one
		found=($pattern)
		if [ ${#found[@]} -eq 0 ]; then
			optional "$package" || wrong "${list##*/}: nothing is called $pattern"
		else
			find "${found[@]}" -type f >>"$work/taken"
		fi
	done <"$list"
done

# Documents and examples are files of the sources.
cd "$source"
for list in debian/*.docs debian/*.examples; do
	while read -r pattern; do
		[ -n "$(compgen -G "$pattern")" ] || wrong "${list##*/}: nothing is called $pattern"
	done <"$list"
done
cd "$work"
sort "$work/taken" | uniq -d | while read -r file; do
	wrong "two packages have $file"
done
sort -u "$work/taken" | comm -13 - "$work/installed" >"$work/left"
sed 's/^/no package has /' "$work/left"
[ ! -s "$work/left" ] || bad=1
[ -z "$(sort "$work/taken" | uniq -d)" ] || bad=1
exit $bad
