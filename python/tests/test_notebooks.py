"""The notebooks of examples/notebooks run, cell after cell, as a reader would, and are kept without what they print."""
import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook(path):
    book = json.loads(path.read_text())
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3 and book["cells"][0]["cell_type"] == "markdown" and book["nbformat"] == 4
    names, shown = {}, 0
    for cell in cells:
        assert not cell["outputs"] and cell["execution_count"] is None, "a cell has outputs; expected none"
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), names)
        if last:  # what a notebook shows
            value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
            shown += hasattr(value, "_repr_html_") and len(value._repr_html_()) > 100 or len(repr(value)) > 3
    assert shown or path.stem == "batches_and_speed"


def test_there_are_four():
    assert len(list(FOLDER.glob("*.ipynb"))) == 4
