"""Readings in claim files: what they make of the experiments, what is fixed, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.claims.experiments import declared, grid
from audit.claims.load import KnownNames, Paper, load
from audit.errors import ClaimFileError
from audit.record import OpenChoice, Specifications
from reimpl.protocol import problem

HEAD = """format: 1
paper: {key: toy, title: Toy}
datasets: {d: {name: D}, e: {name: E}}
tables:
  t:
    {where: {label: T}, caption: c, dataset: d, columns: [P@1],
    rows: [{id: a, experiment: a, source: own_run, values: ["50.0"]}]}
"""
READINGS = """readings:
  limit: one_at_a_time
  open:
    rate: {why: "not stated", choices: {usual: {}, slow: {training: {learning_rate: 0.001}}}}
    size: {why: "not stated", choices: {small: {}, large: {config: {maps: 32}}, larger: {config: {maps: 64}}}}
"""
EXPERIMENTS = """experiments:
  a:
    {title: A, datasets: [d, e], model: xml_cnn, variant: v, config: {hidden: 8}, protocol: small, recipe: r,
    readings: [rate, size]}
  b: {title: B, dataset: d, model: xml_cnn, variant: v, protocol: small, recipe: r}
margins: {default: {value: 0.5, rule: field, why: w}}
claims: [{id: v, kind: value, of: t.a, metric: [P@1], says: s, where: {section: "1"}}]
"""
KNOWN = KnownNames({"xml_cnn": None}, ["small"], ["r"], problem)


def paper(path: Path, text: str = HEAD + READINGS + EXPERIMENTS) -> Paper:
    path = path / "toy.yaml"
    path.write_text(text)
    return load(path, known=KNOWN)


def refusals(path: Path, text: str) -> list[str]:
    with pytest.raises(ClaimFileError) as refused:
        paper(path, text)
    return [line.split("toy.yaml:")[1] for line in str(refused.value).splitlines()]


def test_each_reading_is_an_experiment_with_the_choice_laid_over_it(tmp_path: Path) -> None:
    found = paper(tmp_path).specified_experiments
    assert list(found) == [
        *("a-d~rate=slow", "a-d~size=large", "a-d~size=larger"),
        *("a-e~rate=slow", "a-e~size=large", "a-e~size=larger"),
    ]
    large = found["a-d~size=large"]
    assert (large.base, large.specification) == ("a-d", {"size": "large"})
    assert large.experiment.config == {"hidden": 8, "maps": 32}
    assert large.experiment.title == "A on D (size: large)"
    slow = found["a-e~rate=slow"].experiment
    assert (slow.training, slow.config, slow.on) == ({"learning_rate": 0.001}, {"hidden": 8}, "e")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.001", "0.002"),
        ("one_at_a_time", "full"),
        ("larger", "largest"),
        ("title: B,", "title: B, readings: [size],"),
    ],
)
def test_readings_are_fixed_with_the_margins(tmp_path: Path, old: str, new: str) -> None:
    """A choice, its name, the limit and where it is open change the hash under which runs begin."""
    text = HEAD + READINGS + EXPERIMENTS
    before = paper(tmp_path, text).margins_hash
    assert paper(tmp_path, text.replace(old, new)).margins_hash != before


def test_readings_that_are_declared_later_leave_every_claim_as_it_was(tmp_path: Path) -> None:
    """They stand beside the claims as something added: earlier runs stay valid, and the addition is seen."""
    plain = paper(tmp_path, HEAD + EXPERIMENTS.replace(",\n    readings: [rate, size]", "")).fixed
    now = paper(tmp_path).fixed
    assert {name: now[name] for name in plain} == plain
    assert [name for name in now if name not in plain] == ["readings:a-d", "readings:a-e"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("usual: {}", "usual: {noise: {kind: swapped, rate: 1}}", "11: readings.open.rate.choices.usual: is"),
        (
            "slow: {training: {learning_rate: 0.001}}",
            "slow: {config: {maps: 9}}",
            "16: experiments.a.readings[1]: 'size' sets config.maps, which 'rate' sets too",
        ),
        (", slow: {training: {learning_rate: 0.001}}", "", "11: readings.open.rate.choices: holds 1 item"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = HEAD + READINGS + EXPERIMENTS
    assert text.count(old) == 1
    (found,) = refusals(tmp_path, text.replace(old, new))
    assert found.startswith(expected)


# --------------------------------------------------------------------------- which readings there are

DIVISOR = OpenChoice("divisor", "not stated", ("words", "slots"))
RATE = OpenChoice("rate", "not stated", ("usual", "slow", "fast"))


def test_the_grid_is_every_combination_or_each_single_departure_with_the_default_first() -> None:
    every = grid([DIVISOR, RATE], "full")
    assert every[:2] == ({}, {"rate": "slow"}) and every[-1] == {"divisor": "slots", "rate": "fast"}
    single: tuple[dict[str, str], ...] = ({}, {"divisor": "slots"}, {"rate": "slow"}, {"rate": "fast"})
    assert grid([DIVISOR, RATE], "one_at_a_time") == single
    assert (len(every), len(single)) == (6, 4)


def test_a_claim_has_the_readings_of_all_its_experiments_and_shares_what_has_one_name() -> None:
    """Two arms that share the rate, of which one alone has a divisor: 1 + 1 + 2 readings."""
    of = {"a": ("divisor", "rate"), "b": ("rate",)}
    specifications = Specifications("one_at_a_time", (DIVISOR, RATE), of)
    assert declared(specifications, ["a", "b"]) == grid([DIVISOR, RATE], "one_at_a_time")
    assert declared(specifications, ["b"]) == ({}, {"rate": "slow"}, {"rate": "fast"})
    assert declared(specifications, ["c"]) == declared(None, ["a"]) == ()
