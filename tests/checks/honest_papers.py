"""Honest papers at random: tables of simulated runs, printed rounded, and papers that copy from each other.

What is not printed is kept: `Draft.exact` has the number behind each cell, so that `honest_sentences` can
state what is true of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy import stats

from audit.checks import Sheet
from audit.record import DatasetRecord, TableRecord
from tests.checks.honest_runs import (
    Collection,
    Hits,
    Method,
    better,
    collection,
    in_print,
    mean,
    method,
    metrics,
    runs,
)
from tests.checks.made import Of, data_set, paper, table

METRICS = ("P@1", "P@3", "P@5", "nDCG@1", "nDCG@3", "nDCG@5")
RULES = ("half_up", "half_even", "cut")


@dataclass
class Draft:
    """A paper being written."""

    rng: np.random.Generator
    key: str
    rule: str
    states_runs: bool = True
    """Whether it says how many runs are behind its numbers."""
    datasets: list[DatasetRecord] = field(default_factory=list)
    tables: list[TableRecord] = field(default_factory=list)
    exact: dict[str, Fraction] = field(default_factory=dict)
    """Address to the number before it was rounded, in the unit in which it is printed."""
    hits: dict[str, tuple[Hits, ...]] = field(default_factory=dict)
    """Address to the runs behind it."""
    lines: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    """Table, data set and metric to addresses, one a method."""
    methods: dict[str, str] = field(default_factory=dict)
    """Address to method."""
    sweeps: list[list[str]] = field(default_factory=list)
    times: dict[str, Fraction] = field(default_factory=dict)
    """Address to hours."""

    def stated(self, seeds: int) -> int | None:
        """The key `runs` of a table of so many."""
        return seeds if self.states_runs else None

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def print_(self, value: Fraction, decimals: int, *, commas: bool = False) -> str:
        return in_print(value, decimals, self.rule, commas=commas)

    def sheet(self, says: tuple = ()) -> Sheet:  # type: ignore[type-arg]
        return paper(*self.tables, key=self.key, datasets=self.datasets, says=says)


@dataclass(frozen=True)
class Setting:
    """What several papers share: collections, methods, and the runs of each method on each collection."""

    collections: tuple[Collection, ...]
    methods: tuple[Method, ...]
    runs: dict[tuple[str, str], tuple[Hits, ...]]
    over_k: bool
    single: bool

    def values(self, method: str, on: Collection, seeds: int) -> dict[str, Fraction]:
        """Means over the first runs."""
        each = [
            metrics(hits, on, over_k=self.over_k, single=self.single)
            for hits in self.runs[method, on.name][:seeds]
        ]
        return {name: mean([values[name] for values in each]) for name in METRICS}


def setting(rng: np.random.Generator) -> Setting:
    collections = tuple(collection(rng, f"set{i}") for i in range(int(rng.integers(1, 4))))
    methods = [method(rng, f"m{i}") for i in range(int(rng.integers(2, 6)))]
    methods.append(better(methods[0], "ours", float(rng.choice([0.0, 0.002, 0.01, 0.1]))))
    methods += [better(methods[0], f"level{i}", 0.01 * i) for i in range(int(rng.integers(2, 5)))]
    drawn = {(it.name, on.name): runs(rng, on, it, 4) for it in methods for on in collections}
    over_k, single = (bool(it) for it in rng.random(2) < (0.2, 0.2))
    return Setting(collections, tuple(methods), drawn, over_k, single)


# --------------------------------------------------------------------------- tables


def describe(draft: Draft, of: Setting) -> None:
    """Sizes and means as printed, with or without a validation part, counted in one way or another."""
    for on in of.collections:
        train, decimals = len(on.train), int(draft.rng.integers(0, 4))
        commas = draft.chance(0.7)
        pairs = int(on.train.sum())
        counted, documents = (
            (pairs, train) if draft.chance(0.6) else (pairs + int(on.test.sum()), train + on.documents)
        )
        occurring = on.labels if draft.chance(0.7) else int(on.labels * draft.rng.uniform(0.3, 1)) or 1
        printed = {
            "train": draft.print_(Fraction(train), 0, commas=commas),
            "test": draft.print_(Fraction(on.documents), 0, commas=commas),
            "labels": draft.print_(Fraction(on.labels), 0, commas=commas),
            "labels_per_document": draft.print_(Fraction(counted, documents), decimals),
            "documents_per_label": draft.print_(Fraction(counted, occurring), decimals),
        }
        if draft.chance(0.2):
            held_out = train // 10
            printed["train"] = draft.print_(Fraction(train - held_out), 0, commas=commas)
            printed["validation"] = draft.print_(Fraction(held_out), 0, commas=commas)
        if draft.chance(0.2):
            printed |= {name: _roughly(draft, printed[name]) for name in ("train", "test", "labels")}
        kept = {name: text for name, text in printed.items() if name == "test" or draft.chance(0.9)}
        catalogue = on.name if draft.chance(0.9) else None
        draft.datasets.append(data_set(f"{draft.key}-{on.name}", catalogue, **kept))
    quantities = ("train", "test", "labels")
    rows: dict[str | Of, list[str | Of | None]] = {
        Of(id=it.id, dataset=it.id): [it.printed.get(name) for name in quantities] for it in draft.datasets
    }
    columns = [Of(id=name, quantity=name) for name in quantities]
    draft.tables.append(table(columns, rows, id="sizes", dataset=None, source="stated"))


def _roughly(draft: Draft, text: str) -> str:
    """Two digits of it: 3,000 or about 3,000 for 2,987, and 3.0K."""
    value = int(text.replace(",", ""))
    unit = 10 ** max(len(str(value)) - 2, 0)
    rounded = (value + unit // 2) // unit * unit
    words = [f"{rounded:,}", f"about {rounded:,}", f"~{rounded}"]
    if rounded >= 1_000 and rounded % 100 == 0:
        words.append(f"{rounded / 1_000:.1f}K")
    return str(draft.rng.choice(words)) if value > 100 else text


def scores(draft: Draft, of: Setting, id: str, *, seeds: int, copied: dict[str, Draft] | None = None) -> None:
    """A table of methods and metrics on all data sets, as it is or turned; some ranks, spreads and dashes."""
    copied = copied or {}
    names = ["P@1", "P@3", "P@5"] if draft.chance(0.4) else [it for it in METRICS if draft.chance(0.85)]
    methods = [it.name for it in of.methods if not it.name.startswith("level")]
    decimals, mixed = int(draft.rng.integers(1, 5)), draft.chance(0.15)
    fraction = not copied and draft.chance(0.1)
    spread = seeds > 1 and draft.chance(0.5)
    dash = 0.05 if draft.chance(0.5) else 0.0
    subjects = [(on, f"{draft.key}-{on.name}", name) for on in of.collections for name in names]
    cells: dict[tuple[str, int], Of | None] = {}
    exact: dict[tuple[str, int], Fraction] = {}
    for it in methods:
        for place, (on, _, name) in enumerate(subjects):
            source = copied.get(it)
            if source is not None:
                theirs = _copy_of(draft, source, it, on, name, decimals)
                if theirs is not None:
                    cells[it, place], exact[it, place] = theirs
                continue
            if draft.chance(dash):
                continue
            value = of.values(it, on, seeds)[name] / (100 if fraction else 1)
            digits = decimals + 2 * fraction - int(mixed and draft.chance(0.3))
            sd = draft.print_(Fraction(1, 3), 2) if spread else None
            cells[it, place] = Of(printed=draft.print_(value, digits), sd=sd)
            exact[it, place] = value
    _set(draft, of, id, methods, subjects, cells, exact, seeds=seeds, fraction=fraction, copied=copied)


def _copy_of(
    draft: Draft, source: Draft, method: str, on: Collection, metric: str, decimals: int
) -> tuple[Of, Fraction] | None:
    """The number as the source prints it, or with fewer digits; nobody here knows more of it."""
    line = source.lines.get(("t1", f"{source.key}-{on.name}", metric), [])
    held = [address for address in line if source.methods[address] == method]
    if not held:
        return None
    cell = next(c for t in source.tables for r in t.rows for c in r.cells if c.address == held[0])
    value = Fraction(str(cell.printed)) * (100 if cell.unit == "fraction" else 1)
    digits = len(str(cell.printed).partition(".")[2]) - (2 if cell.unit == "fraction" else 0)
    digits = max(min(digits, decimals), 0)
    return Of(printed=draft.print_(value, digits)), Fraction(draft.print_(value, digits))


def _set(
    draft: Draft,
    of: Setting,
    id: str,
    methods: list[str],
    subjects: list[tuple[Collection, str, str]],
    cells: dict[tuple[str, int], Of | None],
    exact: dict[tuple[str, int], Fraction],
    *,
    seeds: int,
    fraction: bool,
    copied: dict[str, Draft],
) -> None:
    """Methods down or across."""
    unit = "fraction" if fraction else "percent"
    about = {
        it: Of(id=it, method=it, source="copied", copied_from=copied[it].key)
        if it in copied
        else Of(id=it, method=it)
        for it in methods
    }
    places = [Of(id=f"c{i}", metric=m, dataset=d, unit=unit) for i, (_, d, m) in enumerate(subjects)]
    rank = Of(id="rank", quantity="average_rank", dataset="")
    ranks = _ranks(draft, methods, subjects, exact) if draft.chance(0.5) else {}
    turned = draft.chance(0.4)
    if turned:
        rows = {place: [cells.get((it, i)) for it in methods] for i, place in enumerate(places)}
        if ranks:
            rows[rank] = [ranks.get(it) for it in methods]  # type: ignore[misc]
        made = table(list(about.values()), rows, id=id, runs=draft.stated(seeds))  # type: ignore[arg-type]
    else:
        columns = [*places, rank] if ranks else places
        body = {about[it]: [cells.get((it, i)) for i in range(len(places))] for it in methods}
        for it in methods:
            if ranks:
                body[about[it]].append(ranks.get(it))  # type: ignore[arg-type]
        made = table(columns, body, id=id, runs=draft.stated(seeds))  # type: ignore[arg-type]
    draft.tables.append(made)
    for (it, i), value in exact.items():
        on, dataset, metric = subjects[i]
        address = f"{id}.c{i}.{it}" if turned else f"{id}.{it}.c{i}"
        draft.exact[address], draft.methods[address] = value, it
        draft.lines.setdefault((id, dataset, metric), []).append(address)
        if it not in copied:
            draft.hits[address] = of.runs[it, on.name][:seeds]


def _ranks(
    draft: Draft,
    methods: list[str],
    subjects: list[tuple[Collection, str, str]],
    exact: dict[tuple[str, int], Fraction],
) -> dict[str, str]:
    """Average ranks of the numbers before rounding, over all lines or those of one metric or data set."""
    part = draft.rng.integers(3)
    named = subjects[int(draft.rng.integers(len(subjects)))]
    kept = [
        i
        for i, it in enumerate(subjects)
        if part == 0 or (part == 1 and it[2] == named[2]) or (part == 2 and it[1] == named[1])
    ]
    rule = str(draft.rng.choice(["average", "min", "max", "dense", "ordinal"]))
    last = draft.chance(0.5)
    found: dict[str, list[float]] = {it: [] for it in methods}
    for i in kept:
        shown = [it for it in methods if (it, i) in exact or last]
        values = [-float(exact.get((it, i), Fraction(-1))) for it in shown]
        if any((it, i) in exact for it in methods):
            for it, place in zip(shown, stats.rankdata(values, method=rule), strict=True):
                found[it].append(float(place))
    if not kept:
        return {}
    return {
        it: draft.print_(Fraction(sum(places)) / len(places), int(draft.rng.integers(1, 4)))
        for it, places in found.items()
        if places
    }


def sweep(draft: Draft, of: Setting, *, seeds: int) -> None:
    """One method with several settings on one data set; its default stands in the table before, too."""
    on = of.collections[0]
    dataset = f"{draft.key}-{on.name}"
    levels = ["m0", *(it.name for it in of.methods if it.name.startswith("level"))]
    decimals = int(draft.rng.integers(1, 4))
    rows: dict[str | Of, list[str | Of | None]] = {}
    for it in levels:
        values = of.values(it, on, seeds)
        row = Of(id=it, method="m0", experiment=f"{it}-{dataset}")
        rows[row] = [draft.print_(values[name], decimals) for name in METRICS[:3]]
        for name in METRICS[:3]:
            address = f"t3.{it}.{name}"
            draft.exact[address], draft.methods[address] = values[name], "m0"
            draft.hits[address] = of.runs[it, on.name][:seeds]
    made = table(METRICS[:3], rows, id="t3", dataset=dataset, runs=draft.stated(seeds))
    draft.tables.append(made)
    draft.sweeps += [[f"t3.{it}.{name}" for it in levels] for name in METRICS[:3]]


def times(draft: Draft, of: Setting) -> None:
    """Hours or minutes, row by row, on one data set; the rows name methods and perhaps no experiments."""
    rows: dict[str | Of, list[str | Of | None]] = {}
    plain = draft.chance(0.5)
    for it in of.methods:
        hours = Fraction(float(draft.rng.lognormal(0, 2)))
        minutes = draft.chance(0.3)
        name = {} if plain else {"method": it.name}
        row = Of(id=it.name, unit="minutes" if minutes else "hours", **name)  # type: ignore[arg-type]
        rows[row] = [draft.print_(hours * (60 if minutes else 1), int(draft.rng.integers(0, 3)))]
        draft.times[f"cost.{it.name}.time"] = hours
    dataset = f"{draft.key}-{of.collections[0].name}"
    draft.tables.append(table([Of(id="time", quantity="training_time")], rows, id="cost", dataset=dataset))


# --------------------------------------------------------------------------- papers


def drafts(rng: np.random.Generator, *, prefix: str = "") -> list[Draft]:
    """One to three papers on the same collections: the second copies from the first, the third from it."""
    of = setting(rng)
    found: list[Draft] = []
    for i in range(int(rng.integers(1, 4))):
        rule = str(rng.choice(RULES, p=[0.45, 0.45, 0.1]))
        draft = Draft(rng, f"{prefix}paper{i}", rule, states_runs=bool(rng.random() < 0.4))
        describe(draft, of)
        seeds = int(rng.choice([1, 1, 3, 4]))
        copied = {"m0": found[-1], "m1": found[-1]} if found and draft.chance(0.8) else {}
        scores(draft, of, "t1", seeds=seeds, copied=copied)
        other = 1 if seeds > 1 or draft.chance(0.5) else 3  # not told apart where nothing is said of runs
        scores(draft, of, "t2", seeds=other if draft.states_runs else seeds)
        sweep(draft, of, seeds=seeds)
        times(draft, of)
        found.append(draft)
    return found


def unstated(rng: np.random.Generator) -> list[Sheet]:
    """One table of means over runs or folds, of ensembles or of single runs, and not a word on which it is.

    The size of the test set is printed as it is or rounded; another paper may print another size.
    """
    on, rows = collection(rng, "set"), {}
    behind = str(rng.choice(["one", "runs", "folds", "ensemble"]))
    decimals, rule = int(rng.choice([1, 2, 2, 2, 3])), str(rng.choice(RULES, p=[0.45, 0.45, 0.1]))
    for i in range(int(rng.integers(1, 12))):
        drawn = runs(rng, on, method(rng, f"m{i}"), 1 if behind == "one" else int(rng.integers(2, 6)))
        if behind == "ensemble":
            drawn = (np.sum(drawn, axis=0) * 2 > len(drawn),)
        folds = np.array_split(np.arange(on.documents), 10) if behind == "folds" else [slice(None)]
        values = [
            metrics(hits[part], Collection(on.name, on.train, on.test[part], on.labels))
            for hits in drawn
            for part in folds
        ]
        printed = {name: in_print(mean([it[name] for it in values]), decimals, rule) for name in METRICS}
        rows[f"m{i}"] = [printed[name] for name in METRICS]
    draft = Draft(rng, "unstated", rule)
    size = f"{on.documents:,}"
    held = data_set("set", "set", test=size if draft.chance(0.6) else _roughly(draft, size))
    other = data_set("set", "set", test=f"{max(on.documents + int(rng.integers(-60, 60)), 10):,}")
    written = [paper(table(METRICS, rows, dataset="set"), key="unstated", datasets=[held])]
    return written + [paper(key="other", datasets=[other])] * draft.chance(0.7)
