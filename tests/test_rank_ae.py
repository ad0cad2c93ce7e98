"""Rank-AE: words, batch normalisation, training, resuming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import Tensor

from reimpl import rank_ae
from reimpl.data.dataset import Dataset, Split
from reimpl.errors import ConfigError
from reimpl.models import reduced_config
from reimpl.protocol import Protocol
from reimpl.rank_ae import VARIANTS, Config, build
from reimpl.training import Interrupted, Result, Watch
from reimpl.word_batches import SlotBatchNorm, WordBatch
from tests.toys import toy_data, toy_protocol

Patch = pytest.MonkeyPatch
D, L = 9, 6


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def small(variant: str = "paper", **changes: Any) -> Config:
    return replace(VARIANTS[variant], **{"encoder": 7, "hidden": 4, "embedding": 8, **changes})


def featured(n_train: int = 23, n_test: int = 11, seed: int = 0) -> Dataset:
    """Documents of weighted features, whose labels follow from them; the last has none of either."""
    rng = np.random.default_rng(seed)
    wanted = rng.integers(0, D, (L, 2))

    def part(n: int) -> Split:
        X = rng.random((n, D)) * (rng.random((n, D)) < 0.5)
        X[-1] = 0
        has = X[:, wanted].sum(axis=2) > 0.7
        split = Split.from_lists([[]] * n, [np.flatnonzero(row).tolist() for row in has])
        return replace(split, features=sparse.csr_matrix(X, dtype=np.float32))

    return toy_data(train=part(n_train), test=part(n_test))


def run(config: Config, data: Dataset, protocol: Protocol | None = None, **options: Any) -> Result:
    return rank_ae.train(config, data, protocol or toy_protocol(padding="batch"), seed=1, **options)


def same(first: Result, second: Result) -> bool:
    assert first.top_scores is not None and second.top_scores is not None
    equal = np.array_equal(first.top_scores, second.top_scores)
    return equal and [row["loss"] for row in first.curve] == [row["loss"] for row in second.curve]


# ------------------------------------------------------------------------------------------- the network


def words_of(rows: Sequence[Sequence[float]]) -> WordBatch:
    x = torch.tensor(rows)
    documents, words = x.nonzero(as_tuple=True)
    return WordBatch(documents, words, x[documents, words], len(x))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_first_layer_had_once_a_word_computes_the_same(variant: str) -> None:
    """Where a batch has more words than the vocabulary, F1 is had of the vocabulary."""
    torch.manual_seed(0)
    net = build(small(variant), vectors=torch.randn(5, 8), labels=L).double().eval()
    wide = build(small(variant), vectors=torch.randn(500, 8), labels=L).double().eval()
    state = {name: it for name, it in net.state_dict().items() if len(it.shape) == 0 or it.shape[0] != 5}
    wide.load_state_dict(state, strict=False)
    with torch.no_grad():
        wide.embedding[:5] = net.embedding
    x = torch.rand(4, 5) + 0.1
    if net.config.pooling == "slots":  # the one thing that the size of the vocabulary decides
        net.feature.weight.data /= 100
    torch.testing.assert_close(net(words_of(x.tolist())), wide(words_of(x.tolist())), rtol=0, atol=1e-12)


def test_all_words_present_is_torchs_batch_normalisation() -> None:
    """In training and in prediction, gradients and running values too."""
    torch.manual_seed(0)
    ours, theirs = SlotBatchNorm(5).double(), torch.nn.BatchNorm1d(5).double()
    for parameter, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        parameter.data.normal_()
        other.data.copy_(parameter)
    z = torch.randn(4, 5, 3, dtype=torch.float64)
    batch = words_of(np.ones((4, 5)).tolist())
    for training in (True, False):
        x, y = z.clone().requires_grad_(), z.clone().requires_grad_()
        out = ours.train(training)(x.flatten(0, 1), torch.randn(3, dtype=torch.float64), batch)
        expected = theirs.train(training)(y)
        torch.testing.assert_close(out.unflatten(0, (4, 5)), expected)
        torch.testing.assert_close(
            *(torch.autograd.grad(it.square().sum(), x_) for it, x_ in ((out, x), (expected, y)))
        )
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)


def test_a_saturated_output_makes_no_ties_in_the_ranking() -> None:
    """Scores are those before the sigmoid."""
    net = build(small("paper"), vectors=torch.randn(5, 8), labels=3)
    net.output.weight.data.zero_()
    net.output.bias.data = torch.tensor([50.0, 60.0, 70.0])
    assert net(words_of([[1.0, 0, 0, 0, 0]])).tolist() == [[50, 60, 70]]


# ------------------------------------------------------------------------------------------ the training


@pytest.mark.parametrize("variant", ["paper", "bce"])
def test_it_comes_to_rank_what_follows_from_the_features(variant: str) -> None:
    """Far better than by chance: the labels are sums of two features."""
    data = featured(400, 200)
    result = run(small(variant, hidden=8), data, toy_protocol(padding="batch", epochs=60, batch_size=32))
    share = 100 * len(data.test.label_ids) / (data.test.size * L)
    assert result.metrics["P@1"] > share + 25


@pytest.mark.parametrize(
    ("norm_epochs", "moves"),
    [(None, [True, True, True]), (1, [True, False, False]), (2, [True, True, False])],
)
def test_batch_normalisation_is_frozen_after_its_epochs(
    monkeypatch: Patch, norm_epochs: int | None, moves: list[bool]
) -> None:
    """The third party's is after the first; the running values stay from there on."""
    seen: list[Tensor] = []
    from reimpl.rank_ae import Training

    one_epoch = Training._one_epoch

    def watched(self: Training) -> None:
        one_epoch(self)
        norm = self.network.encoder_norm
        assert norm is not None and norm.running_mean is not None
        seen.append(norm.running_mean.clone())

    monkeypatch.setattr(Training, "_one_epoch", watched)
    run(small("third-party", norm_epochs=norm_epochs), featured())
    before = [torch.zeros_like(seen[0]), *seen]
    assert [not torch.equal(a, b) for a, b in zip(before, seen, strict=False)] == moves


def test_a_last_batch_of_one_document_is_no_hindrance() -> None:
    """It has no variance over documents: it is normalised as in prediction."""
    result = run(
        small("third-party", norm_epochs=None), featured(), toy_protocol(padding="batch", batch_size=11)
    )
    assert not result.failed


@pytest.mark.parametrize("variant", ["paper", "third-party", "binary-ids"])
@pytest.mark.parametrize("stop_at", [1, 7])
def test_an_interrupted_run_ends_with_the_same_bits(tmp_path: Path, variant: str, stop_at: int) -> None:
    """Before batch normalisation is frozen, and behind that."""
    data, path = featured(), tmp_path / "checkpoint.pt"
    calls = iter(range(10**6))
    with pytest.raises(Interrupted):
        run(small(variant), data, watch=Watch(stop=lambda: next(calls) == stop_at, checkpoint=path))
    resumed = run(small(variant), data, watch=Watch(checkpoint=path))
    assert same(resumed, run(small(variant), data))


@pytest.mark.parametrize(
    "config", [small(), small("third-party"), small("third-party", attention_bias=False)]
)
def test_it_trains_in_half_precision(config: Config) -> None:
    result = run(config, featured(), precision="bf16")
    assert not result.failed


def test_parts_of_a_batch_have_the_gradient_of_the_whole(monkeypatch: Patch) -> None:
    """Without batch normalisation, whose statistics are those of a part."""
    from reimpl.rank_ae import Training

    whole = run(small(), featured())
    init = Training.__init__

    def halved(self: Training, *given: Any, **how: Any) -> None:
        init(self, *given, **how)
        self.micro_batch = 2

    monkeypatch.setattr(Training, "__init__", halved)
    parts = run(small(), featured())
    assert [it["loss"] for it in parts.curve] == pytest.approx([it["loss"] for it in whole.curve], rel=1e-4)


# ---------------------------------------------------------------------------------------- configurations


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attention": "full"}, "attention must be one of 'channel', 'none', not 'full'"),
        ({"loss": "hinge"}, "loss must be one of 'ranking', 'bce', not 'hinge'"),
        ({"layer_norm": 1}, "layer_norm must be true or false, not 1"),
        ({"embedding": 0}, "embedding must be a whole number from 1, not 0"),
        ({"hidden": 2.5}, "hidden must be a whole number from 1, or null for none, not 2.5"),
        ({"margin": -1}, "margin must be a number from 0, not -1"),
        ({"balance": float("inf")}, "balance must be a number from 0, not inf"),
        ({"attention": "none", "attention_norm": True}, "attention_norm must be false"),
    ],
)
def test_a_value_that_cannot_be_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config(**change)


def test_vectors_too_small_for_the_attention_are_refused() -> None:
    with pytest.raises(ConfigError, match="reduction must be at most 3"):
        build(small(), vectors=torch.randn(5, 3), labels=L)


def test_few_labels_have_a_smaller_common_space() -> None:
    """Section 3.1: 100 and 200."""
    assert (Config().common(983), Config().common(30_938), Config(hidden=80).common(983)) == (100, 200, 80)


def test_reduced_sizes_keep_the_choices() -> None:
    config = reduced_config(rank_ae, VARIANTS["third-party"], {})
    assert config == replace(VARIANTS["third-party"], embedding=32, encoder=64)


def test_a_score_is_a_sum_over_words() -> None:
    """By hand: no attention, one component: (.5 * 2 + 2 * -1) / 2 = -.5, then F, D linear."""
    config = small(attention="none", hidden=1, encoder=1)
    net = build(config, vectors=torch.tensor([[2.0], [-1.0]]), labels=2)
    for layer, w, b in (
        (net.feature, [[3.0]], [1.0]),
        (net.decoder, [[-2.0]], [0.5]),
        (net.output, [[1.0], [2.0]], [0, 1.0]),
    ):
        layer.weight.data, layer.bias.data = torch.tensor(w), torch.tensor(b)
    # F: -.5 * 3 + 1 = -.5; D: ReLU(-2 * -.5 + .5) = 1.5; scores 1.5 and 4
    assert net(words_of([[0.5, 2.0]])).tolist() == [[1.5, 4.0]]
