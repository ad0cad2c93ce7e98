"""The records that pass between the stages: runs, verdicts and the whole audit, as frozen data and as JSON.
`FORMAT_VERSION` changes whenever a program that reads the older format would misread the file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from audit.json_errors import RecordError, adapter, read_record
from audit.json_errors import canonical_json as canonical_json
from audit.json_errors import digest as digest
from audit.stats.printed import Source as Source
from audit.study import Study as Study  # reports know this module alone
from audit.study import Trial as Trial
from audit.study import shown as shown

if TYPE_CHECKING:
    import pandas


FORMAT_VERSION = 1

Outcome = Literal["reproduced", "contradicted", "inconclusive"]
Scope = Literal["same_data", "other_split", "other_data"]
#: From the paper's own data to stand-ins.
SCOPES: tuple[Scope, ...] = ("same_data", "other_split", "other_data")
FindingResult = Literal["consistent", "inconsistent", "untestable"]
Status = Literal["done", "failed", "interrupted"]

#: Stands where a run of ours has its model and protocol; no model and no protocol may have this name.
IMPORTED = "imported"
#: In the records of an import, where others have the name of a file.
IN_PYTHON = "values given in Python"

#: `ExperimentRecord.not_run`: why nothing of an experiment was run.
LEFT_OUT = "left out by --only"
NOT_TUNED = "not tuned on this corpus; `audit tune` finds its settings"
NOT_YET = "it has not been run yet"
NOT_IN_STORE = "the store has no run of it"
GONE = "its runs were on record and are gone; `audit run` runs them again"
BY_COMMAND = "it has its own command, which `audit run --allow-commands` starts"

#: A value of a resolved configuration: whatever JSON can hold.
Json = Any


def _dict() -> Any:
    return field(default_factory=dict)


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines the outcome of a run. Its hash is the run's key."""

    model: str
    variant: str
    config: Mapping[str, Json]
    protocol: Mapping[str, Json]
    data: str  # Fingerprint of the prepared data: the source files' content and the recipe.
    seed: int
    precision: str = "float32"
    revision: int = 1  # Increases when a correction of the model's code changes its numbers.
    study: str = ""  # Key of the study by which `config` and `protocol` were tuned; empty where none was.
    code: str = ""  # In older records: SHA-256 of a model's file from a folder.

    @property
    def arm(self) -> str:
        """The same for all seeds of these settings: the key of seed 0, or the experiment of imported runs."""
        imported = self.model == IMPORTED
        return f"{IMPORTED} {self.config['experiment']}" if imported else replace(self, seed=0).key

    @cached_property
    def key(self) -> str:
        """Content address: SHA-256 of the canonical JSON of all fields, 32 hex digits. `variant` is left out:
        it only names `config`. So are `study` and `code` where there is none: runs from before
        there were any are found again."""
        idle = {"variant", *(name for name in ("study", "code") if not getattr(self, name))}
        content = {k: v for k, v in asdict(self).items() if k not in idle}
        return digest(content)


@dataclass(frozen=True)
class DataInfo:
    """What a run was trained and tested on."""

    name: str
    fingerprint: str  # SHA-256 of source content and recipe; equal sizes are not enough to be the same data.
    recipe: str
    n_train: int
    n_test: int
    n_labels: int
    counts: Mapping[str, float] = _dict()  # What preparation counted: dropped documents, share truncated, ...
    notes: tuple[str, ...] = ()

    @property
    def split_column(self) -> int | None:
        """Which of several splits that come with the corpus, from 0; None where there is one."""
        column = self.counts.get("split.column")
        return None if column is None else int(column)


@dataclass(frozen=True)
class Run:
    """One experiment with one seed. A failed run is a record too, with its reason."""

    key: str
    spec: RunSpec
    status: Status
    data: DataInfo
    metrics: Mapping[str, float] = _dict()  # Percent, by name (P@1, nDCG@3, ...); empty unless it is done.
    reason: str | None = None
    curve: tuple[Mapping[str, float], ...] = ()  # By epoch: loss, seconds, what was measured.
    seconds: float = 0.0
    prediction_seconds: float | None = None  # Seconds to rank the test documents; None if not measured.
    peak_memory_bytes: int | None = None
    parameters: int | None = None
    device: str = "cpu"
    threads: int | None = None
    versions: Mapping[str, str] = _dict()
    commit: str | None = None
    dirty: bool | None = None
    margins: Mapping[str, str] = _dict()  # Paper key -> hash of its margins when the run began.
    notes: tuple[str, ...] = ()
    started: str | None = None
    finished: str | None = None
    predictions: str | None = None  # Name of the npz beside the record, with the top k.
    format_version: int = FORMAT_VERSION
    predictions_sha256: str | None = None  # Of that file's bytes, 64 hex digits; None when there is none.
    sources: Mapping[str, str] = _dict()  # Part of the code -> digest of its files as planned; may be empty.
    host: str | None = None  # The machine's name; None in audits, which are passed on, and in older records.
    seal: str = ""  # `seal_of` all other fields; empty until `Store.put` writes the record.

    @property
    def imported(self) -> bool:
        """Whether others made the run and its results were read from a file; see `audit.judging.evidence`."""
        return self.spec.model == IMPORTED and self.spec.protocol.get("name") == IMPORTED

    @property
    def contradiction(self) -> str | None:
        """What does not fit the status, or None: a done run has metrics, a failed one a reason."""
        if self.status == "done":
            if self.reason is not None:
                return f"a run that is done has no reason to have failed, here {self.reason[:60]!r}"
            return None if self.metrics else "a run that is done needs metrics, and this one has none"
        if self.metrics:
            return f"a run that is {self.status} has no metrics, here {', '.join(self.metrics)[:60]}"
        if self.status == "failed" and not self.reason:
            return "a run that failed needs a reason, and this one has none"
        return None


@dataclass(frozen=True)
class Where:
    """Place in the paper's text."""

    section: str | None = None
    page: int | None = None
    label: str | None = None


@dataclass(frozen=True)
class PaperInfo:
    key: str
    title: str
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    url: str | None = None
    code_url: str | None = None
    code_commit: str | None = None


@dataclass(frozen=True)
class DatasetRecord:
    """A data set as the paper describes it."""

    id: str
    name: str
    catalogue: str | None = None  # Name by which other papers know the same collection.
    printed: Mapping[str, str] = _dict()  # Statistics as printed: train, test, labels, ...


@dataclass(frozen=True)
class Column:
    id: str
    label: str
    metric: str | None = None
    dataset: str | None = None


@dataclass(frozen=True)
class Cell:
    """One printed number, kept as the string that was printed."""

    address: str  # table.row.column
    printed: str | None  # None where the paper prints a dash or nothing.
    source: Source
    experiment: str | None = None
    copied_from: str | None = None
    metric: str | None = None
    dataset: str | None = None
    quantity: str | None = None  # What the number is, if not a metric: train, labels, training_time, ...
    unit: str | None = None
    method: str | None = None  # Name by which other papers know the method.
    mark: str | None = None  # Footnote mark or star at the number.
    sd: str | None = None  # What stands after the plus-minus sign, as printed.
    note: str | None = None  # What is known of the number from outside the paper.


@dataclass(frozen=True)
class Row:
    id: str
    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class TableRecord:
    id: str
    label: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    page: int | None = None
    runs: int | None = None  # Runs behind each number, where the paper says that they are means.
    verified: str | None = None  # Who compared every number with the page, and when; None while nobody has.


@dataclass(frozen=True)
class Deviation:
    """One difference between what was run and what the paper or its public code says."""

    what: str
    paper: str
    here: str
    why: str
    code: str | None = None
    numbers: tuple[float, float] | None = None  # In the paper and here; None unless each is one number.
    silent: bool = False  # Whether the paper says nothing about it, or not everything.
    as_set: bool = False  # Whether the experiment's settings show what was done.


@dataclass(frozen=True)
class DataStatistic:
    """One statistic of a corpus, in the paper and here."""

    name: str  # As a noun: `training documents`, `labels a document`.
    printed: str | None  # None where the paper does not print it.
    here: str | None  # With as many places as are printed; None where it was not counted.
    differs: bool = False  # Whether no way of counting gives the printed number.


@dataclass(frozen=True)
class DataSheet:
    """The corpus that an experiment was run on, beside the paper's description of its own."""

    dataset: str  # The paper's name for its data set.
    recognised: str  # What the catalogue says that the corpus is, and by what.
    content: str  # SHA-256 of the documents in this split and this order.
    partition: str  # The same in any order within the splits; empty where it is not known, as the next.
    corpus: str  # The same in any order and split.
    statistics: tuple[DataStatistic, ...]
    sizes_apart: tuple[str, ...] = ()  # Printed sizes that the corpus does not have, in words.


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment of the paper, as table rows report it, and its runs here."""

    id: str
    title: str
    model: str
    variant: str
    dataset: str
    protocol: str
    config: Mapping[str, Json]  # The configuration that was run, resolved; empty when nothing was.
    runs: tuple[Run, ...] = ()
    scope: Scope = "other_data"
    deviations: tuple[Deviation, ...] = ()
    not_run: str | None = None  # Why there is no run, in one sentence; None when there are runs.
    unjudged: tuple[Run, ...] = ()  # Imported runs beside ours, or ours beside them: shown, not judged.
    study: Study | None = None  # The search that gave its settings; None if they were not tuned.
    reading_of: str = ""  # The experiment of which this is another specification; else empty.
    reading: Mapping[str, str] = _dict()  # What the paper leaves open -> the choice made, if not the default.
    data: DataSheet | None = None  # None if it was planned on no corpus, or in older records.
    unavailable: bool = False  # It cannot be run here, as `not_run` says; else it merely was not run.
    deterministic: bool = False  # Its model declares that all seeds give one result.
    corpus_of: str = ""  # Id of another data set that the corpus is known to be: nothing is judged by it.
    short: tuple[str, ...] | None = None  # Reason codes that keep its runs from contradicting.
    sources: Mapping[str, str] = _dict()  # As `Run.sources`, of the code by which it was judged.
    gone: tuple[int, ...] = ()  # Seeds on record whose runs are gone: they decide nothing.

    @property
    def models(self) -> tuple[str, ...]:
        """The models whose fidelity its runs hang on."""
        return models_of(self.model, self.config)


def models_of(model: str, config: Mapping[str, Json]) -> tuple[str, ...]:
    """A model and the models in its configuration: `base` names one."""
    base, inner = config.get("base"), config.get("base_config")
    if not isinstance(base, str):
        return (model,)
    return (model, *models_of(base, inner if isinstance(inner, Mapping) else {}))


@dataclass(frozen=True)
class OpenChoice:
    """Something that the paper leaves open, and the choices that were declared before the runs."""

    name: str
    why: str
    choices: tuple[str, ...]  # The first is the default: the experiment as the claim file describes it.


@dataclass(frozen=True)
class Specifications:
    """What a paper leaves open: the declared grid of specifications ("multiverse")."""

    limit: Literal["full", "one_at_a_time"]  # Every combination, or the default and each single departure.
    open: tuple[OpenChoice, ...]
    of: Mapping[str, tuple[str, ...]]  # Experiment -> names of what is open in it.


@dataclass(frozen=True)
class Margin:
    value: float
    rule: str
    why: str


@dataclass(frozen=True)
class ClaimRecord:
    """One judged statement: a claim of the file for one metric."""

    id: str  # Claim id of the file, a colon, the metric: `sweep-ruins-kim:P@1`.
    claim: str  # Claim id of the file.
    kind: str
    says: str
    metric: str
    where: Where
    primary: bool = False
    cells: tuple[str, ...] = ()  # Addresses of printed cells, in the order of the kind (better before worse).
    printed: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()  # One, or two: better, worse / left, right.
    dataset: str = ""
    margin: Margin | None = None
    runs_behind: int = 1  # Runs of the paper behind one printed number; 1 unless the paper says otherwise.
    deterministic: bool = False  # Declared: every run of the experiment gives the same number.
    negligible: float = 0.1  # Order claims: a difference within this many points counts as none.
    expect: str | None = None  # Formulas: the expression that is to hold.
    details: Mapping[str, Json] = _dict()  # Keys of this kind of claim only: direction, strength, ...
    note: str | None = None  # How the sentence was interpreted, if it is ambiguous.
    fitted: bool = False  # Whether the interpretation in `note` was chosen after the table was seen.


@dataclass(frozen=True)
class Part:
    """One comparison within a claim of several: neighbours in a ranking, a method against the winner."""

    says: str  # `kim_words > kim_emb`, or `eurlex P@1: attention_xml > dismec`
    experiments: tuple[str, ...]
    estimate: float | None = None  # Difference of the means, first minus second; None where nothing was run.
    p_reproduced: float | None = None
    p_contradicted: float | None = None


@dataclass(frozen=True)
class Scatter:
    """SD over the seeds of one experiment, in points: by its own runs, and as the test takes it."""

    sd: float | None  # SD of its own runs, n - 1 in the denominator; None for fewer than two.
    moderated: float | None = None  # Shrunk towards that of the other experiments.
    prior_df: float = 0.0  # Degrees of freedom of the common variance, as used (d0).
    prior_sd: float | None = None  # The common SD, on the scale of this experiment (s0).


@dataclass(frozen=True)
class SpecificationVerdict:
    """A claim judged under one specification of what the paper leaves open; the numbers as in `Verdict`."""

    reading: Mapping[str, str]  # What is open -> the choice, if not the default.
    outcome: Outcome
    reason: str
    n: tuple[int, ...] = ()
    estimate: float | None = None
    sd: float | None = None
    ci90: tuple[float, float] | None = None
    ci95: tuple[float, float] | None = None
    p_reproduced: float | None = None
    p_contradicted: float | None = None
    p_reproduced_adjusted: float | None = None  # Beside the paper's other claims, with their largest p.
    p_contradicted_adjusted: float | None = None


class Shown:
    """Shows itself in a notebook, in the way that `audit.api` gives; without one, as text."""

    as_html: ClassVar[Callable[[Any], str] | None] = None

    def _repr_html_(self) -> str | None:
        return Shown.as_html(self) if Shown.as_html else None


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """The judgement of one claim, with every number of its derivation (points of the metric's unit). For a
    value claim `estimate` is the mean over seeds and `target` the printed number; for a comparison `estimate`
    is the difference of the two means (first minus second) and `target` is the printed difference (None when
    the table prints none). Absent numbers are None, never 0."""

    claim: str  # Id of the `ClaimRecord`.
    outcome: Outcome
    reason: str  # Reason code, e.g. `tost`, `minimum_effect`, `within_seed_spread`, `not_run`.
    scope: Scope | None = None
    n: tuple[int, ...] = ()  # Valid runs per experiment.
    attempts: tuple[int, ...] = ()  # Runs per experiment, failed ones included.
    values: tuple[tuple[float, ...], ...] = ()  # The metric per experiment and seed, in the order of `seeds`.
    seeds: tuple[tuple[int, ...], ...] = ()
    estimate: float | None = None
    target: float | None = None
    margin: float | None = None
    sd: float | None = None
    se: float | None = None
    df: float | None = None
    ci90: tuple[float, float] | None = None  # Beside `p_reproduced`: coverage 1 - 2 `level`, 90% at 5%.
    ci95: tuple[float, float] | None = None  # Beside `p_contradicted`: coverage 1 - `level`, 95% at 5%.
    pi95: tuple[float, float] | None = None  # For the mean of the paper's runs, of the same coverage.
    p_reproduced: float | None = None
    p_contradicted: float | None = None
    p_reproduced_adjusted: float | None = None
    p_contradicted_adjusted: float | None = None
    margin_reproduced_from: float | None = None  # Margins that would give it, uncorrected for other claims.
    margin_contradicted_up_to: float | None = None  # 0.0 for none.
    badges: tuple[str, ...] = ()  # Short warnings beside the verdict: `pooled SD`, `5 of 6 seeds`, ...
    medians: tuple[float | None, ...] = ()  # Convergence: epochs of each side to the target; None if never.
    parts: tuple[Part, ...] = ()  # Comparisons of a ranking, trend, optimum or dominance claim.
    level: float = 0.05  # Level of the test: the look's share of the 5%.
    look: int = 0  # Which of the looks gave the verdict, from 1; 0 where none is on record.
    margin_reproduced_up_to: float | None = None  # Of kinds that a small margin reproduces; 0.0 for none.
    margin_contradicted_from: float | None = None  # Of the same kinds; 0.0 for every margin.
    readings: tuple[SpecificationVerdict, ...] = ()
    """One for each specification that was run, the default first; empty where only the default was. With them
    the p-values above are the largest over all, and the other numbers those of the default."""
    readings_declared: int = 0  # Declared readings of what the paper leaves open; 0 if nothing is.
    barred: str | None = None  # Code for why the runs cannot contradict, whatever they give: `stand_in`.
    scatter: tuple[Scatter, ...] = ()  # Of each experiment.
    by_own_spread: Outcome | None = None  # The outcome with unmoderated variances; None if all are.
    kappa: float | None = None  # SD ratio, the paper's runs to ours, at which a contradiction would vanish.
    last_n: tuple[int, ...] = ()  # Runs at the last look, where an earlier one decided.
    last_estimate: float | None = None  # By these.

    @property
    def tested(self) -> bool:
        """Whether any run tested the claim."""
        return self.reason not in UNTESTED

    def __str__(self) -> str:
        """`kim:P@1: reproduced (direction); measured 50.13 points (96% interval 47 to 53), printed 30`."""
        said = f"{self.claim}: {self.outcome if self.tested else 'not tested'} ({self.reason})"
        if self.estimate is None or not self.tested:
            return said
        said += f"; measured {self.estimate:.2f}{' points' if ':' in self.claim else ''}"
        if self.ci95:
            said += f" ({100 - 100 * self.level:g}% interval {self.ci95[0]:.2f} to {self.ci95[1]:.2f})"
        return said if self.target is None else f"{said}, printed {self.target:.2f}"

    def __repr__(self) -> str:
        return f"<Verdict {self}>"


@dataclass(frozen=True)
class Estimate:
    """A difference in points with its error."""

    se: float
    df: float | None  # None where it is infinite.
    ci95: tuple[float, float]


@dataclass(frozen=True)
class SeedPair:
    """One run of each arm on the same documents, for P@1."""

    seeds: tuple[int, int]
    first_only: int  # Documents that only the first side gets right.
    second_only: int
    p: float  # Exact two-sided McNemar.


@dataclass(frozen=True)
class InstanceEvidence:
    """What single test documents say about a comparison; shown beside the verdict, never part of it."""

    documents: int  # N
    difference: float  # Of the means over documents and seeds, first minus second, in points.
    sd_documents: float  # SD over documents of the difference of the sides' means over seeds, in points.
    these: Estimate | None  # On these documents only seeds vary; None with one seed on a side.
    new: Estimate | None  # On new documents of their kind: se^2 of `these` + sd_documents^2 / N.
    pairs: tuple[SeedPair, ...] = ()  # Pairs of seeds of both sides; for P@1 only.


@dataclass(frozen=True)
class Settling:
    """What it would take to settle an open claim, if means and spread stay as they are now."""

    text: str  # `6 seeds, 0.4 h on a GPU`, or why there is no such number.
    reproduce: tuple[int | None, int | None] = (None, None)  # Seeds per side for 80 and 90% power.
    contradict: tuple[int | None, int | None] = (None, None)
    seeds: int | None = None  # Seeds per side for 80% power to reproduce or contradict.
    missing: Mapping[str, int] = _dict()  # Experiment -> missing runs for `seeds`.
    seconds: float | None = None  # Seconds of those runs, by the run records; None if unknown.
    device: str | None = None  # CPU or GPU.


@dataclass(frozen=True)
class Share:
    """The share of decided claims that were reproduced, with Wilson's 95% interval."""

    reproduced: int
    decided: int
    interval: tuple[float, float]  # Of the claims counted once: one comparison under two names is one.
    once: tuple[int, int] | None = None  # Reproduced and decided, counted so; None in older records.


@dataclass(frozen=True, repr=False)
class Finding:
    """Result of a check that needs no run: what printed numbers and sentences say about each other."""

    check: str  # Name of the check: granularity, identity, sentence, ...
    result: FindingResult  # `inconsistent`: cannot all be what they are said to be; `untestable`: not told.
    cells: tuple[str, ...]  # Addresses, as table.row.column; of another paper with its key and a colon.
    arithmetic: str  # The check with its numbers filled in.
    alternatives: tuple[str, ...] = ()  # Innocent explanations to consider before any conclusion.
    id: str = ""  # Stable name: paper, check and subject.
    weight: int = 1  # Strength of an inconsistency of this sort, 1 to 5; see `audit.checks.tables`.
    power: float | None = None  # Chance that the check sees a wrong last digit; None if meaningless.
    claim: str | None = None  # Id of the claim that was compared with the tables.
    says: str | None = None  # The claim in our words, not the paper's.
    where: str = ""  # Where the claim stands in the text, or the tables in which the cells stand.
    note: str | None = None  # How the sentence was interpreted.
    detail: str = ""  # Further steps of the arithmetic, for readers who check it.
    source: str = ""  # Whose numbers: empty for the paper's own text, `code_readme` for its public code's.
    verified: bool = False  # Whether somebody compared all of these cells with the printed page.

    def __repr__(self) -> str:
        return f"<Finding {self.id}: {self.result}: {self.arithmetic}>"

    def part(self, papers: Collection[str]) -> Literal["own", "between", "readme"]:
        """Whether it is about a paper alone, about it and another of `papers`, or about its code's README."""
        if self.check == "copies" or any(cell.partition(":")[0] in papers for cell in self.cells):
            return "between"
        return "readme" if self.source else "own"


#: Reasons for which a claim is *not tested*: no run spoke to it, or only runs on other data. Its record says
#: `inconclusive`, as the statistics do; counts and tables keep it apart from what the seeds left open.
UNTESTED = (
    *("not_run", "run_failed", "other_data", "not_measured"),
    *("absolute_cost", "no_sizes", "counted_exactly"),
)


def untested(tables: Iterable[TableRecord], findings: Iterable[Finding]) -> tuple[str, ...]:
    """Labels of the tables in which no check could test a number."""
    tested = {
        cell.partition(".")[0]
        for finding in findings
        if finding.result != "untestable"
        for cell in finding.cells
    }
    return tuple(dict.fromkeys(table.label for table in tables if table.id not in tested))


@dataclass(frozen=True)
class FidelityCheck:
    """One check of our implementation, passed or not; all must pass before it may contradict a claim."""

    model: str
    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Look:
    """One judgement of the claims while seeds were being added: an interim look."""

    seeds: int  # Of each experiment at most.
    level: float  # Of each test at this look.
    declared: tuple[int, ...] = ()  # Looks declared together, as numbers of seeds; empty for none.
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """`RunSpec.arm` -> keys of the runs that it saw, of experiments with runs that no earlier look saw."""

    def is_same(self, other: Look, before: Iterable[Look] = ()) -> bool:
        """Whether the other, taken later, is one look with this: as many seeds, of no experiment other runs.
        An experiment that looks `before` this one saw, and this one with no new runs, must not have grown."""
        alike = all(other.runs.get(arm, keys) == keys for arm, keys in self.runs.items())
        grew = any(arm in it.runs for it in before for arm in other.runs.keys() - self.runs.keys())
        declared = bool(self.declared) == bool(other.declared)
        return self.seeds == other.seeds and declared and alike and not grew

    def joined(self, other: Look) -> Look:
        """With what the other one saw of further experiments."""
        return replace(self, runs={**other.runs, **self.runs})


@dataclass(frozen=True)
class SplitVerdict:
    """A printed number judged under one reading of "the split": alone, at the full level, points. The test is
    that of value claims; no correction is made for other claims, metrics or the other reading."""

    outcome: Outcome
    reason: str  # Reason code, as of a verdict.
    n: int  # Columns behind it, one run each.
    difference: float  # Mean over the columns minus the printed number.
    margin: float | None  # That of the claim.
    se: float | None = None  # Of the mean, under this reading.
    df: float | None = None
    p_reproduced: float | None = None
    p_contradicted: float | None = None


@dataclass(frozen=True)
class SplitNoise:
    """One metric of one experiment over several splits of one corpus, and what it says of a printed number.
    Runs on different splits are not seeds of each other: each column is judged alone, and none of this
    enters a claim's verdict."""

    experiment: str
    metric: str
    columns: tuple[int, ...]  # Splits of which there is a run with the first seed.
    values: tuple[float, ...]  # One for each, in percent.
    attempts: int  # Splits that were tried.
    column: int | None  # The split that was run with several seeds; None where that failed.
    seeds: tuple[int, ...]
    seed_values: tuple[float, ...]  # One for each of `seeds`, on `column`.
    mean: float  # Over the columns.
    sd_columns: float | None = None  # SD between columns: split noise and seed noise. None with one.
    sd_seeds: float | None = None  # Between seeds on `column`. None with one.
    sd_split: float | None = None  # Of the split alone: sqrt(max(0, sd_columns^2 - sd_seeds^2)).
    pi95_column: tuple[float, float] | None = None  # For one run on one more random split.
    ci95_columns: tuple[float, float] | None = None  # For the mean over these columns: seeds alone.
    pi95_mean: tuple[float, float] | None = None  # For that of one other run on each of these.
    printed: str | None = None  # What the paper prints, on a split that need not be any of these.
    claim: str | None = None  # Id of the value claim about it, which gives the margin; None: not judged.
    as_one_split: SplitVerdict | None = None  # As one run on one unknown split, of which each column is one.
    as_mean: SplitVerdict | None = None  # As the mean of one run on each column: seeds alone are noise.
    readings_declared: int = 0  # As in `Verdict`.


@dataclass(frozen=True)
class SplitStudy:
    """All metrics of all experiments of a paper over the split columns of one corpus."""

    paper: str
    corpus: str
    command: str
    noise: tuple[SplitNoise, ...]
    runs: Mapping[str, tuple[str, ...]]  # Experiment -> keys of its runs, by column and seed.
    failed: int = 0
    left_out: tuple[str, ...] = ()  # Columns that are missing, and why, one sentence each.
    format_version: int = FORMAT_VERSION


@dataclass(frozen=True)
class Untranscribed:
    """A table or figure of the paper that the claim file does not hold."""

    label: str
    why: str


@dataclass(frozen=True)
class AuthorResponse:
    """What the authors said, unabridged."""

    asked: str  # Day on which they were asked: 2026-11-28.
    answered: str | None = None  # Day of the answer; None while there is none.
    answer: str | None = None  # Verbatim.
    effect: str | None = None  # What it changed in this audit.


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """The whole audit of one paper, from which a report is made."""

    paper: PaperInfo
    tables: tuple[TableRecord, ...]
    experiments: tuple[ExperimentRecord, ...]
    claims: tuple[ClaimRecord, ...]
    verdicts: tuple[Verdict, ...]  # One per claim, in the order of `claims`.
    findings: tuple[Finding, ...] = ()
    fidelity: tuple[FidelityCheck, ...] = ()
    margins_hash: str = ""
    margins_superseded: Mapping[str, str] = _dict()
    """Hashes of earlier margins whose runs a newly declared audit takes over, with the reason."""
    margins_grown: Mapping[str, tuple[str, ...]] = _dict()
    """Hashes of earlier margins under which runs began and of which every claim stands as it was -> claims
    that were added since: stated after the runs."""
    test_sizes: Mapping[str, int] = _dict()  # Data set id -> test documents that the paper prints.
    command: str = ""  # The command that makes this audit again.
    tool_version: str = ""
    created: str = ""  # Time of the newest run record, ISO 8601; empty when there is none. Never the clock.
    not_checked: tuple[str, ...] = ()  # One sentence for each thing the audit left out.
    looks: tuple[Look, ...] = ()
    """All looks at these runs: each claim has the verdict of the first that decided it, by seeds up to it."""
    earlier: Mapping[str, tuple[Outcome, int]] = _dict()
    """Claim id -> how an earlier judgement of this store first decided it, and how many claims could be
    tested then, where it comes out otherwise now."""
    about_looks: tuple[str, ...] = ()  # How the looks share the level, and which runs wait: a sentence each.
    instances: Mapping[str, InstanceEvidence] = _dict()  # Claim id -> evidence from single documents.
    settling: Mapping[str, Settling] = _dict()  # Claim id -> what would settle it; the cheapest first.
    share: Share | None = None  # None where nothing was decided.
    splits: SplitStudy | None = None  # All split columns of the corpus; the verdicts are of this one.
    readings: Specifications | None = None
    """What the paper leaves open, None if nothing is declared; verdicts and experiments have the outcomes."""
    transcription: str = ""  # How the numbers came into the claim file, and how that was checked.
    missing: tuple[Untranscribed, ...] = ()  # Tables and figures of the paper that are not among `tables`.
    papers_beside: tuple[str, ...] = ()  # Keys of the papers that this one was compared with.
    author_response: AuthorResponse | None = None  # None while nobody is on record to have asked the authors.
    format_version: int = FORMAT_VERSION
    seal: str = field(default="", compare=False)  # Digest of all other keys; empty in older records.

    @property
    def counts(self) -> str:
        """`38 reproduced, 0 contradicted, 17 inconclusive, 120 not tested`."""
        of = [verdict.outcome if verdict.tested else "not tested" for verdict in self.verdicts]
        names = ("reproduced", "contradicted", "inconclusive", "not tested")
        return ", ".join(f"{of.count(name)} {name}" for name in names)

    def __str__(self) -> str:
        return f"{self.paper.key}: {self.counts}"

    def __repr__(self) -> str:
        return f"<Audit of {self}>"

    def to_frame(self) -> pandas.DataFrame:
        """The verdicts as a pandas table, a row for each claim and metric. `outcome` is one of `reproduced`,
        `contradicted`, `inconclusive` and `not_tested`."""
        import pandas

        of_claim, of_verdict = "claim metric kind dataset", "reason scope"
        rows = [
            {
                **{name: getattr(claim, name) for name in of_claim.split()},
                "outcome": verdict.outcome if verdict.tested else "not_tested",
                **{name: getattr(verdict, name) for name in of_verdict.split()},
                "printed": ", ".join(claim.printed),
                **{name: getattr(verdict, name) for name in ("estimate", "target", "margin")},
                **dict(zip(("low", "high"), verdict.ci95 or (None, None), strict=True)),
                "p_reproduced": verdict.p_reproduced_adjusted,
                "p_contradicted": verdict.p_contradicted_adjusted,
                "level": verdict.level,
                "runs": sum(verdict.n),
                "says": claim.says,
            }
            for claim, verdict in zip(self.claims, self.verdicts, strict=True)
        ]
        return pandas.DataFrame(rows)

    def runs_frame(self) -> pandas.DataFrame:
        """The evidence as a pandas table, a row for each run and metric, ours and imported; percent. A run
        without a metric, as a failed one, has one row with neither metric nor value."""
        import pandas

        rows = [
            {
                "experiment": record.reading_of or record.id,
                "origin": "imported" if run.imported else "ours",
                "scope": record.scope,
                "split": run.data.split_column,
                "specification": ", ".join(f"{name}: {it}" for name, it in record.reading.items()),
                "seed": run.spec.seed,
                "status": run.status,
                "metric": metric,
                "value": value,
                "judged": judged,
                "run": run.key,
            }
            for record in self.experiments
            for runs, judged in ((record.runs, True), (record.unjudged, False))
            for run in runs
            for metric, value in run.metrics.items() or [(None, None)]
        ]
        names = "experiment origin scope split specification seed status metric value judged run"
        return pandas.DataFrame(rows, columns=names.split())


def comparison(claim: ClaimRecord, verdict: Verdict) -> str:
    """Two claims with this in common are one: same arms, and metric or one that is its like. Arms are the
    same that have the same numbers. That one arm is better, better by so much, or significantly better is one
    difference asked about in several ways, and no further evidence."""
    arms: list[Any] = [list(it) for it in verdict.values] or list(claim.experiments)
    metric = comparable_metric(claim)
    # two arms in a metric, but for epochs to a score
    if len(claim.experiments) == 2 and metric and "target" not in claim.details:
        return canonical_json([arms, metric])
    printed_too = claim.printed if len(claim.experiments) == 1 else ()
    margin = claim.margin.value if claim.margin else None
    return canonical_json([claim.kind, arms, metric, margin, printed_too, claim.details])


def comparable_metric(claim: ClaimRecord) -> str:
    """Of one place nDCG and P are the same number, since one label has no order."""
    return "P@1" if claim.metric == "nDCG@1" else claim.metric


def alike(first: Any, second: Any) -> bool:
    """Whether they are equal, but for the last digits of numbers, which another order of a sum moves."""
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(alike, first, second))
    if is_dataclass(first) and type(first) is type(second):
        return alike(tuple(vars(first).values()), tuple(vars(second).values()))
    return bool(first == second)


def seal_of(content: Mapping[str, Json]) -> str:
    """The seal of a record's JSON: the digest of all its keys but `seal`. It detects accidents, not
    forgery."""
    return digest({name: value for name, value in content.items() if name != "seal"})


def sealed(run: Run) -> Run:
    """The run as it is read back, with its seal. Raises `ValueError` when it holds what JSON cannot."""
    run = run_from_json(json.dumps(_plain(run), allow_nan=False))  # whole numbers become floats, as when read
    return replace(run, seal=seal_of(json.loads(json.dumps(_plain(run)))))


def _plain(run: Run) -> dict[str, Any]:
    content: dict[str, Any] = adapter(Run).dump_python(run, warnings=False)  # in a twelfth of asdict's time
    return content


def to_json(record: Run | Audit) -> str:
    """The record as indented JSON with a stable key order; an audit with its seal."""
    content = _plain(record) if isinstance(record, Run) else asdict(record)
    if isinstance(record, Audit):
        content["seal"] = seal_of(json.loads(json.dumps(content, allow_nan=False)))
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def run_from_json(text: str) -> Run:
    """Raises `RecordError`, a `ValueError`, naming the key when `text` is not a run record."""
    run: Run = read_record(Run, text)
    if run.contradiction:
        raise RecordError(run.contradiction)
    return run


def audit_from_json(text: str) -> Audit:
    """Raises `RecordError`, a `ValueError`, naming the key when `text` is not an audit."""
    audit: Audit = read_record(Audit, text)
    return audit
