"""A training step of Rank-AE against the same network with a place for every word, as the public code has it.

    python tests/benchmarks/bench_rank_ae.py [--repeats 5]
    pytest tests/benchmarks/bench_rank_ae.py -m benchmark -s

The plain form makes the tensors of documents x vocabulary x components and hands the labels in as a dense
matrix. Both have the same weights and documents and come to the same loss (asserted). A step is forward, loss
and backward; the best of the repeats counts, in processor seconds, taken in turn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor

from reimpl.rank_ae import VARIANTS, Learned, RankAE, losses
from reimpl.word_batches import WordBatch

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]


@dataclass(frozen=True)
class Case:
    """Sizes of a corpus, and of the third party's network on it."""

    words: int
    labels: int
    words_a_document: int
    labels_a_document: int
    encoder: int
    batch: int = 256


CASES = {
    "Delicious": Case(500, 983, 18, 19, 120),
    "EUR-Lex": Case(5_000, 3_993, 230, 5, 800, batch=64),
}


def plain_losses(net: RankAE, x: Tensor, y: Tensor, rows: Tensor, cols: Tensor) -> tuple[Tensor, Tensor]:
    """The third party's way through the same weights, in training."""
    attention = net.attention
    assert attention is not None and attention.norm is not None
    assert net.encoder_norm is not None and net.decoder_norm is not None
    weighted = x[:, :, None] * net.embedding
    norm = attention.norm
    z = F.batch_norm(attention.reduce(weighted), None, None, norm.scale, norm.shift, training=True)
    pooled = (weighted * torch.sigmoid(attention.expand(torch.relu(z)))).mean(1)
    text = torch.sigmoid(net.feature(pooled))
    hidden = torch.relu(net.encoder_norm(y @ net.label_vectors + net.label_bias))
    label = torch.sigmoid(net.encoder(hidden))
    logits = net.output(torch.sigmoid(net.decoder_norm(net.decoder(label))))
    return losses(net.config, Learned(text, label, logits), rows, cols)


def made(case: Case) -> tuple[RankAE, WordBatch, Tensor, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    config = replace(VARIANTS["third-party"], encoder=case.encoder)
    net = RankAE(config, vectors=torch.randn(case.words, config.embedding), labels=case.labels).train()
    x = torch.zeros(case.batch, case.words)
    y = torch.zeros(case.batch, case.labels)
    for to, many in ((x, case.words_a_document), (y, case.labels_a_document)):
        to.scatter_(1, torch.rand_like(to).topk(many, dim=1).indices, 1)
    x *= torch.rand_like(x) + 0.1
    documents, words = x.nonzero(as_tuple=True)
    rows, cols = y.nonzero(as_tuple=True)
    return net, WordBatch(documents, words, x[documents, words], case.batch), x, y, rows, cols


def measure(name: str, repeats: int = 5) -> float:
    """How many times as long the plain form takes."""
    net, batch, x, y, rows, cols = made(CASES[name])
    sides: dict[str, Callable[[], tuple[Tensor, Tensor]]] = {
        "ours": lambda: losses(net.config, net.learn(batch, rows, cols), rows, cols),
        "plain": lambda: plain_losses(net, x, y, rows, cols),
    }
    best = dict.fromkeys(sides, float("inf"))
    values: dict[str, float] = {}
    for _ in range(repeats):
        for side, both in sides.items():
            net.zero_grad()
            began = time.process_time()
            value = torch.stack(both()).sum()
            value.backward()  # type: ignore[no-untyped-call]
            best[side] = min(best[side], time.process_time() - began)
            values[side] = float(value.detach())
    assert abs(values["ours"] - values["plain"]) < 1e-4 * values["plain"]
    ratio = best["plain"] / best["ours"]
    print(f"{name}: ours {best['ours'] * 1e3:.1f} ms, plain {best['plain'] * 1e3:.1f} ms, ratio {ratio:.1f}")
    return ratio


@pytest.mark.parametrize("name", CASES)
def test_absent_words_cost_nothing(name: str) -> None:
    assert measure(name) > 2


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    for case_name in CASES:
        measure(case_name, options.repeats)
