"""Adding seeds until a claim is settled: every look at the runs has its share of the level.

Bonferroni over looks is valid for any dependence and any number of seeds; testing at 5 % after every few
seeds would be wrong in 16.6 % of cases after five looks.

What repeated tests at one level do: Armitage, McPherson and Rowe 1969.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from audit.stats.decision import ALPHA, Decision

Step = Literal["go_on", "decided", "last_look", "futile", "between_looks"]

#: Below this power at the last look, more seeds are not worth their time.
FUTILE = 0.20


def level_of(look: int, *, alpha: float = ALPHA) -> float:
    """Of looks that nobody declared: 4/5 alpha for the first, alpha/5 2^-(k-1) for look k >= 2.

    All together they have alpha.

    Raises ValueError for a look before the first.
    """
    if look < 1:
        raise ValueError(f"looks are numbered from 1, got {look!r}")
    return alpha * 4 / 5 if look == 1 else alpha / 5 * 0.5 ** (look - 1)


@dataclass(frozen=True)
class Schedule:
    """Numbers of seeds at which is looked, and the level of each look."""

    looks: tuple[int, ...]
    levels: tuple[float, ...]

    def level(self, seeds: int) -> float | None:
        """The level at `seeds` seeds; None between looks, where nothing is decided."""
        return dict(zip(self.looks, self.levels, strict=True)).get(seeds)

    def following(self, seeds: int) -> int | None:
        """The next look after `seeds` seeds."""
        return next((look for look in self.looks if look > seeds), None)


def schedule(looks: Sequence[int] = (3, 5), *, alpha: float = ALPHA) -> Schedule:
    """alpha / K at each of K declared looks.

    Raises ValueError for no look, looks that do not grow, or one of fewer than 2 seeds.
    """
    looks = tuple(looks)
    if not looks or looks[0] < 2 or list(looks) != sorted(set(looks)):
        raise ValueError(f"looks are growing numbers of seeds, 2 or more, got {looks!r}")
    return Schedule(looks, (alpha / len(looks),) * len(looks))


def step(
    declared: Schedule, *, seeds: int, decision: Decision, power_at_last_look: float | None = None
) -> Step:
    """What to do after `seeds` seeds: stop at the first look that decides, at the last, or for futility.

    `decision` is the one at this look's level. `power_at_last_look` is the chance to settle the claim at all
    by then, if the mean seen now is right; None where it is not known.
    """
    if declared.level(seeds) is None:
        return "between_looks"
    if decision.outcome != "inconclusive":
        return "decided"
    if declared.following(seeds) is None:
        return "last_look"
    return "futile" if power_at_last_look is not None and power_at_last_look < FUTILE else "go_on"
