"""Which claims stand on the first screen, and in what order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Scope
from reports import page
from reports.wording import controls
from reports.wording import same_runs as words
from tests.reports import sample


def marked(scope: Scope, primary: tuple[str, ...] = ()) -> Audit:
    """The study on data of this scope, with these of its claims as the primary ones."""
    audit = sample.study(scope)
    return replace(audit, claims=tuple(replace(it, primary=it.claim in primary) for it in audit.claims))


@pytest.mark.parametrize("scope", ["same_data", "other_split"])
def test_printed_values_on_own_data_stand_first_where_no_primary_claim_rests_on_it(scope: Scope) -> None:
    """The first two in the claim file's order, however they came out, under a heading of their own."""
    audit = marked(scope)
    built = page.build(audit)
    values = list(dict.fromkeys(it.claim for it in audit.claims if it.kind == "value"))
    shown = [it.marks[0].href for it in built.headlines]
    anchors = {
        card.anchor: card.claim for group in built.groups for block in group.blocks for card in block.cards
    }
    assert [anchors[it[1:]] for it in shown] == values[:2]
    assert [it.heading for it in built.headlines] == [words.ON_OWN_DATA, ""]
    assert built.values_first


def test_a_primary_claim_on_own_data_needs_none_beside_it() -> None:
    audit = marked("same_data", ("kim-cnn-is-dramatically-worse",))
    built = page.build(audit)
    assert (len(built.headlines), built.values_first) == (1, False)
    assert controls.PRIMARY_AND_VALUES != controls.PRIMARY


def test_values_of_stand_ins_never_stand_there() -> None:
    built = page.build(marked("other_data"))
    assert (built.headlines, built.values_first) == ((), False)
