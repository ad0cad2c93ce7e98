"""What stands beside a claim: other models on its documents, and all split columns of its corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from audit.record import Audit, DataSheet, SplitNoise, SplitStudy
from reports.claim_cards import card
from reports.lookup import lookup
from reports.render import html
from reports.yardsticks import over_columns
from tests.reports import sample
from tests.test_study import make_study


def sheet(content: str) -> DataSheet:
    return DataSheet("eurlex", "EUR-Lex", content, "", "", ())


def with_linear(**more: object) -> Audit:
    """The study, and a linear model whose recipe is another but whose documents are the same."""
    audit = sample.study()
    first = audit.experiments[0]
    runs = tuple(
        replace(run, key=f"l{k}", metrics={"P@1": 69.7}, data=replace(run.data, fingerprint="bag"))
        for k, run in enumerate(first.runs)
    )
    parts: dict[str, Any] = {"title": "Linear SVM", "model": "linear", "runs": runs, "data": sheet("same")}
    linear = replace(first, id="linear", **(parts | more))
    held = tuple(replace(it, data=sheet("same")) if it.runs else it for it in audit.experiments)
    return replace(audit, experiments=(*held, linear))


def beside(audit: Audit, claim: str = "kim-words-value:P@1") -> list[tuple[str, str, str]]:
    found = lookup(audit)
    (one,) = [it for it in audit.claims if it.id == claim]
    facts = card(one, found).facts
    return [
        (it.term, it.text, it.href) for it in facts if it.term in ("On the same data", "Over split columns")
    ]


def test_another_model_on_the_same_documents_stands_beside_the_claim() -> None:
    """With its mean, its seeds and a link to what was run; by the claim's metric alone."""
    audit = with_linear()
    assert beside(audit) == [("On the same data", "“Linear SVM” reaches 69.70 P@1 (3 seeds)", "#s-linear")]
    assert beside(audit, "kim-words-value:P@3") == []
    assert 'id="s-linear"' in html(audit)


def test_other_documents_or_the_same_model_are_no_yardstick() -> None:
    assert beside(with_linear(data=None)) == []
    audit = with_linear()
    other = replace(audit.experiments[-1], data=sheet("other"))
    assert beside(replace(audit, experiments=(*audit.experiments[:-1], other))) == []
    assert beside(sample.study()) == []


def test_the_linear_model_stands_first_and_three_are_named() -> None:
    """Then the best of the others."""
    audit = with_linear()
    linear = audit.experiments[-1]
    more = tuple(
        replace(
            linear,
            id=f"m{k}",
            title=f"M{k}",
            model=f"m{k}",
            runs=tuple(replace(run, key=f"m{k}{run.key}", metrics={"P@1": 70.0 + k}) for run in linear.runs),
        )
        for k in range(4)
    )
    told = beside(replace(audit, experiments=(*audit.experiments[:-1], *more, linear)))
    assert [text.partition(" reaches")[0] for _, text, _ in told] == ["“Linear SVM”", "“M3”", "“M2”"]


@pytest.mark.parametrize(
    ("own", "its", "said"),
    [
        (True, "same", ", tuned on the same held-out documents,"),
        (True, "other", ", tuned,"),
        (False, "same", ", tuned,"),
        (True, None, ", not tuned,"),
        (False, None, ""),
    ],
)
def test_how_it_was_tuned_is_said(own: bool, its: str | None, said: str) -> None:
    """As fairly as the claim's own arms, or not."""
    study = replace(make_study(), validation="same")
    audit = with_linear(study=None if its is None else replace(study, validation=its))
    held = tuple(replace(it, study=study) if own and it.model != "linear" else it for it in audit.experiments)
    ((_, text, _),) = beside(replace(audit, experiments=held))
    assert text == f"“Linear SVM”{said} reaches 69.70 P@1 (3 seeds)"


def test_means_over_all_split_columns_are_linked() -> None:
    """Of all arms of a claim, and of the yardstick; nothing where one column alone was run."""
    one = SplitNoise("kim_words", "P@1", (0, 1), (70.0, 72.0), 2, 0, (0,), (70.0,), 71.0)
    of_linear = replace(one, experiment="linear", values=(68.0, 69.0), mean=68.5)
    audit = replace(with_linear(), splits=SplitStudy("p", "c", "audit run", (one, of_linear), {}))
    assert beside(audit) == [
        (
            "On the same data",
            "“Linear SVM” reaches 69.70 P@1 (3 seeds); 68.50 is its mean over 2 split columns",
            "#s-linear",
        ),
        ("Over split columns", "mean over 2 columns: “Kim-CNN, words” 71.00", "#splits"),
    ]
    alone = replace(audit, splits=SplitStudy("p", "c", "audit run", (replace(one, columns=(0,)),), {}))
    (claim,) = [it for it in audit.claims if it.id == "kim-words-value:P@1"]
    assert over_columns(claim, lookup(alone)) is None
    (order,) = [it for it in audit.claims if it.id == "kim-cnn-is-dramatically-worse:P@1"]
    assert over_columns(order, lookup(audit)) is None
    second = replace(one, experiment="kim_emb", mean=60.0)
    both = over_columns(order, lookup(replace(audit, splits=SplitStudy("p", "c", "", (one, second), {}))))
    assert both is not None
    assert both.text == "means over 2 columns: “Kim-CNN, words” 71.00 and “Kim-CNN, embeddings” 60.00"


def test_a_claim_that_was_not_tested_has_nothing_beside_it() -> None:
    audit = with_linear()
    untested = tuple(replace(it, outcome="inconclusive", reason="not_run") for it in audit.verdicts)
    assert beside(replace(audit, verdicts=untested)) == []
