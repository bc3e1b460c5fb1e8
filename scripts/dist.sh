#!/bin/sh
# Makes FOLDER/tide-VERSION.tar.gz: what is committed, or the folder itself where it is no clone. The
# same commit gives the same bytes.
# usage: scripts/dist.sh FOLDER
set -eu

mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
name=tide-$(scripts/version.sh)

# The folder is a tarball that was unpacked; its times are those of the commit.
from_folder()
{
	find . -mindepth 1 -maxdepth 1 ! -name build ! -name .cache ! -name .git \
		! -name 'obj-*' ! -name .pybuild -printf '%f\n' |
		LC_ALL=C sort |
		tar --create --format=pax --pax-option=delete=atime,delete=ctime --sort=name --owner=0 \
			--group=0 --numeric-owner --mode=u=rwX,go=rX --transform "s,^,$name/,S" --files-from=-
}

from_clone()
{
	[ -z "$(git status --porcelain)" ] ||
		echo "dist: changes that are not committed are left out" >&2
	git archive --format=tar --prefix="$name/" HEAD
}

if [ -e .git ]; then
	command -v git >/dev/null || { echo "dist: no git: install it" >&2; exit 1; }
	from_clone >"$to/$name.tar"
else
	from_folder >"$to/$name.tar"
fi
gzip -9nf "$to/$name.tar"
echo "$to/$name.tar.gz"
