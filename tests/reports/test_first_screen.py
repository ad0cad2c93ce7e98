"""The first screen: at most three claims, the pressing first; inconsistencies, gate and authors in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, AuthorResponse, FidelityCheck, Finding, Settling, Verdict
from reports import page, wording
from reports.render import html
from reports.wording import controls
from tests.reports import sample
from tests.reports.markup import parsed


def test_at_most_three_primary_claims_the_pressing_first() -> None:
    """A contradicted claim is not hidden below others; what does not fit is folded, and none is lost."""
    audit = sample.study()
    primary = list(dict.fromkeys(claim.claim for claim in audit.claims if claim.primary))
    more = [it for it in dict.fromkeys(claim.claim for claim in audit.claims) if it not in primary][:2]
    claims = tuple(replace(it, primary=it.primary or it.claim in more) for it in audit.claims)
    built = page.build(replace(audit, claims=claims))
    assert len(built.headlines) == 3
    assert len(built.headlines) + len(built.further) == len(primary) + 2
    worst = [
        min(["contradicted", "inconclusive", "reproduced", "not_tested"].index(m.status) for m in it.marks)
        for it in (*built.headlines, *built.further)
    ]
    assert worst == sorted(worst)


def with_findings(*findings: Finding) -> Audit:
    return replace(sample.tiny(), findings=findings)


def test_inconsistencies_are_named_and_counted() -> None:
    """Of the paper by name, five at most; in the README as a number; consistent ones not at all."""
    checks = ("granularity", "identity", "bounds", "twice", "structure", "complexity", "sentence")
    own = [Finding(it, "inconsistent", ("t.a.b",), "1 > 0", where=f"Table of {it}") for it in checks]
    readme = Finding("bounds", "inconsistent", ("r.a.b",), "1 > 0", source="code_readme")
    fine = Finding("twice", "consistent", ("t.a.b",), "1 is 1")
    lines = page.build(with_findings(*own, readme, fine)).inconsistent
    assert len({line.text for line in lines[:5]}) == 5
    assert all(line.text.startswith("Inconsistent: ") for line in lines[:5])
    assert ("Inconsistent: Fractions of the test set", "Table of granularity") in [
        (line.text, line.place) for line in lines
    ]
    assert [line.text for line in lines[5:]] == [
        "2 more",
        "1 inconsistent in the README of the public code, not in the paper",
    ]
    assert page.build(with_findings(fine)).inconsistent == ()


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ((), controls.GATE_NONE),
        ((FidelityCheck("a", "x", True, ""),), controls.GATE_OPEN),
        (
            (
                FidelityCheck("a", "x", True, ""),
                FidelityCheck("b", "x", True, ""),
                FidelityCheck("b", "y", False, ""),
            ),
            "not all checks are passed for b: on such runs no claim is called contradicted.",
        ),
    ],
)
def test_gate_in_a_line(checks: tuple[FidelityCheck, ...], said: str) -> None:
    """All passed only where there are checks; else it says for which model they are not."""
    assert page.build(replace(sample.tiny(), fidelity=checks)).gate == said


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (None, "not yet asked"),
        (AuthorResponse("2026-01-02"), "asked on 2026-01-02; no answer yet"),
        (AuthorResponse("2026-01-02", "2026-01-09", "Yes."), "asked on 2026-01-02, answered on 2026-01-09"),
    ],
)
def test_authors_in_a_line(response: AuthorResponse | None, said: str) -> None:
    """Silence is told from not having been asked."""
    assert wording.author_state(response) == said


def test_claims_whose_runs_failed_are_not_tested_and_told_apart() -> None:
    """Their number stands in the box of what was not tested; nothing of them is called open."""
    audit = sample.tiny()
    failed = replace(
        audit, verdicts=tuple(Verdict(it.claim, "inconclusive", "run_failed") for it in audit.verdicts)
    )
    boxes = {box.status: box for box in page.build(failed).counts}
    assert (boxes["not_tested"].count, boxes["not_tested"].note) == (1, "1 because our runs failed")
    assert boxes["inconclusive"].count == 0
    text = parsed(html(failed)).text
    assert "Not tested: our runs failed, and none came to its end, so that nothing speaks to it." in text
    assert "1 claim not tested: our runs failed, so that nothing speaks to it." in text
    assert all(box.note == "" for box in page.build(audit).counts)


def test_what_failed_is_still_among_what_would_settle() -> None:
    """With the command that runs it again."""
    audit = sample.tiny()
    (claim,) = audit.claims
    text = "its runs failed: `audit run --retry-failed` first"
    failed = replace(
        audit,
        verdicts=(Verdict(claim.id, "inconclusive", "run_failed"),),
        settling={claim.id: Settling(text)},
    )
    assert page.build(failed).open.rest == (f"1 claim: {text}.",)


@pytest.mark.parametrize("verified", [False, True])
def test_an_inconsistency_says_whether_a_second_reader_verified_its_numbers(verified: bool) -> None:
    """On the first screen, among the findings and in the sentence of the siblings."""
    found = Finding("bounds", "inconsistent", ("t.a.b",), "1 > 0", where="Table 1", verified=verified)
    caveat = "numbers not yet verified by a second reader"
    (line,) = page.build(with_findings(found)).inconsistent
    assert line.unread == ("" if verified else caveat)
    assert parsed(html(with_findings(found))).text.count(caveat) == (0 if verified else 2)
    assert wording.finding_sentence(found).endswith(
        "Inconsistent." if verified else "Inconsistent. Numbers not yet verified by a second reader."
    )
    assert "verified" not in wording.finding_sentence(replace(found, result="consistent"))
