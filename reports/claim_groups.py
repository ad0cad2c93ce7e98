"""The cards of the claims in the order in which they stand: by whose data they rest on, then by verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from reports.claim_cards import Card
from reports.headlines import ORDER
from reports.wording import STATUS_WORDS, Status
from reports.wording import same_runs as words

#: Up to so many characters all commands of a page stand in full.
WHOLE_COMMANDS = 60_000


@dataclass(frozen=True)
class CardBlock:
    """Neighbouring cards of one claim of the file: its metrics under one title."""

    title: str
    primary: bool
    kind: str
    dataset: str
    scope: str
    """On whose data they were run; empty where they were not."""
    place: int
    """Of its first card among all claims of the file."""
    cards: tuple[Card, ...]
    command: str
    """That runs it alone; empty where that is not possible."""


@dataclass(frozen=True)
class CardGroup:
    anchor: str
    status: Status | None
    """None for claims that rest on the runs of others, whatever their verdict."""
    word: str
    count: int
    folded: bool
    """Whether the group is closed at first: only its number is seen."""
    blocks: tuple[CardBlock, ...]
    data: str = ""
    """`own` or `stand-in`, below whose heading it stands; empty where there are no headings."""
    part: str = ""
    """That heading, where it is the first below it."""
    note: str = ""


def card_groups(cards: Sequence[Card]) -> tuple[CardGroup, ...]:
    """On the paper's own data, on stand-in data, on the same runs again, and what was not tested."""
    places = {found.anchor: place for place, found in enumerate(cards)}
    again = [it for it in cards if it.same]
    own, stand_in, untested = _parts([it for it in cards if not it.same])
    heading = words.part_heading([it.on for it in own]) if stand_in or again else ""
    return (
        *_headed(_by_status(own, places, ""), "own", heading),
        *_headed(_by_status(stand_in, places, "-s"), "stand-in", words.ON_STAND_IN, words.STAND_IN_NOTE),
        *_again(again, places),
        *_by_status(untested, places, ""),
    )


def commands_in_short(groups: Sequence[CardGroup], prefix: str) -> tuple[tuple[CardGroup, ...], str]:
    """On a large page the commands without what all begin with, and that; else the groups as they are."""
    blocks = [it for group in groups for it in group.blocks]
    if not prefix or sum(len(it.command) for it in blocks) <= WHOLE_COMMANDS:
        return tuple(groups), ""
    return tuple(
        replace(
            group,
            blocks=tuple(replace(it, command=it.command.removeprefix(prefix)) for it in group.blocks),
        )
        for group in groups
    ), prefix


def _parts(cards: Sequence[Card]) -> tuple[list[Card], list[Card], list[Card]]:
    """On the paper's own data, on other data, and not tested."""
    tested = [it for it in cards if it.status != "not_tested"]
    return (
        [it for it in tested if it.on != "other_data"],
        [it for it in tested if it.on == "other_data"],
        [it for it in cards if it.status == "not_tested"],
    )


def _by_status(cards: Sequence[Card], places: Mapping[str, int], suffix: str) -> Iterator[CardGroup]:
    for status in ORDER:
        members = [it for it in cards if it.status == status]
        if members:
            yield CardGroup(
                anchor=f"g-{status}{suffix}",
                status=status,
                word=STATUS_WORDS[status],
                count=len(members),
                folded=status == "not_tested",
                blocks=_blocks(members, places),
            )


def _headed(groups: Iterator[CardGroup], data: str, heading: str, note: str = "") -> Iterator[CardGroup]:
    for k, it in enumerate(groups):
        of = replace(it, data=data if heading else "")
        yield of if k else replace(of, part=heading, note=note)


def _again(cards: Sequence[Card], places: Mapping[str, int]) -> Iterator[CardGroup]:
    if cards:
        blocks = _blocks(cards, places)
        yield CardGroup("g-again", None, words.AGAIN, len(cards), True, blocks, note=words.AGAIN_NOTE)


def _blocks(cards: Sequence[Card], places: Mapping[str, int]) -> tuple[CardBlock, ...]:
    grouped = groupby(
        cards, key=lambda it: (it.claim, it.title, it.primary, it.kind_key, it.dataset, it.scope)
    )
    blocks = []
    for (_, title, primary, kind, dataset, scope), found in grouped:
        members = tuple(found)
        place = places[members[0].anchor]
        command = max((it.command for it in members), key=len)  # with all readings where one metric has them
        blocks.append(CardBlock(title, primary, kind, dataset, scope, place, members, command))
    return tuple(blocks)
