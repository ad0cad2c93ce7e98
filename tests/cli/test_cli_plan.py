"""`audit plan`, and `audit run --until-settled`: what they print, run, put on record, and return."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit import cli
from audit.errors import Exit
from audit.pipeline.suite import declared
from audit.record import Look
from audit.runner import execute
from reimpl.training import Result
from tests.cli import record, refused, told
from tests.runner.papers import write_paper

#: A third system beside words and letters, and a claim that words beat it.
THIRD = (
    (
        "  t2:\n",
        '      - {id: third, experiment: third, source: own_run, values: ["70.00", "50.00"]}\n  t2:\n',
    ),
    (
        "  again:\n",
        "  third:\n    {title: Third, model: xml_cnn, variant: chen2022-kim-embeddings,\n"
        "     config: {stride: 2},"
        ' protocol: chen2022, dataset: corpus, recipe: study2022, vectors: "GloVe, 300 components"}\n'
        "  again:\n",
    ),
    (
        "  - {id: words-value,",
        "  - {id: words-third, kind: order, better: t1.words, worse: t1.third, metric: P@1,\n"
        "     says: words beat the third, where: {page: 3}}\n  - {id: words-value,",
    ),
)

#: Spread of the seeds: SD 1 of the first three, whatever is added.
NOISE = (1.0, 0.0, 2.0, 1.5, 1.5, 1.0, 0.5, 1.0)


@pytest.fixture(autouse=True)
def paper(folder: Path) -> Path:
    return write_paper(folder, *THIRD)


class Trained:
    """Stands in for training: means by system, a second a run, and the names of what was run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.means = {"words": 50.0, "letters": 30.0, "third": 50.0}
        self.ran: list[str] = []
        self.interrupt_at: int | None = None
        monkeypatch.setattr(execute, "train_job", self)

    def __call__(self, job: Any, *_: Any) -> Result:
        if len(self.ran) == self.interrupt_at:
            os.kill(os.getpid(), signal.SIGINT)
        config, seed = job.spec.config, job.spec.seed
        name = "third" if config["stride"] == 2 else "words" if config["sweep"] == "words" else "letters"
        self.ran.append(f"{name}{seed}")
        noise = NOISE[seed % len(NOISE)]
        value = self.means[name] + (2.0 - noise if name == "third" else noise)
        ids, scores = np.zeros((16, 1), dtype=np.int32), np.zeros((16, 1), dtype=np.float32)
        return Result({"P@1": value, "P@3": value / 2}, (), 1.0, None, 9, ids, scores)

    def of(self, name: str) -> list[int]:
        return [int(it.removeprefix(name)) for it in self.ran if it.startswith(name)]


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Trained:
    return Trained(monkeypatch)


RUN = ("run", "toy.yaml", "--data", "corpus", "--jobs", "1")
UNTIL = (*RUN, "--until-settled", "--looks")
SETTLED = "everything that seeds can settle is settled"


def outcomes() -> dict[str, str]:
    return {it.claim: it.outcome for it in record().verdicts}


def test_seeds_are_added_only_where_a_claim_is_open_until_all_is_settled(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words against letters: 20 apart, settled at 3 seeds. Words against the third: 2 apart with SD 1 at the
    first look, t = 2.45 on 4 degrees of freedom, p = 0.035 > 0.0167; at the second one 2.4 apart with
    SD 0.76, t = 5.0."""
    trained.means["third"] = 48.0
    assert cli.main([*UNTIL, "3,5,8", "--budget", "1h30m"]) == Exit.OK
    assert trained.of("words") == trained.of("third") == [0, 1, 2, 3, 4]
    assert trained.of("letters") == [0, 1, 2]
    said = told(capsys)
    assert "looks at 3,5,8 seeds, which share the level" in said
    assert "look 1 of 3, 3 seeds, level 1.67%: 1 claim open that seeds may settle" in said
    assert said.splitlines()[-1] == f"stopped after 2 of 3 looks: {SETTLED}"
    audited = record()
    assert [(look.seeds, look.declared) for look in audited.looks] == [(3, (3, 5, 8)), (5, (3, 5, 8))]
    assert [look.level for look in audited.looks] == pytest.approx([0.05 / 3] * 2)
    verdicts = {it.claim: it for it in audited.verdicts}
    assert verdicts["words-win:P@1"].n == (3, 3)
    assert verdicts["words-third:P@1"].n == (5, 5)
    assert verdicts["words-third:P@1"].badges == ("look at 5 seeds, level 1.67%",)
    assert cli.main(["report"]) == Exit.OK  # judged again from the record alone


@pytest.mark.parametrize(
    ("third", "why"), [(49.9, "futile: no open claim has 20% power at 8 seeds"), (52.0, SETTLED)]
)
def test_a_claim_without_hope_ends_it(
    third: float, why: str, trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    """The power is about the level; or the third is ahead, and runs on other data may not contradict."""
    trained.means["third"] = third
    assert cli.main([*UNTIL, "3,5,8"]) == Exit.OK
    assert len(trained.ran) == 9
    assert told(capsys).splitlines()[-1] == f"stopped after 1 of 3 looks: {why}"


def test_where_seeds_can_settle_nothing_nothing_is_run(
    trained: Trained, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No claim is about one experiment, and a printed value is not judged on other data."""
    for name in ("elsewhere", "words-value"):
        assert cli.main([*UNTIL, "3,5", "--only", name]) == Exit.OK
    assert trained.ran == []
    assert told(capsys).splitlines()[-1] == (
        "stopped before the first look: no open claim can be settled by seeds; nothing is judged"
    )
    assert not list(folder.glob("audit-report/*/audit.json"))


@pytest.fixture
def clock(trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second a run, as their records say."""
    monkeypatch.setattr("audit.pipeline.suite._clock", lambda: float(len(trained.ran)))


@pytest.mark.usefixtures("clock")
def test_a_look_for_which_there_is_no_time_is_not_begun(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nine runs for the first look; four more for the second, with three seconds left."""
    trained.means["third"] = 48.0
    assert cli.main([*UNTIL, "3,5", "--budget", "12s"]) == Exit.OK
    assert len(trained.ran) == 9
    assert told(capsys).splitlines()[-1] == (
        "stopped after 1 of 2 looks: budget: the look at 5 seeds needs about 4 s for 4 runs, and 3 s are left"
    )
    assert outcomes()["words-third:P@1"] == "inconclusive"
    assert cli.main([*UNTIL, "3,5", "--budget", "4s"]) == Exit.OK  # goes on with the looks already spent
    assert len(trained.ran) == 13
    assert outcomes()["words-third:P@1"] == "reproduced"


def test_an_interrupt_within_a_look_is_130_and_the_same_command_goes_on(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    trained.means["third"], trained.interrupt_at = 48.0, 10
    assert cli.main([*UNTIL, "3,5"]) == Exit.INTERRUPTED
    assert told(capsys).splitlines()[-1] == "audit: interrupted; the same command continues from there"
    assert [look.seeds for look in record().looks] == [3]  # the second look was not taken
    trained.interrupt_at = None
    assert cli.main([*UNTIL, "3,5"]) == Exit.OK
    assert len(trained.ran) == len(set(trained.ran)) == 13
    assert [look.seeds for look in record().looks] == [3, 5]
    first = Path("audit-report/toy2024-corpus/audit.json").read_bytes()
    assert cli.main([*UNTIL, "3,5"]) == Exit.OK
    assert Path("audit-report/toy2024-corpus/audit.json").read_bytes() == first
    assert len(trained.ran) == 13


def test_a_run_after_it_makes_all_the_seeds_that_are_asked_for(trained: Trained) -> None:
    """The plan of the looks is no plan of three seeds."""
    assert cli.main([*UNTIL, "2"]) == Exit.OK
    assert trained.of("words") == [0, 1]
    assert cli.main(list(RUN)) == Exit.OK
    assert set(trained.of("words")) == set(trained.of("letters")) == {0, 1, 2}


def test_a_schedule_is_kept_and_shares_what_earlier_looks_left() -> None:
    assert declared(None, ()) == dict.fromkeys((3, 5, 8, 12, 20), 0.01)
    begun = [Look(3, 0.025, (3, 5))]
    assert declared(None, begun) == declared((3, 5), begun) == {3: 0.025, 5: 0.025}
    left = declared((3, 5, 8), [Look(3, 0.04)])
    assert left == pytest.approx({3: 0.04, 5: 0.005, 8: 0.005})


def test_more_seeds_by_hand_are_a_second_look_and_the_report_says_so(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*RUN, "--seeds", "3"]) == Exit.OK
    assert record().looks == (Look(3, 0.04),)
    assert "First look at the results, at 3 seeds (level 4%)" in told(capsys)
    assert cli.main([*RUN, "--seeds", "5"]) == Exit.OK
    assert record().looks == (Look(3, 0.04), Look(5, 0.005))
    (said,) = record().about_looks
    assert said.startswith("Looks at 3 seeds (level 4%) and 5 seeds (level 0.5%)")
    assert said in told(capsys)
    assert "5 seeds (level 0.5%)" in Path("audit-report/toy2024-corpus/report.html").read_text()
    assert cli.main(["report"]) == Exit.OK
    assert cli.main([*RUN, "--seeds", "5"]) == cli.main(["judge", "toy.yaml"]) == Exit.OK
    assert record().looks == (Look(3, 0.04), Look(5, 0.005))  # the same evidence again


@pytest.mark.usefixtures("clock")
def test_every_command_says_the_same_of_one_store(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    """One claim is settled at the look at 3 seeds, the other stays open; then more seeds are run by hand.
    Each way to judge takes the declared looks: their levels and their seeds, and none that wait."""
    trained.means["third"] = 48.9
    assert cli.main([*UNTIL, "3,4,8,12", "--budget", "15s"]) == Exit.OK
    reached = [look.seeds for look in record().looks]
    assert reached == [3, 4]
    first, report = record().verdicts, Path("audit-report/toy2024-corpus/audit.json")
    by_claim = {it.claim: it for it in first}
    assert by_claim["words-win:P@1"].n == (3, 3)
    assert by_claim["words-third:P@1"].n == (4, 4) and by_claim["words-third:P@1"].level == 0.0125
    capsys.readouterr()
    for command in (
        ["judge", "toy.yaml"],
        [*RUN, "--seeds", "3", "--only", "words-win"],
        [*UNTIL, "3,4,8,12", "--only", "words-win"],
        [*RUN, "--seeds", "7"],
        ["judge", "toy.yaml"],
        [*RUN, "--seeds", "3"],
    ):
        report.unlink()
        assert cli.main(command) == Exit.OK
        assert record().verdicts == first, command
        assert "of the declared ones, at 3, 4, 8 and 12 seeds" in told(capsys), command
        assert cli.main(["report"]) == Exit.OK
    assert any("not used before the look at 8" in it for it in record().about_looks)
    assert cli.main([*RUN, "--seeds", "8"]) == Exit.OK  # now that look is taken, at its level
    assert [look.seeds for look in record().looks] == [3, 4, 8]
    after = {it.claim: it for it in record().verdicts}
    won, before = (replace(it["words-win:P@1"], last_n=(), last_estimate=None) for it in (after, by_claim))
    assert won == before and after["words-win:P@1"].last_n == (8, 8)
    assert (after["words-third:P@1"].n, after["words-third:P@1"].level) == ((8, 8), 0.0125)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*UNTIL, "3,5", "--budget", "30"], "--budget '30' is not a time span; write it as 90s, 30m, 2h"),
        ([*RUN, "--budget", "30m"], "--budget goes with --until-settled"),
        ([*UNTIL, "3,5", "--seeds", "3"], "--seeds: --until-settled takes its seeds from --looks"),
        *[
            ([*UNTIL, it], f"--looks '{it}': write growing numbers")
            for it in ("", "5,3", "1,3", "3,3", "3,x")
        ],
        (["plan", "nowhere.json"], "nowhere.json: No such file or directory"),
    ],
    ids=lambda it: " ".join(it[1:]) if isinstance(it, list) else "",
)
def test_what_cannot_be_used_is_one_clear_line(
    arguments: list[str], message: str, trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, *arguments)
    assert trained.ran == []


def test_plan_lists_open_claims_by_cost_and_why_the_others_are_open(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    trained.means["third"] = 48.5
    cli.main([*RUN, "--seeds", "3"])
    capsys.readouterr()
    assert cli.main(["plan"]) == Exit.OK
    out = " ".join(capsys.readouterr().out.split())  # however wide the screen is
    assert out.startswith(
        "toy2024 (audit-report/toy2024-corpus/audit.json): 2 of 3 judgements open; more seeds can settle 1 "
    )
    assert re.search(
        r"words-third P@1: 3 seeds now, \d+ to reproduce it \(\d+ for 90% power\), \d+ s on a CPU", out
    )
    assert "1 judgement: only runs on the paper's own data can test this" in out
    assert "audit run --until-settled --budget 30m" in out
