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
		--progress never "$@"
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
