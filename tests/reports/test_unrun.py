"""A claim of which one side was run says what is missing, and not that nothing was run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import ClaimRecord, Verdict
from reports import wording
from reports.lookup import lookup
from reports.not_checked import not_checked
from reports.terminal import summary
from tests.reports import sample


def verdict(n: tuple[int, ...], attempts: tuple[int, ...], reason: str = "not_run") -> Verdict:
    return Verdict("c:P@1", "inconclusive", reason, n=n, attempts=attempts)


@pytest.mark.parametrize(
    ("n", "attempts", "expected"),
    [
        ((1, 0), (1, 0), "no run of b; the other arm has 1 seed"),
        ((0, 3), (0, 4), "no run of a; the other arm has 3 seeds"),
        ((3, 0, 3), (3, 0, 3), "no run of b; the other 2 arms have 3 seeds each"),
        ((3, 0, 5), (3, 0, 5), "no run of b; the other 2 arms have 3 to 5 seeds"),
        ((2, 0, 0), (2, 0, 0), "no run of b or c; the other arm has 2 seeds"),
        ((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0), "no run of b, c or 3 others; the other arm has 1 seed"),
        ((3, 0), (3, 3), "no run of b gives this number; the other arm has 3 seeds"),
        ((0, 0), (2, 0), "no run of b; no run of a gives this number"),
        ((0, 0), (0, 0), None),
        ((), (), None),
        ((3, 3), (3, 3), None),
    ],
)
def test_what_is_missing_is_named(
    n: tuple[int, ...], attempts: tuple[int, ...], expected: str | None
) -> None:
    assert wording.unrun(verdict(n, attempts), "abcdef") == expected


def test_other_verdicts_say_nothing_of_it() -> None:
    assert wording.unrun(verdict((1, 0), (1, 0), "run_failed"), "ab") is None
    assert wording.unrun(None, "ab") is None


def claim(key: str, *experiments: str) -> ClaimRecord:
    return replace(sample.tiny().claims[0], id=key, claim=key, kind="order", experiments=experiments)


def test_claims_are_counted_by_what_is_missing_and_many_with_one_example() -> None:
    whole, partly = verdict((0, 0), (0, 0)), verdict((1, 0), (1, 0))
    few = [(claim("x", "a", "b"), partly), (claim("y", "a", "b"), partly), (claim("z", "c", "d"), whole)]

    def names(it: ClaimRecord) -> tuple[str, ...]:
        return it.experiments

    assert list(wording.unrun_lines(few, names)) == [
        "1 claim not tested: no run on record.",
        "2 claims not tested: no run of b; the other arm has 1 seed.",
    ]
    many = [(claim(f"c{k}", "a", f"b{k}"), partly) for k in range(4)]
    assert list(wording.unrun_lines(many, names)) == [
        "4 claims not tested: one side was run and the other was not, as in c0: no run of b0; the other arm "
        "has 1 seed.",
    ]


def test_terminal_page_and_first_screen_say_it() -> None:
    tiny = sample.tiny()
    held = claim("x:P@1", "kim", "lost")
    audit = replace(
        tiny, claims=(held,), verdicts=(replace(verdict((1, 0), (1, 0)), claim="x:P@1"),), settling={}
    )
    assert "1 claim not tested: no run of `lost`; the other arm has 1 seed.\n" in summary(audit)
    groups = {it.title: [s.text for s in it.sentences] for it in not_checked(lookup(audit))}
    assert groups["Claims"][1] == "1 claim not tested: no run of “lost”; the other arm has 1 seed."
    said = "Not tested: no run of “B”; the other arm has 1 seed."
    for how in (wording.verdict_sentence, wording.brief_sentence):
        assert how(held, audit.verdicts[0], names=["A", "B"]) == said


def test_a_convergence_claim_shows_its_medians_in_the_terminal() -> None:
    tiny = sample.tiny()
    held = replace(claim("x:P@1", "kim", "lost"), kind="convergence", metric="nDCG@5")
    judged = replace(
        verdict((3, 3), (3, 3), "undecided"),
        claim="x:P@1",
        p_reproduced=0.5,
        badges=("small sample", "median epochs to 50: 4.65 and not reached"),
    )
    shown = summary(replace(tiny, claims=(held,), verdicts=(judged,), settling={}))
    assert "◐ nDCG@5 epochs 4.65 and not reached" in shown
    assert wording.epochs_needed(replace(judged, badges=())) == ""
