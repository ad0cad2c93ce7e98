"""Why a setting is not as claimed: a reduction is told as one, and what is none has a reason of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reimpl.protocol import Protocol

BY_COMMAND = "chosen on the command line"
IN_PROPORTION = "in proportion to the epochs, of which the reduced protocol has fewer"
#: `reimpl.protocol.AVERAGE_FROM_SHARE` has more.
LATER = "later, because at reduced sizes the scores rise for longer, and the mean lags behind them"
RAISED = "raised, because the reduced protocol takes fewer epochs"
LOWERED = "lowered by the reduced protocol"
MORE_OFTEN = "more often, because reduced runs are short"
A_SHARE = "a share of the training documents, because a reduced protocol is for corpora of any size"
BY_ITSELF = "as the model has it under a reduced protocol"


@dataclass(frozen=True)
class Reasons:
    """Reasons for what `used`, which stands in for `claimed`, changes."""

    claimed: Protocol
    used: Protocol

    def of_training(self, key: str, paper: Any, here: Any) -> str:
        """Of a field of the protocol."""
        from reimpl.protocol import AMOUNTS, BEGINNINGS

        if self.used.deviation is None:
            return BY_COMMAND
        if key in AMOUNTS:
            return self.used.deviation
        if key == "learning_rate":
            return self._of_rate(paper, here)
        if paper is not None and here is not None:
            if key in BEGINNINGS:
                return self._of_beginning(paper, here)
            if key in ("evaluate_every", "hold_out"):
                return MORE_OFTEN if key == "evaluate_every" else A_SHARE
        return f"as the reduced protocol {self.used.name} has it"

    def of_config(self, key: str, paper: Any, here: Any) -> str:
        """Of a key of the model."""
        if self.used.deviation is None:
            return BY_COMMAND
        return self.used.deviation if is_reduction(paper, here) else BY_ITSELF

    def _of_rate(self, paper: float, here: float) -> str:
        if here < paper:
            return LOWERED
        fewer = self.used.epochs < self.claimed.epochs
        return RAISED if fewer else f"as the reduced protocol {self.used.name} has it"

    def _of_beginning(self, paper: int, here: int) -> str:
        plain = round(paper / self.claimed.epochs * self.used.epochs)
        return LATER if here > plain else IN_PROPORTION


def is_reduction(paper: Any, here: Any) -> bool:
    """Whether a size is smaller; of lists, whether it is in some place and larger in none.

    >>> is_reduction(512, 128), is_reduction(16, 32), is_reduction((512, 16), (32, 16))
    (True, False, True)
    >>> is_reduction((6, 2), ()), is_reduction(300, "as_vectors")
    (False, False)
    """
    if isinstance(paper, list | tuple) and isinstance(here, list | tuple):
        pairs = list(zip(paper, here, strict=False))
        return bool(pairs) and len(here) <= len(paper) and all(b <= a for a, b in pairs)
    numbers = all(isinstance(it, int | float) and not isinstance(it, bool) for it in (paper, here))
    return numbers and here < paper
