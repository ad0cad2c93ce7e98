"""Every module of audit.stats names where its rule comes from."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import audit.stats

MODULES = sorted(it for it in Path(audit.stats.__file__).parent.glob("*.py") if it.name != "__init__.py")

#: `Welch 1947`, `Goeman, Solari and Stijnen 2010`
CITED = re.compile(r"\b[A-Z][A-Za-z]+ (?:1[89]|20)\d\d\b")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_docstring_of_each_module_cites_its_source(path: Path) -> None:
    assert CITED.search(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")


@pytest.mark.parametrize("name", ["order", "difference", "cost", "gap"])
def test_welch_is_cited_where_arms_are_compared_by_it(name: str) -> None:
    (path,) = (it for it in MODULES if it.stem == name)
    assert "Welch 1947" in (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
