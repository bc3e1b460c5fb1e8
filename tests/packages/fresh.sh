#!/bin/sh
# Installs packages on a fresh Debian 12, made by debootstrap, and runs their tests there: what a user
# gets, with nothing of a developer's machine. Needs root and the package archive that apt uses here.
# usage: fresh.sh FOLDER-OF-THE-PACKAGES [FOLDER]
#   The new Debian is made in FOLDER, by default a temporary one, and removed at the end.
set -eu

debs=$(cd "$1" && pwd)
root=${2:-$(mktemp -d)}
[ "$(id -u)" -eq 0 ] || { echo "fresh: debootstrap needs root: use sudo" >&2; exit 1; }
for program in debootstrap autopkgtest; do
	command -v $program >/dev/null || { echo "fresh: no $program: install it" >&2; exit 1; }
done

# shellcheck disable=SC2317 # called by the trap
leave()
{
	for folder in dev proc sys; do
		! mountpoint -q "$root/$folder" || umount "$root/$folder"
	done
	rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' INT TERM

# shellcheck disable=SC2016 # apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' |
	head -n 1)
debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$debs/debootstrap.log" 2>&1 || {
	tail -n 5 "$debs/debootstrap.log" >&2
	exit 1
}
for folder in dev proc sys; do
	mount --bind "/$folder" "$root/$folder"
done

# autopkgtest gives 2 or 8 if tests were skipped, or there was nothing but skipped ones.
rc=0
autopkgtest "$debs"/*.changes -- chroot "$root" || rc=$?
case $rc in
0 | 2) echo "fresh: the tests of the packages pass" ;;
*) exit $rc ;;
esac
