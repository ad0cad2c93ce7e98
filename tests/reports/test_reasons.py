"""Every reason that a test or judge can give is said in words: the sources are read, not remembered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit.claim_kinds import KINDS
from reports.sentences import CONCLUSIONS, KIND_WORDS, REASONS

AUDIT = Path(__file__).resolve().parents[2] / "audit"
#: Statistics that never decide a claim: planning, descriptions, the reading of numbers.
NO_VERDICTS = [
    "bootstrap",
    "margin",
    "multiplicity",
    "planning",
    "power",
    "printed",
    "sequential",
    "share",
    "spread",
    "threshold",
    "variance_components",
]
SOURCES = [
    *(path for path in sorted((AUDIT / "stats").glob("*.py")) if path.stem not in NO_VERDICTS),
    *sorted((AUDIT / "judging").glob("*.py")),
    AUDIT / "comparator.py",
    AUDIT / "evidence.py",
]
#: What looks like a code in those sources and is none. A new word here, or in `REASONS`.
NO_CODES = {"contradicted", "inconclusive", "reproduced", "done", "failed", "same_data", "share", "rising"}
NO_CODES |= {"training_time", "parameters", "model_size", "g", "inf", "run"}
CODE = re.compile(r"[a-z]+(_[a-z]+)*")


def values(tree: ast.AST) -> Iterator[str]:
    """The strings of a source that are values: no keys, subscripts, comparisons, options or docstrings."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", None) != "Literal":
            skipped.update(ast.walk(node.slice))
        elif isinstance(node, ast.Compare):
            skipped.update(it for side in (node.left, *node.comparators) for it in ast.walk(side))
        elif isinstance(node, ast.Dict):
            skipped.update(key for key in node.keys if key)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            skipped.update(node.args)
        elif isinstance(node, ast.AnnAssign | ast.Assign) and _is_table(node):
            skipped.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.value


def _is_table(node: ast.AnnAssign | ast.Assign) -> bool:
    """Constants in capitals, `__all__` and type aliases are lists of names, no verdicts."""
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return any(name.lstrip("_").isupper() or name == "__all__" for name in names)


def codes(source: str) -> set[str]:
    return {text for text in values(ast.parse(source)) if CODE.fullmatch(text)} - NO_CODES


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_code_of_a_source_has_words(path: Path) -> None:
    """A code without words would stand on the page with its underscores opened."""
    found = {code for code in codes(path.read_text()) if code not in REASONS}
    assert not found, f"say {sorted(found)} in reports.sentences.REASONS, or list them in NO_CODES here"


def test_the_sources_are_read() -> None:
    """Codes are found wherever one can stand: as a keyword, an argument, a default, a result, in a choice."""
    source = '''
KNOWN = ("no_code",)
Choice = Literal["by_literal"]
class T:
    if_reproduced: str = "by_default"
def f(n, d, claim):
    """doc"""
    if n == "compared": return "by_return"
    reason = "by_choice" if d.get("key") else d["index"]
    return final(case, "by_position"), g(cap="by_keyword"), {"dict_key": "by_value"}
'''
    assert codes(source) == {
        "by_default",
        "by_literal",
        "by_return",
        "by_choice",
        "by_position",
        "by_keyword",
        "by_value",
        "doc",
    }


def test_known_codes_are_found() -> None:
    """The reading of the sources finds the codes that the tests of the statistics name."""
    every = set().union(*(codes(path.read_text()) for path in SOURCES))
    known = {"tost", "minimum_effect", "too_few_seeds", "no_spread", "tied", "step_back", "never_reached"}
    assert known | {"margins_changed", "different_machines", "exceeds_margin", "run_failed"} <= every
    assert set(REASONS) <= every, "a reason that nothing gives"


def test_every_kind_that_runs_decide_has_a_word() -> None:
    """The kinds of claim files that reach verdicts are named; the others never do."""
    assert set(KIND_WORDS) == {name for name, kind in KINDS.items() if kind.by_runs}


def test_conclusions_are_about_known_kinds_and_reasons() -> None:
    """A pattern for a code that nothing gives, or a kind that is not there, is a slip of the pen."""
    for kind, code in CONCLUSIONS:
        assert kind == "*" or kind in KIND_WORDS
        assert code.split()[0] in REASONS
