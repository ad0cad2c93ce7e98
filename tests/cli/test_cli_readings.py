"""`audit run --readings`: every declared reading over the seeds, judged, kept, and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.record import Audit
from tests.cli import record, refused

#: Two readings of one, three of the other, on made features: each run takes a fraction of a second.
CLAIMS = """format: 1
paper: {key: toy, title: Toy}
datasets: {d: {name: D, printed: {test: "1,000"}}}
tables:
  t:
    where: {label: T}
    caption: c
    dataset: d
    columns: [P@1]
    rows:
      - {id: a, experiment: a, source: own_run, values: ["50.0"]}
      - {id: b, experiment: b, source: own_run, values: ["40.0"]}
readings:
  limit: one_at_a_time
  open:
    rate: {why: No learning rate is stated., choices: {usual: {}, fast: {training: {learning_rate: 0.05}}}}
    pooling_divisor:
      {why: The divisor is not stated., choices: {words: {}, slots: {config: {pooling: slots}}}}
experiments:
  a:
    {title: A, dataset: d, model: rank_ae, variant: paper, config: {hidden: 4, encoder: 4},
    protocol: wang2019, training: {epochs: 1, dimension: 4}, recipe: study2022,
    readings: [rate, pooling_divisor]}
  b:
    {title: B, dataset: d, model: rank_ae, variant: bce, config: {hidden: 4, encoder: 4},
    protocol: wang2019, training: {epochs: 1, dimension: 4}, recipe: study2022, readings: [rate]}
margins: {default: {value: 0.5, rule: field, why: usual}}
claims:
  - {id: v, kind: value, of: t.a, metric: P@1, says: A scores 50, where: {section: "1"}}
  - {id: o, kind: order, better: t.a, worse: t.b, metric: P@1, says: A is better, where: {section: "1"}}
"""
OTHERS = ["a~rate=fast", "a~pooling_divisor=slots", "b~rate=fast"]


@pytest.fixture(autouse=True)
def paper(folder: Path) -> None:
    Path("toy.yaml").write_text(CLAIMS)


def run(*options: str, seeds: int = 1) -> Exit:
    return Exit(cli.main(["run", "toy.yaml", "--seeds", str(seeds), "--jobs", "1", *options]))


def audit() -> Audit:
    return record("toy")


def test_all_readings_are_run_over_the_seeds_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """How many is said before the first; the record holds their runs, what is open, and a verdict of each."""
    run("--readings")
    out = capsys.readouterr()
    assert "toy: 2 configurations and 3 other readings of them, 1 seed, 5 runs on" in out.out + out.err
    found = audit()
    assert [it.id for it in found.experiments] == ["a", "b", *OTHERS]
    slots = found.experiments[3]
    assert (slots.reading_of, slots.reading) == ("a", {"pooling_divisor": "slots"})
    assert (slots.title, slots.config["pooling"]) == ("A (pooling divisor: slots)", "slots")
    assert found.readings is not None
    assert [it.name for it in found.readings.open] == ["rate", "pooling_divisor"]
    assert dict(found.readings.of) == {"a": ("rate", "pooling_divisor"), "b": ("rate",)}
    value, order = found.verdicts
    grid = [{}, {"rate": "fast"}, {"pooling_divisor": "slots"}]
    assert [it.reading for it in value.readings] == [it.reading for it in order.readings] == grid
    by_id = {it.id: it.runs[0].metrics["P@1"] for it in found.experiments}
    assert [it.estimate for it in value.readings] == [by_id["a"], *(by_id[name] for name in OTHERS[:2])]
    assert order.readings[1].estimate == pytest.approx(by_id["a~rate=fast"] - by_id["b~rate=fast"])
    assert order.readings[2].estimate == pytest.approx(by_id["a~pooling_divisor=slots"] - by_id["b"])


def test_what_was_run_is_not_run_again_and_counts_later(capsys: pytest.CaptureFixture[str]) -> None:
    """Default first, readings later, then a command and a judgement without the flag: the runs stay."""
    run()
    run("--readings")
    first = {it.id: [run.finished for run in it.runs] for it in audit().experiments}
    assert run("--readings") == Exit.OK
    assert {it.id: [run.finished for run in it.runs] for it in audit().experiments} == first
    capsys.readouterr()
    run()
    out = capsys.readouterr()
    assert "toy: 2 configurations, 1 seed, 2 runs on" in out.out + out.err
    assert [it.id for it in audit().experiments] == ["a", "b", *OTHERS]
    verdicts = audit().verdicts
    assert cli.main(["judge", "toy.yaml"]) == Exit.OK
    assert audit().verdicts == verdicts
    assert len(verdicts[0].readings) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--data", "x", "--columns", "0-1"], "with --until-settled or --readings take one column"),
        (["--until-settled"], "--readings does not go with --until-settled"),
    ],
)
def test_what_does_not_go_together_is_refused(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert said in refused(capsys, "run", "toy.yaml", "--readings", *options)


FAST = "fast: {training: {learning_rate: 0.05}}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FAST, f"{FAST}, slow: {{training: {{learning_rate: 0.0001}}}}"),
        (FAST, "slow: {training: {learning_rate: 0.0001}}"),
        ("readings: [rate, pooling_divisor]", "readings: [pooling_divisor]"),
        ("limit: one_at_a_time", "limit: full"),
    ],
)
def test_readings_are_not_changed_after_the_runs(
    old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("--readings", seeds=3)
    assert old in CLAIMS
    Path("toy.yaml").write_text(CLAIMS.replace(old, new))
    assert cli.main(["judge", "toy.yaml"]) == Exit.BAD_INPUT
    assert "changed after runs in the store had begun" in capsys.readouterr().err


def test_explain_and_page_show_them(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    run()
    page = (folder / "audit-report/toy/report.html").read_text()
    assert 'class="curve"' not in page and "readings of what" not in page
    run("--readings", seeds=2)
    capsys.readouterr()
    cli.main(["explain", "o"])
    out = capsys.readouterr().out
    assert "readings of what the paper leaves open: 3 declared" in out
    assert "Pooling divisor: words (default) or slots. The divisor is not stated." in out
    named = ("  default", "  rate:", "  pooling")
    rows = [line.split(" (2 ")[0].split()[:-1] for line in out.splitlines() if line.startswith(named)]
    assert rows == [["default:"], ["rate:", "fast:"], ["pooling", "divisor:", "slots:"]]
    page = (folder / "audit-report/toy/report.html").read_text()
    assert 'class="curve"' in page
    assert "3 readings of what the paper leaves open" in page
    open_ = audit().readings
    assert open_ is not None and open_.limit == "one_at_a_time"
