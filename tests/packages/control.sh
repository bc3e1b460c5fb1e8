#!/bin/sh
# debian/ agrees with the rest: the version, what the build needs, and its own names.
# usage: control.sh SOURCE-DIR
set -eu

cd "$1"
bad=0
wrong()
{
	echo "$1"
	bad=1
}

# One version: the header's, the first of CHANGELOG.md and of debian/changelog, and Python's.
version=$(scripts/version.sh)
changelog=$(sed -n '1s/^tide (\(.*\)) .*/\1/p' debian/changelog)
[ "$version" = "$changelog" ] || wrong "debian/changelog has ${changelog:-no version}, tide.h $version"
news=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
[ "$version" = "$news" ] || wrong "CHANGELOG.md begins with ${news:-no version}, tide.h has $version"
python=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/tide/__init__.py)
[ "$version" = "$python" ] || wrong "python/tide has ${python:-no version}, tide.h $version"

# Paragraphs of control: fields, or what continues them; every package has the fields that it needs.
awk '
function ends() {
	if (name != "" && (!architecture || !description)) {
		print "debian/control: " name " lacks Architecture or Description"
		bad = 1
	}
	name = ""; architecture = description = 0
}
/^$/ { ends(); next }
!/^([A-Z][A-Za-z-]*:| |#)/ { print "debian/control:" NR ": no field: " $0; bad = 1 }
/^Package:/ { name = $2 }
/^Architecture:/ { architecture = 1 }
/^Description: ./ { description = 1 }
END { ends(); exit bad }' debian/control || bad=1

packages=$(sed -n 's/^Package: //p' debian/control | sort | paste -sd ' ')
wanted="libtide-dev libtide0 nbdkit-plugin-tide python3-tide tide tide-doc tide-gpu"
[ "$packages" = "$wanted" ] || wrong "debian/control makes $packages, not $wanted"

# Files about a package are about one that there is.
for list in debian/*.install debian/*.docs debian/*.examples debian/*.symbols; do
	name=$(basename "$list")
	case " $packages " in
	*" ${name%.*} "*) ;;
	*) wrong "$list: no package of this name" ;;
	esac
done

# What scripts/packages.txt says that the build needs; gcc, make and the C library need no word.
needs=$(awk '!/^ / { on = /^Build-Depends:/ } on' debian/control)
sed -n 's/^build //p' scripts/packages.txt | grep -vxE 'gcc|make|libc6-dev' |
	while read -r package; do
		echo "$needs" | grep -qE "[ ,]$package([ ,]|\$)" || echo "no Build-Depends on $package"
	done | grep . && bad=1

# And the other way round: `make deb` installs what dpkg-buildpackage asks for.
echo "$needs" | grep -v '<!nocheck>' | grep -oE '(^ |: )[a-z0-9+.-]+' | tr -d ': ' |
	sed 's/^debhelper-compat$/debhelper/; s/^dh-sequence-python3$/dh-python/' |
	while read -r package; do
		grep -qxE "(build|deb) $package" scripts/packages.txt ||
			echo "scripts/packages.txt lacks $package, which debian/control needs"
	done | grep . && bad=1

# Every test that is named is there, and can be run.
for test in $(sed -n 's/^Tests: //p' debian/tests/control | tr -d ,); do
	[ -x "debian/tests/$test" ] || wrong "debian/tests/$test is named and cannot be run"
done
for test in debian/tests/[a-z]*; do
	name=${test##*/}
	[ "$name" = control ] || grep -qE "^Tests:.*\b$name\b" debian/tests/control ||
		wrong "$test is not named in debian/tests/control"
done

# The versions of symbols are those of the library.
sed -n 's/^\(TIDE_[0-9.]*\) {/\1/p' src/lib/libtide.map |
	while read -r node; do
		grep -q "^ (symver)$node " debian/libtide0.symbols || echo "libtide0.symbols lacks $node"
	done | grep . && bad=1
exit $bad
