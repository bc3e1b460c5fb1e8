#!/bin/bash
# check_expected.sh ORACLE FOLDER: runs the oracle on every line of FOLDER/expected.jsonl and
# compares each count that the line names.
set -u
oracle=$(realpath "$1")
cd "$2" || exit 1
run=0 wrong=0
while IFS= read -r line; do
	args=${line#*\"args\": \"}
	args=${args%%\"*}
	want=${line#*\"counts\": \{}
	want=${want%%\}*}
	# shellcheck disable=SC2086
	got=$("$oracle" $args | head -n 1)
	got=,${got#\{}
	got=${got%\}},
	run=$((run + 1)) differs=0
	want=${want//\": /\":}
	for pair in ${want//,/ }; do
		case $got in
		*",$pair,"*) ;;
		*)
			echo "$args: expected $pair"
			differs=1
			;;
		esac
	done
	wrong=$((wrong + differs))
done < expected.jsonl
echo "$run run, $wrong wrong"
[ "$run" -gt 0 ] && [ "$wrong" -eq 0 ]
