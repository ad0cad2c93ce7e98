"""Words of the command line become the keys of an entry as its model has them, or one sentence."""

from __future__ import annotations

import pytest

from audit.authoring.entry_keys import Key, keys_of, pairs
from audit.claim_kinds import KINDS
from audit.claim_model import Experiment
from audit.errors import AuditError


def keys(kind: str) -> dict[str, Key]:
    return {it.name: it for it in keys_of(KINDS[kind])}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("order", "better=t1.a", "t1.a"),
        ("order", "metric=P@1", "P@1"),
        ("order", "metric=P@1, P@3", ["P@1", "P@3"]),
        ("order", "primary=yes", True),
        ("order", "negligible=0.2", 0.2),
        ("order", "paired={reason: one seed}", {"reason": "one seed"}),
        ("trend", "levels=t1.a,t1.b", ["t1.a", "t1.b"]),
        ("trend", "direction=rising", "rising"),
        ("value", "runs_behind=5", 5),
        (
            "value",
            "margin={value: 0.5, rule: field, why: usual}",
            {"value": 0.5, "rule": "field", "why": "usual"},
        ),
        ("dominance", "tables=t1", ["t1"]),
        ("complexity", "exponent=1", 1),
        ("arithmetic", "expect=t1.a.P@1 = 5", "t1.a.P@1 = 5"),
        ("arithmetic", "given={L: 3956}", {"L": 3956}),
    ],
)
def test_words_become_the_value_that_the_schema_asks_for(kind: str, text: str, value: object) -> None:
    (held,) = pairs([text], keys(kind)).values()
    assert held == value and type(held) in (type(value), float)


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        ("order", "beter=t1.a", "--set 'beter=t1.a': there is no key 'beter' here; did you mean 'better'?"),
        ("order", "better", "--set 'better': write KEY=VALUE"),
        ("order", "better=", "--set 'better=': write KEY=VALUE"),
        ("order", "metric=NDCG@5", "unknown metric 'NDCG@5'; did you mean 'nDCG@5'?"),
        ("order", "better=a.b.c.d", "better 'a.b.c.d' cannot stand there"),
        ("order", "primary=perhaps", "primary 'perhaps' cannot stand there"),
        ("trend", "direction=up", "direction 'up' is not one of its words; known: rising, falling"),
        ("trend", "levels=t1.a", "levels 't1.a' cannot stand there"),
        ("value", "margin={value: 0.5", "margin '{value: 0.5' is no YAML; close its brackets"),
        ("value", "margin=0.5", "margin '0.5' cannot stand there"),
        ("value", "runs_behind=0", "runs_behind '0' cannot stand there"),
    ],
)
def test_what_cannot_stand_there_is_one_sentence(kind: str, text: str, why: str) -> None:
    with pytest.raises(AuditError) as found:
        pairs([text], keys(kind))
    assert why in str(found.value) and "\n" not in str(found.value)


def test_a_key_is_said_once() -> None:
    with pytest.raises(AuditError, match="--set better: it is said twice"):
        pairs(["better=t1.a", "better=t1.b"], keys("order"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_what_it_needs_first_and_a_word_on_each_key(kind: str) -> None:
    held = list(keys(kind).values())
    needed = [it.required for it in held]
    assert needed == sorted(needed, reverse=True)
    assert all(it.about for it in held)
    assert {it.name for it in held} == {of.alias or name for name, of in KINDS[kind].model_fields.items()}


def test_keys_of_an_experiment_are_those_of_its_model() -> None:
    held = {it.name: it for it in keys_of(Experiment)}
    assert held["vocabulary"].choices == ("all", "reduced")
    assert held["config"].value("{hidden: 64}") == {"hidden": 64}
    assert held["datasets"].value("a, b") == ["a", "b"]
