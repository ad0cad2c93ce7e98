"""The vocabulary of metric names."""

from __future__ import annotations

import pytest

from reimpl.errors import ConfigError
from reimpl.metric_names import METRICS, Metric, parse


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("P@1", Metric("P", 1)),
        ("nDCG@5", Metric("nDCG", 5)),
        ("PSnDCG@100", Metric("PSnDCG", 100)),
        ("Micro-F1", Metric("Micro-F1")),
    ],
)
def test_known_names(name: str, metric: Metric) -> None:
    """A known name comes apart into family and k, and together again."""
    assert parse(name) == metric
    assert str(metric) == name


def test_every_family_parses() -> None:
    """All of the vocabulary is spelled as it is listed."""
    for family, has_k in METRICS.items():
        assert parse(f"{family}@5" if has_k else family).family == family


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("NDCG@5", "did you mean nDCG@5?"),
        ("ndcg@3", "did you mean nDCG@3?"),
        ("Precision@1", "did you mean P@1?"),
        ("recall@5", "did you mean R@5?"),
        ("N@1", "did you mean nDCG@1?"),
        ("PSP5", "did you mean PSP@5?"),
        ("P", "did you mean P@5?"),
        ("P@0", "did you mean P@5?"),
        ("P@01", "did you mean P@5?"),
        ("P@1.5", "did you mean P@5?"),
        ("P@-1", "did you mean P@5?"),
        ("P@٣", "did you mean P@5?"),
        ("Micro-F1@5", "did you mean Micro-F1?"),
        ("microF1", "did you mean Micro-F1?"),
        ("macro-f1", "did you mean Macro-F1?"),
    ],
)
def test_other_spellings_get_the_nearest_name(name: str, suggestion: str) -> None:
    """Another spelling is refused with the name that was probably meant."""
    with pytest.raises(ConfigError) as problem:
        parse(name)
    assert f"unknown metric {name!r}, {suggestion}" in str(problem.value)


@pytest.mark.parametrize("name", ["", "@", "@5", "accuracy", "xyz@1"])
def test_unknown_names_get_the_list(name: str) -> None:
    """A name like no other is answered with all names."""
    with pytest.raises(ConfigError, match=r"known: P@k, R@k, RP@k, nDCG@k, PSP@k, PSnDCG@k, Micro-F1"):
        parse(name)
