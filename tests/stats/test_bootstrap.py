"""Tests of audit.stats.bootstrap."""

from __future__ import annotations

import math
import time
import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.stats.bootstrap import bootstrap_difference, ceiling, exact_bootstrap, replicated_means
from tests.stats import golden


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def hits(seeds: int, documents: int, share: float, seed: int) -> Any:
    """P@1 of each document, in points, of systems that agree on what is hard."""
    hard = generator(99).random(documents)  # the same documents for all systems
    return 100.0 * (hard + 0.1 * generator(seed).standard_normal((seeds, documents)) < share)


A, B = hits(3, 200, 0.75, 1), hits(3, 200, 0.70, 2)


@golden.cases("bootstrap_exact")
def test_all_resamples_of_a_few_values(case: dict[str, Any]) -> None:
    values = case["inputs"]["values"]
    got = exact_bootstrap(values)
    golden.check(
        case,
        n_resamples=got.resamples,
        mean_of_means=got.mean,
        sd_of_means=got.sd,
        min=got.low,
        max=got.high,
        p_min=got.p_low,
        expected_se=float(np.std(values)) / math.sqrt(len(values)),
    )


@golden.cases("bootstrap_ceiling")
def test_an_interval_over_few_seeds_cannot_cover_much(case: dict[str, Any]) -> None:
    coverage = [ceiling(n) for n in case["inputs"]["n"]]
    golden.check(case, max_coverage_percentile_interval_for_median=coverage)


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [1.0, 1.0, 3.0, 7.0], [5.0] * 3])
def test_the_exact_law_is_that_of_all_resamples_one_by_one(values: list[float]) -> None:
    means = np.array([np.mean(x) for x in product(values, repeat=len(values))])
    got = exact_bootstrap(values)
    assert got.resamples == len(means)
    assert (got.mean, got.sd) == (pytest.approx(means.mean()), pytest.approx(means.std(), abs=1e-12))
    assert got.p_low == pytest.approx(np.mean(means <= means.min() + 1e-9))


@pytest.mark.parametrize("values", [[], [1.0] * 9, [math.nan]])
def test_what_cannot_be_enumerated_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="1 to 8 finite values"):
        exact_bootstrap(values)
    with pytest.raises(ValueError, match="at least one run, got 0"):
        ceiling(0)


def test_one_draw_of_documents_serves_all_systems_and_seeds() -> None:
    """A copy of a system gets the same means; each replicate is the mean over one list of documents."""
    means = replicated_means([A, B, A], rng=generator(), replicates=50)
    assert np.array_equal(means[:, 0], means[:, 2])
    rng = generator()
    for row in means:
        drawn = rng.integers(200, size=200)
        assert row[:2] == pytest.approx([A[:, drawn].mean(), B[:, drawn].mean()])


def test_equal_systems_differ_by_nothing_in_every_replicate() -> None:
    got = bootstrap_difference(A, A, rng=generator(), replicates=100)
    assert (got.estimate, got.se, got.low, got.high, got.p_not_greater) == (0.0, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_same_generator_gives_the_same_interval_whatever_numpys_own_is(method: Any) -> None:
    np.random.seed(1)
    one = bootstrap_difference(A, B, rng=generator(7), replicates=200, method=method)
    np.random.seed(2)
    assert bootstrap_difference(A, B, rng=generator(7), replicates=200, method=method) == one
    assert bootstrap_difference(A, B, rng=generator(8), replicates=200, method=method) != one


def test_the_percentile_interval_is_that_of_scipy() -> None:
    """Skewed differences of 60 documents, 20,000 replicates: ends within Monte Carlo error of each other."""
    x = generator(3).exponential(10.0, size=(1, 60))
    got = bootstrap_difference(x, np.zeros((1, 60)), rng=generator(4), replicates=20_000)
    theirs = stats.bootstrap((x[0],), np.mean, n_resamples=20_000, method="percentile", rng=generator(5))
    tolerance = 0.05 * theirs.standard_error
    assert got.low == pytest.approx(theirs.confidence_interval.low, abs=tolerance)
    assert got.high == pytest.approx(theirs.confidence_interval.high, abs=tolerance)
    assert got.se == pytest.approx(theirs.standard_error, rel=0.03)


def their_bca(data: tuple[Any, ...], statistic: Any, draws: Any, **options: Any) -> tuple[float, float]:
    """The BCa interval of scipy on replicates that are given."""
    result = stats.bootstrap(data, statistic, n_resamples=2, method="percentile", **options)
    result.bootstrap_distribution = draws
    ends = stats.bootstrap(data, statistic, n_resamples=0, bootstrap_result=result, method="BCa", **options)
    return tuple(ends.confidence_interval)


def test_bca_of_given_replicates_is_that_of_scipy() -> None:
    x = generator(3).exponential(10.0, size=(1, 60))
    draws = replicated_means([x], rng=generator(4), replicates=999)[:, 0]
    got = bootstrap_difference(x, 0.0 * x, rng=generator(4), replicates=999, method="bca")
    assert (got.low, got.high) == pytest.approx(their_bca((x[0],), np.mean, draws))


def test_bca_counts_replicates_equal_to_the_estimate_half() -> None:
    """P@3 of 30 documents takes few values, which differ by rounding: none of these is equal as it stands."""
    x = 100.0 / 3.0 * generator(15).integers(0, 4, size=(3, 30))
    draws = replicated_means([x], rng=generator(4), replicates=999)[:, 0]
    assert np.mean(np.isclose(draws, x.mean())) > 0.03
    got = bootstrap_difference(x, 0.0 * x, rng=generator(4), replicates=999, method="bca")
    rounded = np.round(draws, 9)  # scipy compares for equality

    def mean(documents: Any, axis: int) -> Any:
        return np.round(documents.mean(axis=axis), 9)

    assert (got.low, got.high) == pytest.approx(their_bca((x.mean(axis=0),), mean, rounded), abs=1e-6)


def test_bca_over_clusters_of_different_size_is_that_of_scipy() -> None:
    """A ratio of sums, jackknifed cluster by cluster."""
    x, ids = generator(9).exponential(10.0, size=(1, 60)), generator(10).integers(15, size=60)
    options: dict[str, Any] = {"replicates": 999, "clusters": ids}
    draws = replicated_means([x], rng=generator(4), **options)[:, 0]
    got = bootstrap_difference(x, 0.0 * x, rng=generator(4), method="bca", **options)
    sums, sizes = np.bincount(ids, weights=x[0]), np.bincount(ids)

    def ratio(total: Any, size: Any, axis: int) -> Any:
        return total.sum(axis=axis) / size.sum(axis=axis)

    assert (got.low, got.high) == pytest.approx(their_bca((sums, sizes), ratio, draws, paired=True))


def test_bca_over_seeds_of_two_systems_is_that_of_scipy() -> None:
    """Systems whose seeds shift all documents alike: two samples of seeds, and no noise of documents."""
    a, b = (generator(seed).exponential(2.0, (size, 1)) for seed, size in ((3, 9), (4, 12)))
    documents = np.linspace(40.0, 60.0, 7)
    options: dict[str, Any] = {"replicates": 999, "resample_seeds": True}
    means = replicated_means([a + documents, b + documents], rng=generator(5), **options)
    got = bootstrap_difference(a + documents, b + documents, rng=generator(5), method="bca", **options)

    def gap(x: Any, y: Any, axis: int) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    theirs = their_bca((a[:, 0], b[:, 0]), gap, means[:, 0] - means[:, 1])
    assert (got.low, got.high) == pytest.approx(theirs)


def test_bca_leans_to_the_long_tail() -> None:
    x, zero = generator(3).exponential(10.0, size=(1, 60)), np.zeros((1, 60))
    plain, bca = (
        bootstrap_difference(x, zero, rng=generator(4), replicates=4000, method=m)  # type: ignore[arg-type]
        for m in ("percentile", "bca")
    )
    assert bca.low > plain.low
    assert bca.high > plain.high


def test_pairing_takes_the_difficulty_of_documents_out() -> None:
    paired = bootstrap_difference(A, B, rng=generator(), replicates=500)
    means_a = replicated_means([A], rng=generator(1), replicates=500)[:, 0]
    means_b = replicated_means([B], rng=generator(2), replicates=500)[:, 0]
    gaps = A.mean(axis=0) - B.mean(axis=0)
    assert paired.se == pytest.approx(gaps.std() / math.sqrt(200), rel=0.1)
    assert paired.se < 0.8 * (means_a - means_b).std()


def test_copies_of_documents_are_no_more_documents_where_they_are_a_cluster() -> None:
    """Each document four times: without clusters the error would be half as large."""
    four_a, four_b, ids = np.repeat(A, 4, axis=1), np.repeat(B, 4, axis=1), np.repeat(np.arange(200), 4)
    once = bootstrap_difference(A, B, rng=generator(), replicates=400)
    clustered = bootstrap_difference(four_a, four_b, rng=generator(), replicates=400, clusters=ids)
    ignored = bootstrap_difference(four_a, four_b, rng=generator(), replicates=400)
    assert clustered.se == pytest.approx(once.se)
    assert (clustered.low, clustered.high) == pytest.approx((once.low, once.high))
    assert ignored.se == pytest.approx(once.se / 2, rel=0.15)


def test_a_drawn_cluster_brings_all_its_documents() -> None:
    """Clusters of 1 and 3 documents: the mean is over the documents drawn, by hand for each draw of two."""
    x, ids = np.array([[0.0, 100.0, 40.0, 70.0]]), ["b", "a", "b", "b"]
    means = replicated_means([x], rng=generator(), replicates=200, clusters=ids)
    a, b, mixed = 100.0, 110.0 / 3, 210.0 / 4
    assert {round(float(m), 9) for m in means[:, 0]} == {round(v, 9) for v in (a, b, mixed)}


def test_bca_counts_clusters_not_documents() -> None:
    four_a, four_b, ids = np.repeat(A, 4, axis=1), np.repeat(B, 4, axis=1), np.repeat(np.arange(200), 4)
    once = bootstrap_difference(A, B, rng=generator(), replicates=400, method="bca")
    clustered = bootstrap_difference(
        four_a, four_b, rng=generator(), replicates=400, clusters=ids, method="bca"
    )
    assert (clustered.low, clustered.high) == pytest.approx((once.low, once.high))


def test_few_seeds_are_not_resampled() -> None:
    with pytest.raises(ValueError, match=r"fewer than 8 seeds are not resampled \(got \[3, 3\]\)"):
        bootstrap_difference(A, B, rng=generator(), resample_seeds=True)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_seeds_that_are_drawn_too_add_their_noise(method: Any) -> None:
    """Seeds that shift all documents by N(0, 2^2), 10 a system: se^2 = 2 * s^2 / 10 + that of documents."""
    rng = generator(6)
    shift_a, shift_b = rng.normal(0, 2, (10, 1)), rng.normal(0, 2, (10, 1))
    base = rng.normal(50, 5, 300)
    a, b = base + shift_a, base + 1.0 + shift_b
    fixed = bootstrap_difference(a, b, rng=generator(), replicates=2000, method=method)
    drawn = bootstrap_difference(a, b, rng=generator(), replicates=2000, resample_seeds=True, method=method)
    assert fixed.se == pytest.approx(0.0, abs=1e-9)  # every document has the same difference
    expected = math.sqrt((shift_a.var() + shift_b.var()) / 10)
    assert drawn.se == pytest.approx(expected, rel=0.06)
    assert drawn.low < drawn.estimate < drawn.high


def test_drawing_seeds_leaves_the_documents_as_they_were() -> None:
    """Systems whose seeds are all equal: drawing them changes nothing."""
    a, b = np.repeat(A[:1], 8, axis=0), np.repeat(B[:1], 8, axis=0)
    fixed = bootstrap_difference(a, b, rng=generator(), replicates=300)
    drawn = bootstrap_difference(a, b, rng=generator(), replicates=300, resample_seeds=True)
    assert (drawn.low, drawn.high) == pytest.approx((fixed.low, fixed.high))


def test_the_share_of_replicates_without_a_gain() -> None:
    far = bootstrap_difference(A + 50.0, B, rng=generator(), replicates=99)
    assert far.p_not_greater == pytest.approx(1 / 100)


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        ([], {}, "seeds x the same documents"),
        ([np.ones((2, 3)), np.ones((2, 4))], {}, "seeds x the same documents"),
        ([np.ones(3)], {}, "seeds x the same documents"),
        ([np.ones((2, 0))], {}, "seeds x the same documents"),
        ([np.full((2, 3), np.nan)], {}, "a finite value"),
        ([np.ones((2, 3))], {"replicates": 0}, "at least one replicate, got 0"),
        ([np.ones((2, 3))], {"clusters": [1, 2]}, "a cluster for each of 3 documents"),
    ],
)
def test_what_cannot_be_resampled_is_refused(systems: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replicated_means(systems, rng=generator(), **options)


def test_ten_thousand_documents_take_a_second_and_little_memory() -> None:
    """2 systems of 5 seeds, 2,000 replicates: measured 0.3 s and 17 MiB beyond the data; 20 million draws."""
    a, b = hits(5, 10_000, 0.7, 1), hits(5, 10_000, 0.7, 2)
    tracemalloc.start()
    start = time.process_time()
    bootstrap_difference(a, b, rng=generator(), replicates=2000)
    seconds = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 2**20  # all draws at once would be 160 MiB
    assert seconds < 20.0  # on any machine; a loop in Python over documents takes minutes
