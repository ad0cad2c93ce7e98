"""A training step of BertXML, and of CorNet's blocks, against the same built the plain way.

    python tests/benchmarks/bench_cornet.py [cpu|cuda] [--repeats 3]
    pytest tests/benchmarks/bench_cornet.py -m benchmark -s

Plain: attention as the public code writes it (scores, -10,000 on padding, softmax, dropout), all states of
the last layer, blocks whose sums are new tensors. Both sides have the same weights and the same batch, and
make the same scores (asserted). A step is forward, loss and backward. The two take turns; of the repeats the
best counts, in processor seconds on a CPU (OMP_NUM_THREADS=1 makes them hold on a busy machine) and in
seconds on a GPU. Beside it: what autograd keeps for the backward pass, weights not counted. Of blocks both
keep the same, one tensor of documents x labels each.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from reimpl import bert_xml, cornet
from reimpl.losses import bce_mean

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

Step = Callable[[], Tensor]
Case = tuple[dict[str, Step], nn.Module]


class PlainAttention(nn.Module):
    """`bert_xml.Attention` with its weights, score by score."""

    def __init__(self, ours: bert_xml.Attention) -> None:
        super().__init__()
        self.ours = ours

    def forward(self, x: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (
            self.ours._split(layer(z))
            for layer, z in ((self.ours.query, x), (self.ours.key, states), (self.ours.value, states))
        )
        scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5 + (1.0 - mask.float()) * -10_000.0
        weights = F.dropout(scores.softmax(dim=3), self.ours.dropout, self.training)
        out = self.ours.output((weights @ v).transpose(1, 2).flatten(2))
        return F.dropout(out, self.ours.dropout, self.training)


class PlainBertXML(nn.Module):
    """`BertXML` with its weights; every state of every layer."""

    def __init__(self, ours: bert_xml.BertXML) -> None:
        super().__init__()
        self.ours = ours
        self.attention = nn.ModuleList(PlainAttention(layer.attention) for layer in ours.encoder)

    def forward(self, ids: Tensor) -> Tensor:
        net, M = self.ours, len(self.ours.cls)
        x = torch.cat((net.cls.expand(len(ids), -1, -1), net.words(ids)), dim=1)
        x = F.dropout(x + net.positions[: x.shape[1]], net.config.dropout, self.training)
        mask = F.pad(ids != 0, (M, 0), value=True)[:, None, None]
        for layer, attention in zip(net.encoder, self.attention, strict=True):
            x = x + attention(x, x, mask)
            inner = layer.outer(F.relu(layer.inner(x)))
            x = x + F.dropout(inner, net.config.dropout, self.training)
        return net.output(F.elu(net.pooler(F.elu(x[:, :M].flatten(1)))))


def plain_blocks(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        y = block.expand(F.elu(block.reduce(torch.sigmoid(x))))
        x = y + x
    return x


def blocks_of(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        x = block(x)
    return x


# -------------------------------------------------------------------------------------------------- cases


def bert(device: str, batch: int, *, length: int = 500, labels: int = 3_956) -> Case:
    """Section 5.2.2 on EUR-Lex: most documents are as long as can be, the others down to a tenth."""
    torch.manual_seed(0)
    config = bert_xml.VARIANTS["code"]
    made = bert_xml.BertXML(config, vectors=torch.empty(20_000, 300), labels=labels, length=length)
    sides = {"ours": made.to(device), "plain": PlainBertXML(made).to(device)}
    ids = torch.randint(1, 20_000, (batch, length))
    lengths = torch.where(torch.rand(batch) < 0.7, length, torch.randint(length // 10, length, (batch,)))
    ids = ids.masked_fill(torch.arange(length) >= lengths[:, None], 0).to(device)
    rows, cols = torch.arange(batch, device=device), torch.randint(0, labels, (batch,), device=device)
    with torch.no_grad():
        first, second = (side.eval()(ids) for side in sides.values())
    torch.testing.assert_close(first, second, rtol=0, atol=1e-5)
    steps = {
        name: lambda side=side: _backward(side.train(), bce_mean(side(ids), rows, cols))
        for name, side in sides.items()
    }
    return steps, made


def blocks(device: str, batch: int, *, labels: int, context: int) -> Case:
    """Two blocks upon raw scores."""
    torch.manual_seed(0)
    with torch.device(device):
        made = cornet.cornet_blocks(labels, context=context)
        features, output = torch.randn(batch, 64), nn.Linear(64, labels)
        rows, cols = torch.arange(batch), torch.randint(0, labels, (batch,))
    ways = {"ours": blocks_of, "plain": plain_blocks}
    with torch.no_grad():
        first, second = (way(made, output(features)) for way in ways.values())
    torch.testing.assert_close(first, second, rtol=0, atol=1e-5)
    steps = {
        name: lambda way=way: _backward(made, bce_mean(way(made, output(features)), rows, cols))
        for name, way in ways.items()
    }
    return steps, nn.ModuleList([made, output])


def _backward(network: nn.Module, value: Tensor) -> Tensor:
    value.backward()
    network.zero_grad()
    return value


# -------------------------------------------------------------------------------------------- measurement


def measure(name: str, case: Case, device: str, repeats: int) -> dict[str, Any]:
    """Best time of a step and bytes kept, by side."""
    steps, network = case
    clock = time.process_time if device == "cpu" else time.perf_counter
    best = dict.fromkeys(steps, float("inf"))
    for repeat in range(repeats + 1):
        for side, step in steps.items():
            began = clock()
            step()
            if device == "cuda":
                torch.cuda.synchronize()
            if repeat:  # the first is for warming up
                best[side] = min(best[side], clock() - began)
    kept = {side: _kept(step, network) for side, step in steps.items()}
    print(
        f"{name}, {device}: {best['ours'] * 1e3:,.0f} ms, plain {best['plain'] * 1e3:,.0f} ms, "
        f"ratio {best['plain'] / best['ours']:.2f}; kept {kept['ours'] / 1e6:,.0f} MB, "
        f"plain {kept['plain'] / 1e6:,.0f} MB",
        flush=True,
    )
    return {"seconds": best, "kept": kept}


def _kept(step: Step, network: nn.Module) -> int:
    """Bytes of all storages, each once, that autograd saves during a step, weights not counted."""
    weights = {p.untyped_storage().data_ptr() for p in network.parameters()}
    sizes: dict[int, int] = {}
    alive: list[Tensor] = []

    def note(tensor: Tensor) -> Tensor:
        if tensor.untyped_storage().data_ptr() not in weights:
            alive.append(tensor)  # or its place in memory would be taken by the next
            sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        step()
    return sum(sizes.values())


def test_a_step_of_bert_xml_is_faster_than_the_plain_form_and_keeps_less() -> None:
    found = measure("BertXML", bert("cpu", 8), "cpu", repeats=2)
    assert found["seconds"]["plain"] / found["seconds"]["ours"] > 1
    assert found["kept"]["ours"] < found["kept"]["plain"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("device", nargs="?", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    gpu = options.device == "cuda"
    cases: dict[str, Callable[[], Case]] = {
        "BertXML, EUR-Lex": lambda: bert(options.device, 40 if gpu else 8),
        "BertXML, small": lambda: bert(options.device, 32, length=96, labels=90),
        "2 blocks, EUR-Lex": lambda: blocks(options.device, 40, labels=3_956, context=1000),
        "2 blocks, Wiki-500K": lambda: blocks(
            options.device, 200 if gpu else 16, labels=501_008, context=100
        ),
    }
    for name, make in cases.items():
        measure(name, make(), options.device, options.repeats)


if __name__ == "__main__":
    main()
