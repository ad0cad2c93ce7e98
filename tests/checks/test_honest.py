"""Honest papers are never called inconsistent. Documents, labels and rankings are simulated, metrics computed
by their definition, printed rounded or cut, as single runs or means, which is stated or not; sizes may be
rounded; a second paper copies from the first; ranks and sentences are true of the numbers before rounding. A
false accusation is the worst fault that the checks could have, so none is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from audit.checks import Sheet, all_findings
from audit.record import DatasetRecord
from tests.checks.honest_runs import Collection, collection, in_print, mean, method, metrics, runs
from tests.checks.made import Of, data_set, paper, states, table

METRICS = ("P@1", "P@3", "P@5", "nDCG@1", "nDCG@3", "nDCG@5")
RULES = ("half_up", "half_even", "cut")


def roughly(rng: np.random.Generator, text: str) -> str:
    """Two digits of it: 3,000 or about 3,000 for 2,987."""
    value = int(text.replace(",", ""))
    unit = 10 ** max(len(str(value)) - 2, 0)
    rounded = (value + unit // 2) // unit * unit
    words = [f"{rounded:,}", f"about {rounded:,}", f"~{rounded}"]
    return str(rng.choice(words)) if value > 100 else text


def described(rng: np.random.Generator, on: Collection) -> DatasetRecord:
    """Sizes and means, counted over the training documents."""
    pairs = Fraction(int(on.train.sum()))
    printed = {
        "train": f"{len(on.train):,}",
        "test": f"{on.documents:,}",
        "labels": f"{on.labels:,}",
        "labels_per_document": in_print(pairs / len(on.train), int(rng.integers(0, 4)), "half_up"),
        "documents_per_label": in_print(pairs / on.labels, int(rng.integers(0, 4)), "half_up"),
    }
    kept = {name: text for name, text in printed.items() if name == "test" or rng.random() < 0.9}
    return data_set(on.name, on.name, **kept)


def stated(rng: np.random.Generator, prefix: str = "") -> list[Sheet]:
    """A paper with a table, its ranks and sentences about it, and one that copies a row of it, shorter."""
    on, rule, decimals = collection(rng, "set"), str(rng.choice(RULES)), int(rng.integers(1, 5))
    seeds = int(rng.choice([1, 1, 3]))
    values = {}
    for i in range(int(rng.integers(2, 6))):
        each = [metrics(hits, on) for hits in runs(rng, on, method(rng, f"m{i}"), seeds)]
        values[f"m{i}"] = [mean([it[name] for it in each]) for name in METRICS]
    places = stats.rankdata([[-float(it) for it in row] for row in values.values()], axis=0).mean(axis=1)
    rows: dict[str | Of, list[str | Of | None]] = {
        name: [*(in_print(it, decimals, rule) for it in row), in_print(Fraction(place), 2, rule)]
        for (name, row), place in zip(values.items(), places, strict=True)
    }
    rank = Of(id="rank", quantity="average_rank", dataset="")
    first = table([*METRICS, rank], rows, dataset="set", runs=seeds if rng.random() < 0.5 else None)
    says = []
    for metric, column in zip(METRICS, zip(*values.values(), strict=True), strict=True):
        ordered = sorted(values, key=lambda name, column=column: -column[list(values).index(name)])
        cells = [f"t.{name}.{metric}" for name in ordered]
        about = {"metric": metric, "dataset": "set"}
        says += [states("order", cells[0], cells[-1], id=f"order {metric}", **about)]
        says += [states("ranking", *cells, id=f"ranking {metric}", **about)]
    copied = Of(id="m0", method="m0", source="copied", copied_from=f"{prefix}first")
    shorter = in_print(Fraction(str(rows["m0"][0])), int(rng.integers(0, decimals + 1)), "half_up")
    held = described(rng, on)
    return [
        paper(first, key=f"{prefix}first", datasets=[held], says=says),
        paper(table(["P@1"], {copied: [shorter]}, dataset="set"), key=f"{prefix}second", datasets=[held]),
    ]


def unstated(rng: np.random.Generator) -> list[Sheet]:
    """One table of means over runs or folds, of ensembles or of single runs, and not a word on which it is.
    P@k may be over min(k, labels), and documents without labels be left out of P@k or of nDCG@k. The size of
    the test set is printed as it is or rounded; another paper may print another size."""
    on, rows = collection(rng, "set"), {}
    behind = str(rng.choice(["one", "runs", "folds", "ensemble"]))
    by = str(rng.choice(["", "", "labels", "P", "nDCG"]))
    by = "" if behind == "folds" and by != "labels" else by  # small folds without any labels have no mean
    decimals, rule = int(rng.choice([1, 2, 2, 2, 3])), str(rng.choice(RULES, p=[0.45, 0.45, 0.1]))
    for i in range(int(rng.integers(1, 12))):
        drawn = runs(rng, on, method(rng, f"m{i}"), 1 if behind == "one" else int(rng.integers(2, 6)))
        if behind == "ensemble":
            drawn = (np.sum(drawn, axis=0) * 2 > len(drawn),)
        folds = np.array_split(np.arange(on.documents), 10) if behind == "folds" else [slice(None)]
        values = [
            metrics(hits[part], Collection(on.name, on.train, on.test[part], on.labels), by)
            for hits in drawn
            for part in folds
        ]
        printed = {name: in_print(mean([it[name] for it in values]), decimals, rule) for name in METRICS}
        rows[f"m{i}"] = [printed[name] for name in METRICS]
    size = f"{on.documents:,}"
    held = data_set("set", "set", test=size if rng.random() < 0.6 else roughly(rng, size))
    other = data_set("set", "set", test=f"{max(on.documents + int(rng.integers(-60, 60)), 10):,}")
    written = [paper(table(METRICS, rows, dataset="set"), key="unstated", datasets=[held])]
    return written + [paper(key="other", datasets=[other])] * int(rng.random() < 0.7)


Written = Callable[[np.random.Generator], list[Sheet]]


def tried(papers: Written, seeds: Iterable[int]) -> tuple[list[str], Counter[tuple[str, str]]]:
    """Each accusation with its arithmetic, and how often each check came to each result."""
    accused, results = [], Counter[tuple[str, str]]()
    for seed in seeds:
        for found in all_findings(papers(np.random.default_rng(seed))):
            results[found.check, found.result] += 1
            if found.result == "inconsistent":
                accused.append(f"seed {seed}: {found.id} {found.cells}: {found.arithmetic}")
    return accused, results


def test_no_honest_table_or_sentence_is_called_inconsistent() -> None:
    """And the checks had something to say: else their silence would prove nothing."""
    accused, results = tried(stated, range(60))
    assert accused == []
    consistent = {check for check, result in results if result == "consistent"}
    assert consistent >= {
        "average_rank",
        "bounds",
        "copies",
        "feasible_row",
        "granularity",
        "identity",
        "sentence",
        "statistics",
    }


def test_no_table_of_unstated_runs_folds_ensembles_or_rounded_sizes_is_called_inconsistent() -> None:
    assert tried(unstated, range(200))[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("papers", [stated, unstated])
def test_none_of_thousands_of_honest_tables_is_called_inconsistent(papers: Written) -> None:
    assert tried(papers, range(1_000, 4_000))[0] == []
