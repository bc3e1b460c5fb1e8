#!/bin/sh
# Style and likely bugs: clang-format, clang-tidy, shellcheck, mypy; changes nothing.
# usage: scripts/lint.sh BUILD-DIR   (one with compile_commands.json)
set -eu

build=$1
jobs=$(getconf _NPROCESSORS_ONLN)
status=0

c_files()
{
	find include src policies lab report examples tests bench -type f \
		\( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | sort
}

# Those that this build has; some need CUDA.
built()
{
	while read -r file; do
		if grep -q "/$file\"" "$build/compile_commands.json"; then
			echo "$file"
		fi
	done
}

shell_files()
{
	find scripts tests bench examples .ci -name '*.sh' -type f
	find debian/tests -type f ! -name control
	echo .ci/run
	echo completion/tide.bash
}

echo "lint: clang-format"
c_files | xargs clang-format --dry-run -Werror || status=1

echo "lint: clang-tidy"
# clang refuses options that gcc alone has.
mkdir -p "$build/lint"
sed 's/ -gno-[a-z-]*//g' "$build/compile_commands.json" >"$build/lint/compile_commands.json"
find src policies lab report -name '*.c' -type f | sort | built |
	xargs -n 4 -P "$jobs" clang-tidy --quiet -p "$build/lint" >"$build/clang-tidy.log" 2>&1 || {
	grep -Ev '^[0-9]+ warnings? generated|^Suppressed' "$build/clang-tidy.log"
	status=1
}

echo "lint: shellcheck"
shell_files | xargs shellcheck || status=1

echo "lint: mypy"
mypy --config-file python/pyproject.toml --cache-dir "$build/lint/mypy" python/tide || status=1

[ $status -eq 0 ] && echo "lint: clean"
exit $status
