"""What is wrong with an audit's or a run's JSON is one line that names the key and the value."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from audit.json_errors import RecordError
from audit.record import Audit, PaperInfo, Run, audit_from_json, run_from_json, to_json
from tests.records import make_experiment, make_run

RUN = make_run(0, 50.0)
PLACE = "experiments.0.runs.0."


def audit_of(run: Run) -> Audit:
    return Audit(PaperInfo("k", "Title"), (), (make_experiment("e", [run]),), (), (), test_sizes={"toy": 50})


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no number": ({"metrics": {"P@1": float("nan")}}, "NaN is not a number"),
    "in free content": ({"curve": [{"loss": 1.0}, {"loss": float("nan")}]}, "NaN is not a number"),
    "text": ({"metrics": {"P@1": "50"}}, "metrics.P@1: '50' is not a number"),
    "half a seed": ({"spec": {**asdict(RUN.spec), "seed": 0.5}}, "spec.seed: 0.5 is not a whole number"),
    "another word": ({"status": "ready"}, "status: 'ready' is not 'done', 'failed' or 'interrupted'"),
    "missing": ({"data": {**asdict(RUN.data), "name": None}}, "data.name: None is not text"),
}


@pytest.mark.parametrize("how", WRONG)
def test_both_readers_refuse_the_same_in_one_line(how: str) -> None:
    changes, message = WRONG[how]
    run = json.dumps({**asdict(RUN), **changes})
    audit = json.loads(to_json(audit_of(RUN)))
    audit["experiments"][0]["runs"][0].update(changes)
    for read, text, place in ((run_from_json, run, ""), (audit_from_json, json.dumps(audit), PLACE)):
        with pytest.raises(RecordError) as caught:
            read(text)
        assert str(caught.value) == (message if message.startswith("NaN") else place + message)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it ends too early"),
        ("{", "it ends too early"),
        ("[" * 100_000, "it is nested too deep"),
        ('{"a": 1}\n{', "it is not JSON from line 2, character 1 on"),
        ("[]", "[] is not keys and values"),
        ('{"key": 1}', "key"),
    ],
)
def test_what_is_no_record_is_one_short_line(text: str, said: str) -> None:
    """In our words: no reader of JSON speaks to the user."""
    for read in (run_from_json, audit_from_json):
        with pytest.raises(RecordError) as caught:
            read(text)
        assert said in str(caught.value)
        assert len(str(caught.value)) < 100 and "\n" not in str(caught.value)
