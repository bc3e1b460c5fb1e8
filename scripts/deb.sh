#!/bin/sh
# Builds the Debian packages from the tarball of scripts/dist.sh, without the tests, which are
# `make test`. FOLDER must be empty or not there; it gets the packages, their sources and build.log.
# usage: scripts/deb.sh FOLDER
#   DEB_BUILD_PROFILES  pkg.tide.cuda adds tide-gpu; by default, where there is an nvcc
#   JOBS                how many processes; by default, one per processor
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
version=$("$source/scripts/version.sh")
mkdir -p "$1"
[ -z "$(ls -A "$1")" ] || { echo "deb: $1 is not empty: give another folder" >&2; exit 1; }
to=$(cd "$1" && pwd)
work=$to/work
log=$to/build.log
mkdir "$work"

# Where CUDA is, if it is in the PATH or where cmake/cuda.cmake looks.
cuda()
{
	nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || return 0
	dirname "$(dirname "$(readlink -f "$nvcc")")"
}

tarball=$("$source/scripts/dist.sh" "$work")
tar -xzf "$tarball" -C "$work"
rm "$tarball"

# Packages are built with Debian's tools, not with others that the PATH may have.
CUDA_PATH=${CUDA_PATH:-$(cuda)}
export CUDA_PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin
export DEB_BUILD_OPTIONS="nocheck parallel=${JOBS:-$(getconf _NPROCESSORS_ONLN)}"
export DEB_BUILD_PROFILES="nocheck ${DEB_BUILD_PROFILES-${CUDA_PATH:+pkg.tide.cuda}}"
echo "deb: building in $work, with the profiles $DEB_BUILD_PROFILES"
if ! (cd "$work/tide-$version" && dpkg-buildpackage -us -uc) >"$log" 2>&1; then
	tail -n 40 "$log" >&2
	echo "deb: dpkg-buildpackage failed: see $log" >&2
	exit 1
fi
find "$work" -maxdepth 1 -type f -exec mv {} "$to" \;
rm -rf "$work"
for package in "$to"/*.deb; do
	echo "$package"
done
