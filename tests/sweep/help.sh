# Sourced by the others: a grid of runs long enough to be killed in the middle, in an empty folder.
# shellcheck shell=sh
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail()
{
	echo "$1"
	exit 1
}

# A whole sweep is 48 runs.
sweep()
{
	exec "$TIDE" sweep --workload '{zipf,cyclic,uniform}:pages=2000,accesses=150000' \
		--near '{25,75}%' --chunk 4K --evict '{lru,sieve}' --prefetch none --seed '{1..4}' \
		"$@"
}

# What is the same whenever it is run.
settled()
{
	sed 's/"wall":{[^}]*}/"wall":{}/' "$@" | sort
}

lines()
{
	wc -l <"$1"
}

# await_results FILE: until it has some, for a minute at least.
await_results()
{
	tries=0
	while [ ! -s "$1" ] && [ $tries -lt 6000 ]; do
		sleep 0.01
		tries=$((tries + 1))
	done
}

# process_of FILE: the process that was told to write it. Not grep, which has the name from a file.
process_of()
{
	# shellcheck disable=SC2062 # files, not the pattern
	echo "$1" | grep -lzxF -f - /proc/[0-9]*/cmdline 2>/dev/null | tr -dc '0-9\n' | head -n 1
}

# catch PART RUNS: halts the process that makes a part of r.jsonl, of so many runs, in the middle. Its
# number is in caught, and its file in file. tide is the process that waits for it. Where this shell
# looks away for long the part may be done: then it fails.
catch()
{
	caught=
	for _ in $(seq 1000); do
		kill -0 "${tide:?}" 2>/dev/null || break
		for file in "$work/r.jsonl.parts/"*".$1.jsonl"; do
			[ -s "$file" ] && caught=$(process_of "$file")
			[ -n "$caught" ] && kill -STOP "$caught" && break 2
		done
		sleep 0.01
	done
	[ -n "$caught" ] && [ "$(lines "$file")" -lt "$2" ]
}
