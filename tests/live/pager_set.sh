#!/bin/sh
# Sets of pages, by pager_set, with every mapping.
# usage: pager_set.sh FOLDER-OF-PROGRAMS
set -eu
programs=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for mapping in exact around fast copy; do
	for service in signal thread; do
		status=0
		"$programs/pager_set" "$work" mapping=$mapping service=$service >"$work/said" 2>&1 || status=$?
		echo "$mapping, $service: $(cat "$work/said")"
		case $status in
		0) ;;
		77) exit 77 ;;
		*) grep -q 'needs a kernel' "$work/said" || exit 1 ;;
		esac
	done
done
"$programs/pager_set" "$work" page=16K chunk=64K
