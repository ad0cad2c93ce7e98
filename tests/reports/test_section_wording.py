"""Sentences of the sections below the claims, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from audit.record import AuthorResponse, Finding, PrintedIn, Settling
from reports.wording import (
    across,
    authors,
    curves,
    fidelity,
    index,
    printed_checks,
    protocol,
    rerun,
    settling,
    unchecked,
)

FINDING = Finding("identity", "inconsistent", ("t.a.b",), "1 is 2", ("a slip", "a mean"), weight=4)


def find(result: str = "inconsistent", **of: object) -> Finding:
    return Finding(**{**vars(FINDING), "result": result, **of})  # type: ignore[arg-type]


# --------------------------------------------------------------------------- findings


def test_a_finding_says_first_what_else_could_explain_it() -> None:
    assert printed_checks.consider(FINDING) == "First consider: a slip or a mean."
    assert printed_checks.consider(find("consistent")) == ""
    assert printed_checks.consider(find(alternatives=())) == ""
    assert printed_checks.arithmetic(FINDING) == "1 is 2."
    assert printed_checks.arithmetic(find(arithmetic="1 is 2.")) == "1 is 2."


def test_strength_is_that_of_an_inconsistency() -> None:
    assert printed_checks.strength(FINDING) == "Strength 4 of 5: one quantity in two ways."
    assert printed_checks.strength(find("untestable")) == ""
    assert set(printed_checks.STRENGTHS) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("power", "said"),
    [
        (None, ""),
        (0.0, "The check could not see another last digit."),
        (0.6135, "Another last digit would be seen in 61% of cases."),
        (1.0, "Another last digit would be seen in 100% of cases."),
    ],
)
def test_power(power: float | None, said: str) -> None:
    assert printed_checks.power(find(power=power)) == said


def test_counts_leave_out_what_does_not_occur() -> None:
    assert (
        printed_checks.counts(["consistent", "inconsistent", "consistent"]) == "1 inconsistent, 2 consistent"
    )
    assert printed_checks.counts(["untestable"]) == "1 untestable"
    assert printed_checks.counts([]) == ""


@pytest.mark.parametrize(
    ("verified", "said"),
    [
        ([True, True], ""),
        ([False], "The inconsistent one rests"),
        ([False, False], "All 2 inconsistent ones rest"),
        ([False, True, False], "2 of the 3 inconsistent ones rest"),
    ],
)
def test_unread_numbers_are_told(verified: list[bool], said: str) -> None:
    text = printed_checks.unread([*(find(verified=it) for it in verified), find("consistent")])
    assert text == (said and f"{said} on a transcription that nobody has yet held against the printed page.")


def test_findings_that_are_alike() -> None:
    assert printed_checks.in_all(20, "Table 4") == "20 findings alike in Table 4; the first:"
    assert printed_checks.in_all(20, "") == "20 findings alike; the first:"
    assert printed_checks.alike(19, "Table 4") == "19 more like it in Table 4"
    assert printed_checks.alike(19, "") == "19 more like it"
    assert printed_checks.mark(FINDING) == "Inconsistent: P@1 and nDCG@1"


def test_a_check_that_has_no_words_here_keeps_its_name() -> None:
    assert printed_checks.title("new_check") == "New check"
    assert printed_checks.about("new_check") == ""


def test_every_check_of_the_tool_has_words() -> None:
    from audit.checks.finding import WEIGHTS

    assert set(WEIGHTS) <= set(printed_checks.CHECKS)


# --------------------------------------------------------------------------- not checked


@pytest.mark.parametrize(
    ("tested", "total", "said"),
    [
        (0, 0, "The claim file states no claim."),
        (1, 1, "The one claim was tested."),
        (0, 1, "The one claim was not tested."),
        (3, 3, "All 3 claims were tested."),
        (1, 168, "1 of 168 claims was tested."),
        (10, 168, "10 of 168 claims were tested."),
        (0, 2, "0 of 2 claims were tested."),
    ],
)
def test_claims_that_were_tested(tested: int, total: int, said: str) -> None:
    assert unchecked.of_claims(tested, total) == said


def test_experiments_that_were_run() -> None:
    assert unchecked.of_experiments(0, 0) == "The claim file describes no experiment."
    assert unchecked.of_experiments(1, 1) == "The one experiment was run."
    assert unchecked.of_experiments(0, 1) == "The one experiment was not run."
    assert unchecked.of_experiments(2, 2) == "All 2 experiments were run."
    assert unchecked.of_experiments(10, 71) == "10 of 71 experiments were run."
    assert unchecked.not_run(1, "no code.") == "1 experiment: no code."
    assert unchecked.not_run(39, "no code") == "39 experiments: no code."


def test_recall_of_the_extraction() -> None:
    assert unchecked.extraction(13, 325, 0) == (
        "13 tables with 325 printed numbers are in the claim file, and it names none that it leaves out."
    )
    assert unchecked.extraction(1, 1, 1) == (
        "1 table with 1 printed number is in the claim file; 1 further table or figure of the paper is not:"
    )
    assert unchecked.extraction(13, 325, 6) == (
        "13 tables with 325 printed numbers are in the claim file; 6 further tables and figures of the paper "
        "are not:"
    )


def test_numbers_that_nobody_held_against_the_page() -> None:
    assert unchecked.unverified(0, 0, 0) == ""
    assert unchecked.unverified(0, 5, 0) == "Every printed number was held against the printed page."
    assert unchecked.unverified(5, 5, 2) == (
        "None of the 5 printed numbers was held against the printed page (2 tables)."
    )
    assert unchecked.unverified(2, 5, 1) == (
        "2 of the 5 printed numbers were not yet held against the printed page (1 table)."
    )
    assert unchecked.unverified(1, 5, 1) == (
        "1 of the 5 printed numbers was not yet held against the printed page (1 table)."
    )
    assert unchecked.read_by("") == "How the numbers came into the claim file is not on record."
    assert unchecked.read_by("from the PDF.") == "How they were read: from the PDF."


def test_numbers_without_a_claim() -> None:
    assert unchecked.silent(0, 0) == ""
    assert unchecked.silent(1, 0) == "1 printed number has no claim about it."
    assert unchecked.silent(2, 1) == (
        "2 printed numbers have no claim about them and 1 is copied from other papers, and not judged as "
        "this paper’s."
    )
    assert unchecked.by_table("Table 3", 24, 3) == "Table 3: 24 without a claim, 3 copied"
    assert unchecked.by_table("Table 3", 0, 3) == "Table 3: 3 copied"


def test_checks_and_papers() -> None:
    assert unchecked.untestable("Mean ranks", 1) == "Mean ranks: 1 check could not tell from what is printed."
    assert unchecked.papers(()).startswith("No other paper was at hand")
    assert unchecked.papers(("a", "b")) == (
        "Held against 2 other papers: a and b. Copies from any other one were not followed."
    )


# --------------------------------------------------------------------------- protocol, gate


@pytest.mark.parametrize(
    ("paper", "silent"),
    [
        ("Not mentioned", True),
        ("not stated", True),
        ("GloVe of 300 components, which of its releases is not said", True),
        ("Constant learning rate; when it starts is not said", True),
        ("not explicitly given", True),
        ("unknown", True),
        ("–", True),
        ("", True),
        ("50", False),
        ("Adam with learning rate 0.001", False),
        ("Labels that are not in training are given 0", False),
        ("the unknown word has a vector", False),
    ],
)
def test_silence_of_a_paper(paper: str, silent: bool) -> None:
    assert protocol.is_silent(paper) is silent


def test_points_of_a_protocol() -> None:
    assert protocol.points(0, 0, 0) == "No departure from the paper is on record."
    assert protocol.points(1, 0, 0) == "1 point."
    assert protocol.points(22, 9, 11) == (
        "22 points: on 9 the paper is silent and for 11 its public code is known."
    )
    assert protocol.unknown_in_all(0, 0) == "No departure from the paper is on record."
    assert protocol.unknown_in_all(0, 4) == (
        "On none of 4 points is the paper silent, as far as is on record."
    )
    assert protocol.unknown_in_all(8, 34) == "On 8 of 34 points the paper is silent."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "none"),
        (True, "yes"),
        (False, "no"),
        ([2, 4], "2, 4"),
        ([], "none"),
        (0.004, "0.004"),
        ("a", "a"),
    ],
)
def test_settings(value: object, shown: str) -> None:
    assert protocol.setting("batch_size", value) == ("batch size", shown)


def test_choices_that_were_declared() -> None:
    assert protocol.declared(["max_pool", "mean"]) == "declared: max pool or mean"


def test_what_rests_on_a_model() -> None:
    assert fidelity.used_by(1, 1) == "1 experiment and 1 claim rest on it."
    assert fidelity.used_by(6, 2000) == "6 experiments and 2,000 claims rest on it."
    assert fidelity.no_check("x") == (
        "x: no check is on record, so that no claim is called contradicted on its runs."
    )


# --------------------------------------------------------------------------- across papers


def printed(**of: object) -> PrintedIn:
    return PrintedIn(
        **{"paper": "a", "address": "t.a.b", "place": "", "text": "1", "source": "own_run", **of}
    )  # type: ignore[arg-type]


def test_where_a_number_is_from() -> None:
    assert across.origin(printed()) == ""
    assert across.origin(printed(source="copied", copied_from="liu2017")) == "from liu2017"
    assert across.origin(printed(source="copied")) == "copied"
    assert across.origin(printed(source="unknown")) == "source not said"
    assert across.origin(printed(source="code_readme")) == "from its README"


def test_across_papers_in_a_sentence() -> None:
    assert across.summary(39, 12, 9, ["b", "c"]) == (
        "39 numbers that other papers print too (b and c); 12 differ by more than rounding, 9 of these on "
        "test sets of one size."
    )
    assert across.summary(1, 1, 1, ["b"]) == (
        "1 number that other papers print too (b); 1 differs by more than rounding, all of these on "
        "test sets of one size."
    )
    assert ", none of these on test sets of one size" in across.summary(2, 1, 0, ["b"])
    assert across.summary(2, 0, 0, ["b"]).endswith("; none differs from another by more than rounding.")
    assert across.differs(True) == "differs"
    assert across.differs(False) == "differs; so may the test sets"
    assert across.none(()) == "No other paper was at hand when this audit was made."
    assert across.none(("b",)) == "None of the 1 other paper at hand prints a number of this one."
    assert across.sizes([3865, 3865, None]) == "N = 3,865"
    assert across.sizes([3865, 3809]) == "N = 3,865 or 3,809"
    assert across.sizes([None]) == "N not printed"
    assert across.collection("eurlex-4k", 9) == "eurlex-4k: 9 numbers"


# --------------------------------------------------------------------------- curves, rerun, authors


def test_a_curve_in_words() -> None:
    assert curves.description("P@1", 3, 41.2, 91.0, (17.04, 91.3)) == (
        "P@1, held out, of 3 seeds by epoch: their mean goes from 41.20 to 91.00; highest 91.30 in epoch 17."
    )
    assert curves.description("loss", 1, 0.5, 0.1, (2.0, 0.0987)) == (
        "training loss of 1 seed by epoch: it goes from 0.5000 to 0.1000; lowest 0.0987 in epoch 2."
    )
    assert curves.axis("loss") == "training loss"
    assert curves.axis("P@1") == "P@1, held out, points"


def test_what_running_again_takes() -> None:
    assert rerun.cost(3930.0, 12) == "65.5 min for 12 runs, one after another"
    assert rerun.cost(4.0, 1) == "4.0 s for 1 run"
    assert rerun.cost(0.0, 0) == "no run"
    assert rerun.seeds([0, 1, 2]) == "0, 1, 2"
    assert rerun.seeds([3, 4, 5, 6]) == "3 to 6"
    assert rerun.seeds([0, 1, 2, 7]) == "0, 1, 2, 7"
    assert rerun.seeds([]) == "–"
    assert rerun.data("eurlex", "liu2017", "abc") == "eurlex, recipe liu2017: abc"


def test_the_code_of_the_runs() -> None:
    assert rerun.code(["0123456789abcdef"], 0, 3) == "commit 0123456789"
    assert rerun.code(["a", None, "b"], 1, 12) == (
        "commits a and b; 1 of 12 runs with changes that are in no commit"
    )
    assert rerun.code([None], 1, 1) == "no commit on record; the one run with changes that are in no commit"
    assert rerun.code(["a"], 2, 2) == "commit a; all runs with changes that are in no commit"
    assert rerun.versions([]) == "no versions on record"


def test_margins_that_are_not_the_first_ones() -> None:
    assert rerun.superseded("abc", "a slip.") == "Earlier margins abc are taken over: a slip."
    assert rerun.grown("abc", ("x",)) == "1 claim was added after runs under the margins abc: x."
    assert rerun.grown("abc", ("x", "y")) == "2 claims were added after runs under the margins abc: x and y."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (None, "Not yet asked."),
        (AuthorResponse("2026-03-01"), "Asked on 2026-03-01; no answer yet."),
        (AuthorResponse("2026-03-01", "2026-03-09", "Yes."), "Asked on 2026-03-01, answered on 2026-03-09:"),
    ],
)
def test_when_the_authors_were_asked(said: AuthorResponse | None, text: str) -> None:
    assert authors.asked(said) == text


def test_what_settles_a_claim_by_columns() -> None:
    found = Settling("6 seeds", (6, 7), (90, None), 6)
    assert settling.chance(found) == (
        "To reproduce it: 80% with 6 seeds, 90% with 7. To contradict it: 80% with 90 seeds, 90% with more "
        "than 100."
    )
    assert settling.chance(Settling("no number", (6, 7), (None, None), 6)).endswith(
        "To contradict it: no number of seeds."
    )
    assert settling.chance(Settling("too few seeds")) == "Too few seeds."
    assert settling.time(1440.0, "GPU") == "24.0 min on a GPU"
    assert settling.time(None, "GPU") == "not known"


def test_the_index_in_words() -> None:
    assert index.summary(1, 2) == "2 audits of 1 paper"
    assert index.findings(0, 0) == "not checked"
    assert index.findings(1, 20) == "1 of 20 findings inconsistent"
    assert index.unread([]) == ""
    assert index.unread(["a"]) == "Not shown, as no audit could be read from it: a."
    assert index.unread(["a", "b"]) == "Not shown, as no audit could be read from them: a and b."


# --------------------------------------------------------------------------- no blame


def constants() -> Iterable[str]:
    """Every text that stands in these modules, in mappings too."""
    for module in (across, authors, curves, fidelity, index, printed_checks, protocol, rerun, unchecked):
        for value in vars(module).values():
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                yield from (str(it) for it in value.values())


def test_no_word_of_blame() -> None:
    texts = [it for it in constants() if not it.startswith("/")]
    assert len(texts) > 60
    assert not [it for it in texts if re.search(r"\b(fraud|fake|wrong|failed to)\b", it, re.IGNORECASE)]
