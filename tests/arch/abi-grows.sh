#!/bin/sh
# A counter, an option and a callback of policies can be added at the end, and abi.sh finds nothing
# wrong; where they move other members, it does. The public functions are compiled from copies of
# the sources, and the rest of the library is left out.
# usage: abi-grows.sh SOURCE-FOLDER   (CC from the environment)
set -eu

root=$1 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
export work

# The sources as they are.
fresh()
{
	rm -rf "$work/include" "$work/src"
	cp -R "$root/include" "$root/src" "$work"
}

# add STRUCT HEADER first|last MEMBER: behind its size, or at its end
add()
{
	awk -v open="struct $1 {" -v where="$3" -v member="	$4" '
		$0 == open { inside = 1 }
		inside && $0 == "};" { if (where == "last") print member; inside = 0 }
		{ print }
		inside && where == "first" && / size;/ { print member }
	' "$work/include/tide/$2" >"$work/header"
	cmp -s "$work/header" "$work/include/tide/$2" && { echo "no struct $1 in $2"; exit 1; }
	mv "$work/header" "$work/include/tide/$2"
}

# check: $status of abi.sh, for a library of the public functions
check()
{
	rm -rf "$work/objects"
	mkdir "$work/objects"
	# shellcheck disable=SC2016 # the inner shell expands them
	find "$work/src/lib" -name '*.c' -print0 | xargs -0 -P 2 -I{} sh -c '
		"${CC:-cc}" -c -g -O0 -fPIC -D_GNU_SOURCE -DTD_LIB_MODULES=\"\" \
			-DTD_LIB_MODULES_BELOW=\"\" -I"$work/include" -I"$work/src" {} \
			-o "$work/objects/$(basename {}).o"'
	"${CC:-cc}" -shared -Wl,-soname,libtide.so.0 -o "$work/libtide.so" "$work"/objects/*.o \
		-Wl,--version-script="$work/src/lib/libtide.map"
	status=0
	"$root/tests/arch/abi.sh" check "$work/libtide.so" "$work/include" >"$work/said" 2>&1 ||
		status=$?
	[ "$status" -ne 77 ] || { cat "$work/said"; exit 77; }
}

# fits WHAT: and abi.sh agrees
fits()
{
	check
	[ "$status" -eq 0 ] || { echo "$1 breaks the interface:"; cat "$work/said"; bad=1; }
}

# breaks WHAT TEXT: and abi.sh says so
breaks()
{
	check
	[ "$status" -ne 0 ] && grep -q "$2" "$work/said" && return
	echo "$1 is not noticed, status $status:"
	cat "$work/said"
	bad=1
}

fresh
echo 'TIDE_COUNTER(added, "a new counter")' >>"$work/include/tide/counters.def"
echo 'TIDE_FIGURE(added, "a new figure")' >>"$work/include/tide/pool_figures.def"
add tide_sim_options tide.h last 'const char *added;'
add tide_policy policy.h last 'void (*on_added)(void *self);'
fits "a counter, a figure, an option and a callback at the end"

fresh
add tide_sim_options tide.h first 'const char *added;'
breaks "an option in front" "'const char\* added', at offset 64"

fresh
add tide_policy policy.h first 'void (*on_added)(void *self);'
breaks "a callback in front" "on_added"
exit $bad
