#!/bin/sh
# Installs what is missing of scripts/packages.txt, by apt-get.
# usage: scripts/deps.sh [build|test|browser|lint|bench|deb|fresh]...   all of them by default
set -eu

list=$(dirname "$0")/packages.txt
purposes=${*:-build test browser lint bench deb fresh}

fail()
{
	echo "deps: $1" >&2
	exit 1
}

for purpose in $purposes; do
	grep -q "^$purpose " "$list" || fail "nothing is listed for '$purpose': see $list"
done

wanted()
{
	for purpose in build $purposes; do
		sed -n "s/^$purpose //p" "$list"
	done | awk '!seen[$0]++' | paste -sd ' '
}

missing()
{
	for package in $(wanted); do
		state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=none
		[ "$state" = installed ] || echo "$package"
	done | paste -sd ' '
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "deps: no apt here: install by hand what these are called on your system: $(wanted)"
	exit 0
fi

need=$(missing)
if [ -z "$need" ]; then
	echo "deps: all installed ($purposes)"
	exit 0
fi

root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
		fail "not root and no sudo: as root, run: apt-get install --no-install-recommends $need"
	root=sudo
fi

echo "deps: installing with ${root:+sudo }apt-get, which may take some minutes: $need"
log=$(dirname "$0")/../build/deps.log
mkdir -p "$(dirname "$log")"

# What apt-get says is kept, and shown where it fails.
apt()
{
	$root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "$@" \
		>"$log" 2>&1 || {
		cat "$log" >&2
		return 1
	}
}

apt update || fail "apt-get update failed: check the network and /etc/apt/sources.list"
# shellcheck disable=SC2086 # one word per package
apt install -y --no-install-recommends $need || fail "apt-get could not install: $need"
echo "deps: installed ($purposes)"
