# Sourced by the others: an empty folder, `tide` by its name, and skipping where nothing can be paged.
# shellcheck shell=sh
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

tide()
{
	"$TIDE" "$@"
}

fail()
{
	echo "$*"
	exit 1
}

if ! said=$(tide run --near 4M -- true 2>&1); then
	case $said in
	*userfaultfd*) echo "skipped: $said"; exit 77 ;;
	*) fail "$said" ;;
	esac
fi

# figure NAME: the first one of that name in stats.json, which is that of all processes together.
figure()
{
	sed -n "s/^ *\"$1\": *\([0-9]*\).*/\1/p" stats.json | head -n 1
}

# was_paged EVICTIONS: at least; a run that never evicts shows nothing.
was_paged()
{
	[ "$(figure evicted_chunks)" -ge "$1" ] || fail "only $(figure evicted_chunks) evictions"
}
