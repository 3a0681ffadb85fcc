"""Every piece of Python in docs/python.md runs, one after the other, as a reader would type them."""
import re
from pathlib import Path

import document

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_page(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    pieces = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.S | re.M)
    assert len(pieces) >= 5
    names = {}
    for piece in pieces:
        exec(compile(piece, PAGE.name, "exec"), names)
    assert abs(names["a"]).max() < 1e-12  # what the first piece says of it


def test_the_page_of_the_api():
    """Made of the docstrings, and no older than these."""
    assert document.PAGE.read_text() == document.text(), "python python/tests/document.py writes it again"
