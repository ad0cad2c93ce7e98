"""A claim's printed number under each reading of its split, as `audit explain` lists it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from audit.record import ClaimRecord, SplitNoise, SplitStudy, SplitVerdict
from audit.stats.decision import num
from reports.splits import default_reading, splits_because
from reports.text import plural

_WIDTH = 110


def splits_lines(claim: ClaimRecord, study: SplitStudy | None) -> Iterator[str]:
    """Both readings with their numbers; nothing where no split columns were run."""
    noise = next((it for it in study.noise if it.claim == claim.id), None) if study else None
    if study is None or noise is None or noise.as_one_split is None:
        return
    yield "readings of the split, which the paper does not name: each alone, at the full level"
    for text in _texts(noise, noise.as_one_split):
        yield from _wrapped(text)
    for text in default_reading(study):
        yield from _wrapped(text)


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _texts(noise: SplitNoise, one: SplitVerdict) -> Iterator[str]:
    columns = plural(one.n, "column")
    sd = "" if noise.sd_columns is None else f", s = {num(noise.sd_columns)} between them"
    yield (
        f"one run on one unknown split: {columns}, one run each{sd}, se_pred = s sqrt(1 + 1/n): "
        f"{_told(one, mean=False)}"
    )
    if noise.as_mean is None:
        return
    seeds = plural(len(noise.seeds), "seed")
    sd = "" if noise.sd_seeds is None else f", s = {num(noise.sd_seeds)} between them"
    yield (
        f"mean over these very {columns}: {seeds} on column {noise.column}{sd}, se_pred = s sqrt(2/n): "
        f"{_told(noise.as_mean, mean=True)}"
    )


def _told(of: SplitVerdict, *, mean: bool) -> str:
    """The outcome first: the numbers are its reasons."""
    numbers = (
        ("d", of.difference),
        ("D", of.margin),
        ("se = s / sqrt(n)", of.se),
        ("df", of.df),
        ("p_rep", of.p_reproduced),
        ("p_con", of.p_contradicted),
    )
    shown = ", ".join(f"{name} = {num(value)}" for name, value in numbers if value is not None)
    return f"{of.outcome.upper()} ({of.reason}: {splits_because(of, mean=mean)}); {shown}"
