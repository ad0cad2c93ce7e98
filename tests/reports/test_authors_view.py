"""What the authors said, and how claims came out in earlier audits."""

from __future__ import annotations

from dataclasses import replace

from audit.record import AuthorResponse
from reports.authors_view import author_slot, claim_history
from reports.lookup import lookup
from reports.render import html
from tests.reports import sample
from tests.reports.markup import parsed


def test_an_empty_slot_says_not_yet_asked() -> None:
    slot = author_slot(lookup(sample.tiny()))
    assert (slot.sentence, slot.answer, slot.effect) == ("Not yet asked.", "", "")


def test_an_answer_is_shown_word_for_word_with_its_effect() -> None:
    answer = "We used <b>another</b> split.\nSee our page."
    said = AuthorResponse("2026-03-01", "2026-03-09", answer)
    slot = author_slot(lookup(replace(sample.tiny(), author_response=said)))
    assert (slot.answer, slot.effect) == (answer, "not yet worked in")
    assert answer in parsed(html(replace(sample.tiny(), author_response=said))).text
    assert (
        author_slot(lookup(replace(sample.tiny(), author_response=replace(said, answer=None)))).effect == ""
    )


def test_history_shows_the_claims_that_came_out_otherwise() -> None:
    study = sample.study()
    before = replace(study, created="2026-02-01T10:00:00+00:00")
    changed = study.verdicts[0]
    flipped = "contradicted" if changed.outcome == "reproduced" else "reproduced"
    verdicts = (replace(changed, outcome=flipped), *study.verdicts[1:])
    history = claim_history(lookup(study), [replace(before, verdicts=verdicts)])
    assert history is not None
    assert history.sentence == "1 of 40 claims came out otherwise in the earlier audit."
    (claim,) = history.claims
    assert [it.status for it in claim.points] == [flipped, changed.outcome]
    assert claim_history(lookup(study), []) is None
    assert 'id="history"' not in html(study)
    assert 'id="history"' in html(study, [before])
