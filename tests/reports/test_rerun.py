"""The rerun box, the provenance, and claims that rest on the runs of another one."""

from __future__ import annotations

from dataclasses import replace

from reports.lookup import Lookup
from reports.page import build
from reports.protocol import rerun_box
from tests.reports import sample

STUDY = sample.study()


def test_a_card_says_how_its_claim_is_run_alone() -> None:
    shown = {claim for group in build(STUDY).groups for claim in (card.claim for card in group.cards)}
    assert shown == {claim.claim for claim in STUDY.claims}
    assert rerun_box(Lookup(STUDY)).command == STUDY.command


def test_runs_of_other_readings_are_told() -> None:
    base = STUDY.experiments[0]
    reading = replace(base, id="slow", reading_of=base.id, reading={"rate": "slow"})
    facts = dict(rerun_box(Lookup(replace(STUDY, experiments=(base, reading)))).facts)
    assert facts["Readings"] == f"--readings makes the {len(base.runs)} runs of other readings"
