"""What a search for settings was, as frozen data: its question, its trials and its answer. Runs that use its
best values name it by its key; its number of trials may grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from audit.json_errors import digest

STUDY_FORMAT = 2

#: A value of a setting: whatever JSON can hold.
Json = Any
TrialState = Literal["done", "pruned", "failed"]


@dataclass(frozen=True)
class SearchRange:
    """One setting that is tuned: an interval, or some values."""

    name: str  # config.margin, training.learning_rate
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[Json, ...] = ()

    def __str__(self) -> str:
        if self.choices:
            return "one of " + ", ".join(str(choice) for choice in self.choices)
        return f"{self.low:g} to {self.high:g}" + (", by logarithm" if self.log else "")


@dataclass(frozen=True)
class StudySpec:
    """Everything that determines a trial, except its values."""

    model: str
    config: Mapping[str, Json]  # Configuration of every trial, except the tuned keys.
    training: Mapping[str, Json]  # Protocol of every trial, except the tuned keys.
    space: tuple[SearchRange, ...]
    data: str  # Fingerprint of the training documents with those held out.
    metric: str
    sampler: str
    pruner: str
    seed: int = 0  # Seed of the proposals and of every trial's training.
    precision: str = "float32"
    revision: int = 1  # Of the model's code.
    code: str = ""  # Of a model from a folder: what its file holds, as in a run's specification.

    @property
    def key(self) -> str:
        """Content address, 32 hex digits; studies from before models had a `code` are found again."""
        return digest({name: value for name, value in asdict(self).items() if name != "code" or value})


@dataclass(frozen=True)
class Trial:
    """One training with one set of values."""

    number: int
    state: TrialState  # pruned: ended early for its low scores.
    values: Mapping[str, Json]  # By the names of the ranges.
    score: float | None = None  # Percent, on the documents held out; of a pruned trial, the last one.
    epochs: float | None = None  # That were trained; None for a model without.
    seconds: float = 0.0
    reason: str | None = None  # Why it failed or was pruned.

    def shown(self, name: str) -> str:
        """One of its values, to be read."""
        return number(self.values[name])


@dataclass(frozen=True)
class Study:
    """A finished search, whose budget is spent."""

    key: str
    spec: StudySpec
    protocol: str  # Name of the tuning protocol.
    trials: tuple[Trial, ...]
    wanted: int  # Trials that were asked for.
    seconds: float  # Of all trials together.
    data: str  # Name of the corpus.
    validation: str  # Which documents were held out, and from how many.
    n_train: int
    n_validation: int
    timeout: float | None = None  # Seconds after which no trial started.
    device: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # What we chose, and how the search is reduced.
    finished: str | None = None  # When the last trial was over, ISO 8601.
    format_version: int = STUDY_FORMAT
    seal: str = ""

    @property
    def best(self) -> Trial | None:
        """The finished trial with the highest score, the first of equals; None where none has one."""
        done = [trial for trial in self.trials if trial.state == "done" and trial.score is not None]
        return max(done, key=lambda trial: (trial.score or 0.0, -trial.number), default=None)

    @property
    def summary(self) -> str:
        """`tuned: 40 trials (12 pruned, 1 failed), best P@1 61.22 with balance 0.012, margin 0.08`"""
        best = self.best
        states = [trial.state for trial in self.trials]
        rest = ", ".join(f"{states.count(of)} {of}" for of in ("pruned", "failed") if of in states)
        text = f"tuned: {len(states)} trial{'s' * (len(states) != 1)}" + (f" ({rest})" if rest else "")
        if best is None:
            return f"{text}, none with a score"
        return f"{text}, best {self.spec.metric} {best.score:.2f} with {shown(best.values)}"


def shown(values: Mapping[str, Json]) -> str:
    """`balance 0.012, learning_rate 0.001`, by what follows the dot."""
    return ", ".join(f"{name.partition('.')[2]} {number(it)}" for name, it in values.items())


def number(value: Json) -> str:
    """Four digits are enough to read."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
