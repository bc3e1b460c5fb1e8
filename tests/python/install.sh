#!/bin/sh
# pip installs the package, without a network, into an environment of its own, and it works there.
# usage: install.sh PYTHON   (TIDE_SOURCE and TIDE_LIBRARY from the environment)
set -eu

python=$1
for module in pip setuptools wheel venv; do
	"$python" -c "import $module" 2>/dev/null || {
		echo "this Python has no $module"
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pip builds beside the sources.
cp -r "$TIDE_SOURCE/python" "$work/python"
"$python" -m venv --system-site-packages --without-pip "$work/env"
"$work/env/bin/python" -m pip install --quiet --no-index --no-deps --no-build-isolation \
	--disable-pip-version-check "$work/python"
cd "$work"
# The loader finds the library.
LD_LIBRARY_PATH=$(dirname "$TIDE_LIBRARY")
export LD_LIBRARY_PATH
unset TIDE_LIBRARY PYTHONPATH
"$work/env/bin/python" - "$work/env" <<'END'
import importlib.metadata, os, sys, tide

assert tide.__file__.startswith(sys.argv[1]), tide.__file__
assert importlib.metadata.version("tide") == tide.__version__ == tide.library_version()
assert os.path.exists(os.path.join(os.path.dirname(tide.__file__), "py.typed"))
assert not importlib.metadata.files("tide") or all("tests" not in str(f) for f in importlib.metadata.files("tide"))
run = tide.sim([1, 2, 3, 1, 4, 1, 2, 5, 1, 2], near="3p", evict="lru", chunk="1p", prefetch="none")
assert run.faults == 6, run
END
