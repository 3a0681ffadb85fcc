#!/usr/bin/env python3
"""docs/python-api.md from the docstrings of the installed package: python python/tests/document.py

python/tests/test_docs.py fails while the page is older than these.
"""
import inspect
import textwrap
from pathlib import Path

import pinion as pn

PAGE = Path(__file__).parents[2] / "docs" / "python-api.md"


def signature(thing):
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    for one, other in (("(self, /)", "()"), ("(self)", "()"), ("(self, /, ", "("), ("(self, ", "("), ("(cls, ", "("),
                       ("<object object>", "...")):
        text = text.replace(one, other)
    return text


def entry(name, thing, level="###"):
    """A heading with the signature, and the docstring as it is."""
    call = signature(thing) if callable(thing) and not isinstance(thing, property) else ""
    if isinstance(thing, type) and issubclass(thing, tuple):
        call = ""
    words = inspect.getdoc(thing) or ""
    head = "\n".join(textwrap.wrap(name + call, 110, subsequent_indent="    ", break_long_words=False))
    return f"{level} {name}\n\n```text\n{head}\n\n{words}\n```\n\n" if words else ""


def members(cls):
    """Public methods and properties, in alphabetical order."""
    found = {}
    for name, thing in inspect.getmembers(cls):
        if not name.startswith("_") and (callable(thing) or inspect.isdatadescriptor(thing) or hasattr(thing, "func")):
            found[name] = thing
    return found


def text():
    out = ["# Python API\n\nEvery public name of the package with its docstring, made by `python/tests/document.py`: "
           "`help()` has the\nsame. [python.md](python.md) is the page to begin with.\n\n"
           "Contents: [functions](#functions) · [classes](#classes) · [methods of a Model]"
           "(#methods-of-a-model) · [pinion.research](#pinionresearch)\n\n"]
    names = {name: getattr(pn, name) for name in pn.__all__ if name != "research"}
    out.append("## Functions\n\n")
    out += [entry(name, thing) for name, thing in sorted(names.items()) if not isinstance(thing, type)]
    out.append("## Classes\n\n")
    for name, thing in sorted(names.items()):
        if isinstance(thing, type):
            out.append(entry(name, thing))
            if thing is not pn.Model and thing is not pn.Error:
                out += [entry(f"{name}.{k}", v, "####") for k, v in members(thing).items() if k not in vars(tuple)]
    out.append("## Methods of a Model\n\n")
    out += [entry(name, thing) for name, thing in members(pn.Model).items()]
    out.append("## pinion.research\n\n")
    out += [entry(name, thing) for name, thing in sorted(vars(pn.research).items())
            if callable(thing) and thing.__module__ == "pinion.research" and not name.startswith("_")]
    return "".join(out).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(text())
    print(f"{PAGE} written")
