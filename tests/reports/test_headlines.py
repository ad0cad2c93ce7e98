"""Which claims stand on the first screen, and in what order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Scope
from reports import page
from reports.exports.markdown import LINES, summary
from reports.wording import beside
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
    assert built.primary_heading == beside.PRIMARY_AND_VALUES


def test_a_primary_claim_on_own_data_needs_none_beside_it() -> None:
    audit = marked("same_data", ("kim-cnn-is-dramatically-worse",))
    built = page.build(audit)
    assert (len(built.headlines), built.primary_heading) == (1, beside.PRIMARY)


def test_values_of_stand_ins_never_stand_there() -> None:
    built = page.build(marked("other_data"))
    assert (built.headlines, built.primary_heading) == ((), beside.PRIMARY)


def test_the_summary_for_a_review_form_has_the_same_values_first_and_tells_none_of_them_twice() -> None:
    audit = marked("same_data")
    own = tuple(
        replace(it, outcome="contradicted", reason="minimum_effect") if it.scope == "same_data" else it
        for it in audit.verdicts
    )
    text = summary(replace(audit, verdicts=own))
    first = text.split(f"**{beside.PRIMARY_AND_VALUES}**")[1].split("\n\n**")[0]
    titles = [it.title for it in page.build(replace(audit, verdicts=own)).headlines]
    assert len(titles) == 2 and all(text.count(title) == first.count(title) == 1 for title in titles)
    assert len(text.splitlines()) <= LINES
    assert beside.PRIMARY_AND_VALUES not in summary(sample.study())
