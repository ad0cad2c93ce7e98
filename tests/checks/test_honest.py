"""Honest papers are never called inconsistent.

Documents, labels and rankings are simulated, metrics computed by their definition, printed rounded or cut, as
single runs or means, which is stated or not; sizes may be rounded; papers copy from each other; sentences are
true of the numbers before rounding.
A false accusation is the worst fault that the checks could have, so none is allowed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

from audit.checks import all_findings
from audit.record import Finding
from tests.checks.honest_papers import drafts, unstated
from tests.checks.honest_sentences import sentences

SENTENCES = 12
"""Tries a paper; some give none, others several."""


@dataclass
class Tried:
    """What was tried, and what the checks said."""

    papers: int = 0
    tables: int = 0
    statements: Counter[str] = field(default_factory=Counter)
    """By kind."""
    results: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By check and result."""
    accused: list[str] = field(default_factory=list)

    def add(self, seed: int) -> None:
        """The papers of one seed, held against themselves and each other."""
        written = drafts(np.random.default_rng(seed))
        sheets = [draft.sheet(sentences(draft, SENTENCES)) for draft in written]
        self.papers += len(sheets)
        self.tables += sum(len(sheet.tables) for sheet in sheets)
        self.statements.update(claim.kind for sheet in sheets for claim in sheet.statements)
        for found in all_findings(sheets):
            self.results[found.check, found.result] += 1
            if found.result == "inconsistent":
                self.accused.append(_shown(seed, found))

    def __str__(self) -> str:
        lines = [f"{self.papers} papers, {self.tables} tables, {self.statements.total()} statements"]
        lines += [f"{check:14} {result:12} {n}" for (check, result), n in sorted(self.results.items())]
        return "\n".join(lines)


def _shown(seed: int, found: Finding) -> str:
    return f"seed {seed}: {found.id} {found.cells}: {found.arithmetic}"


def tried(seeds: range) -> Tried:
    found = Tried()
    for seed in seeds:
        found.add(seed)
    return found


@pytest.fixture(scope="module")
def few() -> Tried:
    return tried(range(40))


def test_no_honest_table_or_sentence_is_called_inconsistent(few: Tried) -> None:
    assert few.accused == []
    assert few.tables > 300


def test_the_checks_had_something_to_say_of_the_honest_tables(few: Tried) -> None:
    """Else their silence would prove nothing."""
    consistent = {check for check, result in few.results if result == "consistent"}
    assert consistent >= {
        "average_rank",
        "bounds",
        "copies",
        "feasible_row",
        "granularity",
        "identity",
        "sentence",
        "significance",
        "statistics",
        "twice",
    }
    assert set(few.statements) >= {
        "arithmetic",
        "cost",
        "dominance",
        "equivalent",
        "gap",
        "optimum",
        "order",
        "ranking",
        "significant",
        "trend",
    }
    told = sum(n for (_, result), n in few.results.items() if result == "consistent")
    assert told > 0.7 * few.results.total()


def accused_of_unstated(seeds: range) -> list[str]:
    """What is inconsistent in tables of means over runs or folds, of ensembles, and with rounded sizes."""
    return [
        _shown(seed, found)
        for seed in seeds
        for found in all_findings(unstated(np.random.default_rng(seed)))
        if found.result == "inconsistent"
    ]


def test_no_table_of_unstated_runs_folds_ensembles_or_rounded_sizes_is_called_inconsistent() -> None:
    assert accused_of_unstated(range(200)) == []


@pytest.mark.slow
def test_none_of_thousands_of_tables_of_unstated_runs_is_called_inconsistent() -> None:
    assert accused_of_unstated(range(1_000, 5_000)) == []


@pytest.mark.slow
def test_none_of_thousands_of_honest_tables_is_called_inconsistent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = tried(range(1_000, 1_500))
    with capsys.disabled():
        print(f"\n{found}")
    assert found.accused == []
    assert found.tables > 4_000
