"""Margins by named rules: what each gives, from which numbers of the file, and what contradicts it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from audit.claims.load import Paper, builtin_claims, load
from audit.claims.margins import Given, Ground, MarginError, resolve
from audit.errors import ClaimFileError
from audit.record import Margin
from tests.test_claim import edited

GAINS = (("78.60", "76.81"), ("50.87", "50.50"), ("40.00", "41.00"))
"""1.79, 0.37, and one that is none."""


def given(rule: str | None, value: float | None = None, *similar: tuple[str, str]) -> Given:
    return Given(value, rule, "because", similar)


@pytest.mark.parametrize(
    ("rule", "ground", "expected"),
    [
        ("digits", Ground(("76.38",)), (0.005, "digits")),
        ("digits", Ground(("15,449",)), (0.5, "digits")),
        ("digits", Ground(("76.38", "74.5")), (0.055, "digits")),
        ("half_gap", Ground(improvements=GAINS), (0.185, "half_gap")),
        ("field", Ground(documents=3865), (0.5, "field")),
        ("field", Ground(documents=99_999), (0.5, "field")),
        ("field", Ground(documents=100_000), (0.2, "field")),
        ("field", Ground(), (0.5, "field")),
        ("lenient", Ground(), (1.0, "lenient")),
        (None, Ground(("76.38",), 3865, GAINS), (0.185, "half_gap")),
        (None, Ground(("76.38",), 3865, GAINS[:1]), (0.5, "field")),
        (None, Ground(("76.38",), 306_782, GAINS[:1]), (0.2, "field")),
        (None, Ground(("76.38",), 3865), (0.5, "field")),
        (None, Ground(("76.4",), 3865, (("50.1", "50.0"),)), (0.1, "half_gap")),  # not below 2h
        (None, Ground((), 3865, GAINS), (0.185, "half_gap")),
        (None, Ground(), (0.5, "field")),
    ],
)
def test_what_a_rule_gives(rule: str | None, ground: Ground, expected: tuple[float, str]) -> None:
    """The value of each rule by hand; without one the smaller of half_gap and field, at least one unit."""
    assert resolve(given(rule), ground) == Margin(*expected, "because")


def test_the_yardstick_is_the_largest_that_is_called_similar() -> None:
    pairs = (("74.28", "75.50"), ("58.98", "60.47"))
    assert resolve(given("paper_yardstick", None, *pairs), Ground()).value == 1.49
    assert resolve(given("paper_yardstick", 2.1), Ground()).value == 2.1


@pytest.mark.parametrize(
    ("wanted", "ground"),
    [
        (given("half_gap", 0.18), Ground(improvements=GAINS)),  # 0.185, rounded down
        (given("half_gap", 0.19), Ground(improvements=GAINS)),
        (given("half_gap", 0.185), Ground(improvements=GAINS)),
        (given("half_gap", 3.0), Ground()),  # nothing to hold it against
        (given("half_gap", 3.0), Ground(improvements=GAINS[2:])),
        (given("field", 0.5), Ground(documents=3865)),
        (given("field", 0.2), Ground()),
        (given("digits", 0.005), Ground(("76.38",))),
        (given("lenient", 1), Ground()),
        (given("paper_yardstick", 1.22, ("74.28", "75.50")), Ground()),
    ],
)
def test_a_value_that_its_rule_gives_stays(wanted: Given, ground: Ground) -> None:
    """Also where it is rounded, and where the rule cannot tell."""
    assert resolve(wanted, ground) == Margin(wanted.value or 0.0, wanted.rule or "", wanted.why)


@pytest.mark.parametrize(
    ("wanted", "ground", "gives"),
    [
        (given("half_gap", 0.17), Ground(improvements=GAINS), "0.185"),
        (given("half_gap", 0.2), Ground(improvements=GAINS), "0.185"),
        (given("half_gap", 0.18), Ground(improvements=(("50.20", "50.00"),)), "0.1"),
        (given("field", 0.5), Ground(documents=306_782), "0.2"),
        (given("field", 0.2), Ground(documents=3865), "0.5"),
        (given("field", 0.4), Ground(documents=3865), "0.5"),
        (given("digits", 0.05), Ground(("76.38",)), "0.005"),
        (given("digits", 1), Ground(("76.38",)), "0.005"),
        (given("lenient", 2), Ground(), "1"),
        (given("lenient", 0.99), Ground(), "1"),
        (given("paper_yardstick", 2.1, ("74.28", "75.50")), Ground(), "1.22"),
    ],
)
def test_a_value_that_contradicts_its_rule(wanted: Given, ground: Ground, gives: str) -> None:
    """The message has the value, the rule and what it gives."""
    with pytest.raises(MarginError, match=rf"is not what rule {wanted.rule} gives here, {gives}[ ;]"):
        resolve(wanted, ground)


@pytest.mark.parametrize(
    ("wanted", "key", "text"),
    [
        (given("half_gap"), "value", "no order, gap or significance claim about the table"),
        (given("digits"), "value", "the claim names no printed number"),
        (given("paper_yardstick"), "value", "no pair is named in similar"),
        (given("paper_yardstick", None, ("1.0", "1.0")), "similar", "needs two different numbers"),
        (given(None, 0.5), "rule", "a value follows a rule"),
    ],
)
def test_what_a_rule_lacks(wanted: Given, key: str, text: str) -> None:
    """Where the rule gives nothing, the value has to stand in the file."""
    with pytest.raises(MarginError, match=text) as caught:
        resolve(wanted, Ground())
    assert caught.value.key == key


# --------------------------------------------------------------------------- the files that are there


@pytest.mark.parametrize("path", builtin_claims(), ids=lambda path: path.stem)
def test_a_margin_of_rule_field_is_that_of_the_printed_test_set(path: Path) -> None:
    """0.2 on 100,000 printed test documents or more and else 0.5; of a value at most 5 % of what is left."""
    found = load(path)
    for claim in found.claim_records():
        if claim.margin is None or claim.margin.rule != "field":
            continue
        size = found.datasets[claim.dataset].printed.get("test")
        if size is None:  # nothing printed to hold it against
            assert claim.margin.value <= 0.5
            continue
        expected = Fraction(1, 5) if int(size.replace(",", "")) >= 100_000 else Fraction(1, 2)
        if claim.kind == "value":
            number = Fraction(claim.printed[0])
            unit = Fraction(1, 10 ** len(claim.printed[0].partition(".")[2]))
            expected = max(min(expected, (100 - number) / 20, number / 20), unit)
        assert claim.margin.value == pytest.approx(float(expected)), claim.id


def test_a_default_with_a_value_must_fit_every_data_set(tmp_path: Path) -> None:
    """A value of another data set's size is refused where a claim would get it, with its line."""
    with pytest.raises(ClaimFileError, match=r"35: margins\.default\.value: 0\.5 is not what rule"):
        paper(tmp_path, ('test: "3,865"', 'test: "306,782"'))
    large = paper(tmp_path, ('test: "3,865"', 'test: "306,782"'), ("value: 0.5, rule: field", "rule: field"))
    assert margins(large, "no-loss") == [(0.2, "field")]


# --------------------------------------------------------------------------- in a file

PAIR = 'values: ["75.50", null]'
BOTH = 'values: ["75.50", "62.40"]'


def paper(folder: Path, *edits: tuple[str, str]) -> Paper:
    path = folder / "small.yaml"
    path.write_text(edited(*edits))
    return load(path)


def margins(found: Paper, claim: str) -> list[tuple[float, str]]:
    return [
        (it.margin.value, it.margin.rule) for it in found.claim_records() if it.claim == claim and it.margin
    ]


def test_a_value_may_be_left_out(tmp_path: Path) -> None:
    """The default rule of the file: 76.38 over 75.50 is 0.88, half of it less than 0.5."""
    assert (
        margins(paper(tmp_path, ("value: 0.5, rule: field", "rule: field")), "ours-value")
        == [(0.5, "field")] * 2
    )
    found = paper(tmp_path, ("value: 0.5, rule: field, ", ""))
    assert margins(found, "ours-value") == [(0.44, "half_gap")] * 2
    assert margins(found, "no-loss") == [(0.5, "field")]  # its table has no improvement
    found = paper(tmp_path, ("value: 0.5, rule: field", "rule: half_gap"), ("  - {id: no-loss", "  #"))
    assert margins(found, "ours-value") == [(0.44, "half_gap")] * 2


def test_the_smallest_of_the_claimed_improvements_counts(tmp_path: Path) -> None:
    """A claim over two metrics has two gaps; those on other data count for a margin of the table alone."""
    both = [(PAIR, BOTH), ("metric: P@1, says: We win", "metric: [P@1, P@3], says: We win")]
    left_out = ("value: 0.5, rule: field, ", "")
    assert margins(paper(tmp_path, *both, left_out), "ours-value") == [(0.205, "half_gap")] * 2


def test_a_claim_looks_at_its_own_data_set(tmp_path: Path) -> None:
    """Liu et al. lead on Amazon-12K by 0.37 at least, on Amazon-670K in the same table by 0.06."""
    (file,) = [it for it in builtin_claims() if it.stem == "liu2017"]
    text = file.read_text()
    assert margins(load(file), "significant-amazon-12k-fastxml") == [(0.18, "half_gap")]
    path = tmp_path / "liu2017.yaml"
    path.write_text(text.replace("value: 0.18, rule: half_gap", "rule: half_gap"))
    assert margins(load(path), "significant-amazon-12k-fastxml") == [(0.185, "half_gap")]
    assert margins(load(path), "significant-amazon-670k") == [(0.03, "half_gap")] * 2


def test_a_margin_of_a_table_looks_at_the_whole_table(tmp_path: Path) -> None:
    """The same rule by the table's name and as a claim's own."""
    of_table = ("claims:\n", "  t1: {rule: half_gap, why: table}\nclaims:\n")
    assert margins(paper(tmp_path, of_table), "ours-value") == [(0.44, "half_gap")] * 2
    own = ("says: As printed", "says: As printed, margin: {rule: digits, why: own}")
    assert margins(paper(tmp_path, of_table, own), "ours-value") == [(0.005, "digits")] * 2


def test_significance_is_held_against_what_is_called_significant(tmp_path: Path) -> None:
    """An order claim of a smaller lead is no yardstick for what the paper calls significant."""
    claims = (
        "claims:\n",
        "claims:\n"
        "  - {id: much, kind: significant, better: t1.ours, worse: t1.old2, metric: P@1, says: x,\n"
        "     margin: {rule: half_gap, why: own}, where: {page: 1}}\n",
    )
    row = (
        "      - {id: old, experiment: old,",
        '      - {id: old2, experiment: old, source: own_run, values: ["74.38", "60.00"]}\n'
        "      - {id: old, experiment: old,",
    )
    assert margins(paper(tmp_path, claims, row), "much") == [(1.0, "half_gap")]


def test_similar_cells_are_the_yardstick(tmp_path: Path) -> None:
    """Their largest difference as printed, whatever their sign."""
    pairs = "[[t1.base.P@1, t1.ours.P@1], [t1.old.P@1, t1.base.P@1]]"
    own = f"margin: {{rule: paper_yardstick, why: own, similar: {pairs}}}"
    found = paper(tmp_path, ("says: Same", f"says: Same, {own}"))
    assert margins(found, "no-loss") == [(5.5, "paper_yardstick")]


def test_the_hash_holds_the_value_that_counts(tmp_path: Path) -> None:
    """Leaving a value out changes nothing; a number of the table that the rule goes by changes the margin."""
    assert (
        paper(tmp_path).margins_hash
        == paper(tmp_path, ("value: 0.5, rule: field", "rule: field")).margins_hash
    )
    by_rule = ("value: 0.5, rule: field, ", "")
    before = paper(tmp_path, by_rule).margins_hash
    assert paper(tmp_path, by_rule, ("75.50", "75.60")).margins_hash != before
    assert paper(tmp_path, ("75.50", "75.60")).margins_hash != paper(tmp_path).margins_hash  # is fixed too


def test_every_margin_that_contradicts_is_told_with_its_line(tmp_path: Path) -> None:
    """Each place once, whatever the number of claims and metrics that it stands for."""
    with pytest.raises(ClaimFileError) as caught:
        paper(
            tmp_path,
            ("claims:\n", "  t2: {value: 2, rule: lenient, why: x}\nclaims:\n"),
            ("says: As printed", "says: As printed, margin: {value: 0.3, rule: half_gap, why: x}"),
        )
    assert [
        problem.split(": ", 2)[0][-2:] + problem.split(": ", 2)[1] for problem in caught.value.problems
    ] == [
        "36margins.t2.value",
        "39claims[1].margin.value",
    ]


def told(folder: Path, *edits: tuple[str, str]) -> list[str]:
    """Places of all problems, with their lines."""
    with pytest.raises(ClaimFileError) as caught:
        paper(folder, *edits)
    return [it.partition("small.yaml:")[2].rsplit(": ", 1)[0].split(": ")[:2] for it in caught.value.problems]  # type: ignore[misc]


OWN = ("says: As printed", "says: As printed, margin: {value: 0.4, rule: field, why: x}")
OWN_PLACE = ["38", "claims[1].margin.value"]


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (("worse: t1.base", "worse: t1.bsae"), ["37", "claims[0].worse"]),  # a reference that leads nowhere
        (("says: We win", "sais: We win"), ["37", "claims[0].says"]),  # a claim that cannot be read at all
        (("t2:\n", "t2:\n    unti: x\n"), ["23", "tables.t2.unti"]),  # a table
        (("title: A small paper", "titel: A small paper"), ["4", "paper.titel"]),
        (("what: epochs", "waht: epochs"), ["41", "departures[0].waht"]),
        (("two: {name: Two}", "two: {nmae: Two}"), ["7", "datasets.two.nmae"]),
    ],
)
def test_margins_are_told_of_beside_other_problems(
    tmp_path: Path, edit: tuple[str, str], place: list[str]
) -> None:
    """All in one reading, each at its own line."""
    found = told(tmp_path, edit, OWN)
    line = str(int(OWN_PLACE[0]) + edit[1].count("\n") - edit[0].count("\n"))
    assert [line, OWN_PLACE[1]] in found
    assert place[1] in [it[1] for it in found]


@pytest.mark.parametrize(
    ("edit", "own"),
    [
        (('test: "3,865"', 'test: "0"'), OWN),  # whose test set it goes by is wrong itself
        (("worse: t1.base", "worse: t1.bsae"), (OWN[0], OWN[1].replace("field", "half_gap"))),
        (("says: We win", "sais: We win"), (OWN[0], OWN[1].replace("field", "half_gap"))),
    ],
)
def test_a_margin_is_not_blamed_for_what_it_goes_by(
    tmp_path: Path, edit: tuple[str, str], own: tuple[str, str]
) -> None:
    """A rule whose ground has a problem itself is left until that is mended."""
    assert OWN_PLACE[1] not in [it[1] for it in told(tmp_path, edit, own)]


def test_a_margin_that_cannot_be_read_is_told_of_once(tmp_path: Path) -> None:
    """The claim that would get it is not held against another margin instead."""
    found = told(
        tmp_path,
        ("claims:\n", "  t1: {value: x, rule: field, why: x}\nclaims:\n"),
        ("value: 0.5", "value: 0.4"),
    )
    assert ["36", "margins.t1.value"] in found
    assert [it[1] for it in found].count("margins.t1.value") == 1
