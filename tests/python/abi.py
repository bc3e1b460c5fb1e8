"""The structs of tide/_abi.py have the layouts and the constants that a C compiler gives the headers."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

from helper import SOURCE
from tide import _abi

STRUCTS = [value for name, value in vars(_abi).items() if name.startswith("tide_") and isinstance(value, type)]

# Structs that grow at their ends: a newer one may be longer than the package knows.
GROW = {"tide_policy", "tide_near", "tide_view", "tide_plan", "tide_evicted", "tide_report"}

CONSTANTS = {
    "TIDE_POLICY_API": _abi.POLICY_API,
    "TIDE_PLAN_ENTRIES": _abi.PLAN_ENTRIES,
    "TIDE_NO_CHUNK.index": _abi.NO_CHUNK,
    "TIDE_NEVER": _abi.NEVER,
    "sizeof(tide_chunk)": 4,
    "sizeof(tide_page)": 8,
    **{f"TIDE_{role.upper()}": i for i, role in enumerate(_abi.ROLES)},
    **{f"TIDE_PARAM_{kind.upper()}": i for i, kind in enumerate(_abi.PARAM_TYPES)},
    **{
        f"TIDE_{'TAKES' if need in ('samples', 'sizes') else 'NEEDS'}_{need.upper()}": 1 << i
        for i, need in enumerate(_abi.NEEDS)
    },
    "TIDE_KEEP": _abi.PLACEMENTS["keep"],
    "TIDE_TO_TIER2": _abi.PLACEMENTS["tier2"],
    "TIDE_TO_TIER3": _abi.PLACEMENTS["tier3"],
}


def expectations():
    """C expressions, and what they must be."""
    for struct in STRUCTS:
        c = f"struct {struct.__name__}"
        size = ctypes.sizeof(struct)
        grows = issubclass(struct, _abi.Sized) or struct.__name__ in GROW
        yield (f"sizeof({c}) >= {size}", 1) if grows else (f"sizeof({c})", size)
        for name, kind in struct._fields_:
            yield f"offsetof({c}, {name})", getattr(struct, name).offset
            yield f"sizeof((({c} *)0)->{name})", ctypes.sizeof(kind)
            pointee = getattr(kind, "_type_", None) if issubclass(kind, ctypes._Pointer) else None
            if pointee and not issubclass(pointee, (ctypes.Structure, ctypes._Pointer)):
                yield f"sizeof(*(({c} *)0)->{name})", ctypes.sizeof(pointee)
    yield from CONSTANTS.items()


def main():
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        print("there is no C compiler")
        return 77
    wanted = list(expectations())
    lines = "".join(f'printf("%llu\\n", (unsigned long long)({c}));\n' for c, _ in wanted)
    source = f"#include <stdio.h>\n#include <tide/tide.h>\n#include <tide/policy.h>\nint main(void) {{ {lines} }}\n"
    with tempfile.TemporaryDirectory(prefix="tide-test-") as folder:
        path = os.path.join(folder, "abi")
        with open(path + ".c", "w", encoding="ascii") as file:
            file.write(source)
        subprocess.run([compiler, "-I", os.path.join(SOURCE, "include"), "-o", path, path + ".c"], check=True)
        found = subprocess.run([path], check=True, capture_output=True, text=True).stdout.split()
    wrong = [f"{c} is {is_}, not {value}" for (c, value), is_ in zip(wanted, found) if value != int(is_)]
    print("\n".join(wrong) or f"{len(wanted)} sizes, offsets and constants agree")
    return 1 if wrong or len(STRUCTS) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
