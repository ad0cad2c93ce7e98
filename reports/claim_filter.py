"""What the claims can be filtered by at a click, with how many there are of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reports import wording
from reports.claim_cards import Card

#: So many data sets and kinds are offered; any other can be typed.
_OFFERED = 8


@dataclass(frozen=True)
class Chip:
    """One condition of the filter: `key:value`, or the value alone."""

    key: str
    value: str
    word: str
    count: int


def chips(cards: Sequence[Card]) -> tuple[Chip, ...]:
    """Verdicts, data sets and kinds where there are several, and what is primary or moved."""
    status = Counter(card.status for card in cards)
    datasets = Counter(card.dataset for card in cards if card.dataset)
    kinds = Counter(card.kind_key for card in cards)
    primary = sum(card.primary for card in cards)
    found = [Chip("v", it, wording.STATUS_WORDS[it], status[it]) for it in wording.STATUSES if status[it]]
    found += [Chip("d", it, it, number) for it, number in _several(datasets)]
    found += [Chip("kind", it, wording.KIND_WORDS.get(it, it), number) for it, number in _several(kinds)]
    found += [Chip("", "primary", "primary", primary)] if primary else []
    return (*found, Chip("", "flipped", "flipped", 0)) if any(card.band for card in cards) else tuple(found)


def _several(counts: Counter[str]) -> list[tuple[str, int]]:
    return counts.most_common(_OFFERED) if len(counts) > 1 else []
