"""What the authors said, and how claims came out in earlier audits."""

from __future__ import annotations

from dataclasses import replace

from audit.record import AuthorResponse
from reports.authors_view import author_slot
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
