"""A motion as a page: what `pinion report` makes, shown in a notebook or kept as a file."""
import os

import numpy as np

from . import _pinion
from ._arguments import _numbers
from ._model import Error


class Page:
    """An HTML page with 3-D playback, which needs no network. A notebook shows it; elsewhere save() or open() it."""

    def __init__(self, html, height=600):
        self.html = html
        self.height = height

    def save(self, path):
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def open(self):
        """Writes the page to a file that stays, opens it in the browser, and gives the file's path."""
        import tempfile
        import webbrowser
        from pathlib import Path
        number, path = tempfile.mkstemp(".html", "pinion-")
        os.close(number)
        try:
            self.save(path)
        except BaseException:
            os.unlink(path)
            raise
        webbrowser.open(Path(path).as_uri())
        return path

    def _repr_html_(self):
        import html
        # in ASCII, whatever a notebook's file is read as: the page runs only the script whose hash it knows
        text = html.escape(self.html).encode("ascii", "xmlcharrefreplace").decode()
        return (f'<iframe srcdoc="{text}" style="width: 100%; height: {self.height:d}px; '
                'border: 1px solid #8884" sandbox="allow-scripts allow-downloads"></iframe>')

    def __repr__(self):
        return f"<pinion.Page of {len(self.html) / 1e6:.1f} MB: save(path), or open() in the browser>"


def page_of(model, title, result=None, t=(0.0,), q=None, height=600):
    """The Page of a result's file, or of configurations q at instants t."""
    t = _numbers("t", t)
    q = np.zeros((0, model.nq)) if q is None else _numbers("q", q)
    if result is None and (q.shape != (len(t), model.nq)):
        raise Error(f"show: q has the shape {q.shape}; expected ({len(t)}, {model.nq})")
    if result is not None:
        t = np.zeros(0)
    return Page(_pinion.page(model, model._path, title, result, t, q).decode(), height)
