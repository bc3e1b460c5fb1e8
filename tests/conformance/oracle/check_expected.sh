#!/bin/bash
# check_expected.sh ORACLE FOLDER: runs the oracle on every line of FOLDER/expected.jsonl whose
# policies it has, and compares the counts.
set -u
oracle=$(realpath "$1")
cd "$2" || exit 1
run=0 skipped=0 wrong=0
while IFS= read -r line; do
	args=${line#*\"args\": \"}
	args=${args%%\"*}
	want=${line#*\"counts\": \{}
	want=${want%%\}*}
	case $args in
	*mhpe* | *leu* | *pattern* | *--place*)
		skipped=$((skipped + 1))
		continue
		;;
	esac
	# shellcheck disable=SC2086
	got=$("$oracle" $args)
	run=$((run + 1))
	if [ "$got" != "{${want// /}}" ]; then
		wrong=$((wrong + 1))
		printf 'differs: %s\n  expected {%s}\n  oracle   %s\n' "$args" "${want// /}" "$got"
	fi
done < expected.jsonl
echo "$run run, $skipped skipped, $wrong wrong"
[ "$run" -gt 0 ] && [ "$wrong" -eq 0 ]
