"""tide: page replacement and tiered memory. The simulator, curves and traces of libtide.

    import tide
    pages = tide.generate("zipf:pages=10000,accesses=1000000").page      # or your own array
    tide.compare(pages, near="10%", preset="cache").table()
    tide.mrc(pages, evict=["lru", "arc", "opt"]).table()

sim, compare, mrc, advise     what the program's verbs of the same names do, on arrays, iterators or files
Simulator                     a run whose accesses are pushed as they happen
Policy                        a policy written in Python, for prototypes; slow
Accesses                      accesses as arrays
read_trace, read_batches, write_trace, generate     traces
read_results, read_curves     results, sweeps and curves of the program as tables
policies, workloads, models   what there is

Tables are pandas DataFrames, or lists of dicts where pandas is not installed. Arrays are numpy's, or array.array. The
library is libtide.so.0: the file that TIDE_LIBRARY names, that of the source tree that the package lies in, or the
installed one.
"""

from ._accesses import Accesses
from ._advise import Advice, advise
from ._compare import Runs, compare
from ._curves import Curve, Curves, mrc
from ._library import TideError, library_version
from ._lists import models, policies, workloads
from ._policy import Evicted, Policy, View
from ._results import Run, read_curves, read_results
from ._settings import CommonSettings, InputSettings, Settings
from ._sim import Simulator, sim
from ._tables import table
from ._traces import generate, read_batches, read_trace, write_trace

__version__ = "0.2.0"

__all__ = [
    "Accesses",
    "Advice",
    "CommonSettings",
    "Curve",
    "Curves",
    "Evicted",
    "InputSettings",
    "Policy",
    "Run",
    "Runs",
    "Settings",
    "Simulator",
    "TideError",
    "View",
    "advise",
    "compare",
    "generate",
    "library_version",
    "models",
    "mrc",
    "policies",
    "read_batches",
    "read_curves",
    "read_results",
    "read_trace",
    "sim",
    "table",
    "workloads",
    "write_trace",
]
