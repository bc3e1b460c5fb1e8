"""A real kernel runs the example notebook, and shows progress."""

import os
import sys
import tempfile

from helper import SOURCE

try:
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
except ImportError as why:
    print(f"notebooks cannot be run: {why}")
    sys.exit(77)

EXAMPLE = os.path.join(SOURCE, "python", "examples", "tide.ipynb")

PROGRESS = """
from tide import _progress
_progress._SHOW_AFTER_SECONDS = -1
meter = _progress.Meter("sim", "auto")
tell = meter.callback()
tell(None, 50, 200)
meter.look()
"""


def run(notebook):
    """Executes all cells; an exception in one is an exception here."""
    with tempfile.TemporaryDirectory(prefix="tide-test-") as folder:
        here = {"metadata": {"path": folder}}
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=here).execute()
    return notebook


def text_of(cell):
    return "".join(o.get("data", {}).get("text/plain", "") + o.get("text", "") for o in cell.outputs)


def main():
    os.environ["PYTHONPATH"] = os.path.join(SOURCE, "python")
    # Nothing of the user's own: profiles, histories and kernels.
    with tempfile.TemporaryDirectory(prefix="tide-test-") as home:
        os.environ.update(HOME=home, IPYTHONDIR=home, JUPYTER_RUNTIME_DIR=home, JUPYTER_DATA_DIR=home)
        example = nbformat.read(EXAMPLE, as_version=4)
        nbformat.validate(example)
        example.cells.append(nbformat.v4.new_code_cell(PROGRESS))
        cells = [cell for cell in run(example).cells if cell.cell_type == "code"]
    assert len(cells) > 10
    assert "'opt'" in text_of(cells[4]), text_of(cells[4])
    assert text_of(cells[-3]) == "(300000, True)", text_of(cells[-3])
    html = [o["data"].get("text/html", "") for o in cells[-1].outputs if "data" in o]
    assert html == ['<progress value="50" max="200"></progress> sim: 25%'], cells[-1].outputs
    print(f"{len(cells)} cells")


if __name__ == "__main__":
    main()
