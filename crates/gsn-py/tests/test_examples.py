"""Every example in a docstring and in the README runs as it is printed."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import gsn

#: The extension and the program; examples on Spark and Ray run in `scale/`, where these are started once.
LEFT_OUT = ("gsn._gsn", "gsn.__main__", "gsn.spark", "gsn.ray")


def modules() -> list[str]:
    found = pkgutil.walk_packages(gsn.__path__, "gsn.")
    return ["gsn", *(m.name for m in found if m.name not in LEFT_OUT)]


@pytest.mark.parametrize("name", modules())
def test_docstrings(name):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0


def test_public_functions_have_examples():
    finder = doctest.DocTestFinder()
    for name in gsn.__all__:
        if name.startswith("__"):
            continue
        thing = getattr(gsn, name)
        examples = [e for t in finder.find(thing, name) for e in t.examples]
        assert examples or dataclasses.is_dataclass(thing) or name == "Predictions", name


PAGES = ["README.md", "crates/gsn-py/README.md", "docs/src/python.md"]


@pytest.mark.parametrize("page", PAGES)
def test_snippets_of_pages(page, tmp_path, monkeypatch):
    """All snippets of a page, one after the other."""
    path = Path(__file__).parents[3] / page
    if not path.exists():
        pytest.skip(f"{page} is not part of the source distribution")
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
