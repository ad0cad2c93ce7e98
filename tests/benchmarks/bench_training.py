"""Training: documents a second and memory against LibMultiLabel 0.10, same text, sizes and batches, CPU.

    pytest tests/benchmarks/bench_training.py -m benchmark -s

Needs `libmultilabel[nn]==0.10.0` and `setuptools<80` beside this project, and about eight minutes on two
quiet cores. Prints one table and asserts that both sides compute the same (parameters, and the loss and
gradients of one batch), never times. The text is reuters21578 where the reference data lie, else synthetic.

Each side trains in a process of its own (`training_sides.py`), and the two do their repeats in turn, so that
both see the same machine. Of the repeats the best counts; the ratio of the medians stands beside it.

step
    forward, loss, backward and optimiser on batches that are ready, the same for both.
epoch
    the whole training loop of each program as its users run it; documents in random order, and for ours
    also in batches of like lengths. "outside" is the share of our epoch that is spent neither in the network
    nor in loss, backward pass or optimiser. LibMultiLabel's loader gets its four worker processes or none,
    whichever is faster (column "workers").
peak MB
    of the process that trains: all of it, and what came on top of interpreter, libraries and corpus.

XMTC_BENCH_REPEATS (3 unless told) repeats more often, XMTC_BENCH_CASES runs only the cases whose name holds
that word, and OMP_NUM_THREADS limits both sides' threads.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import training_sides as sides
from training_sides import Case

from reimpl.data.dataset import Dataset
from reimpl.data.prepare import prepare
from reimpl.data.synthetic import synthetic
from reimpl.losses import bce_mean
from tests.shared import shared

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

REPEATS = int(os.environ.get("XMTC_BENCH_REPEATS", "3"))
ONLY = os.environ.get("XMTC_BENCH_CASES", "")

SMALL: dict[str, Any] = {"dimension": 32, "maps": 16, "hidden": 128, "length": 96, "batch_size": 32}
CASES = {
    "KimCNN E=50": Case("KimCNN", documents=1_920),
    "XMLCNN E=50": Case("XMLCNN", documents=1_920),
    "KimCNN E=300": Case("KimCNN", dimension=300, documents=384, ready=2),
    "XMLCNN E=300": Case("XMLCNN", dimension=300, documents=384, ready=2),
    "KimCNN E=300 fixed": Case("KimCNN", dimension=300, documents=256, ready=2, fixed=True),
    "XMLCNN E=300 fixed": Case("XMLCNN", dimension=300, documents=256, ready=2, fixed=True),
    "KimCNN small": Case("KimCNN", documents=3_840, ready=50, **SMALL),
    "XMLCNN small": Case("XMLCNN", documents=3_840, ready=50, **SMALL),
    "KimCNN small fixed": Case("KimCNN", documents=3_840, ready=50, fixed=True, **SMALL),
    "XMLCNN small fixed": Case("XMLCNN", documents=3_840, ready=50, fixed=True, **SMALL),
}


@dataclass
class Timings:
    """Repeats of one measurement of one side."""

    documents: int = 0
    seconds: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)

    def add(self, answer: dict[str, float]) -> None:
        self.documents = int(answer["documents"])
        self.seconds.append(answer["seconds"])
        if "outside" in answer:
            self.outside.append(answer["outside"] / answer["seconds"])

    @property
    def best(self) -> float:
        """Documents a second."""
        return self.documents / min(self.seconds)

    @property
    def median(self) -> float:
        return self.documents / statistics.median(self.seconds)


@dataclass(frozen=True)
class Measured:
    """What was found in one case."""

    timings: dict[str, Timings]
    memory: dict[str, dict[str, float]]
    workers: str
    """Worker processes of LibMultiLabel's loader: four, its default, or none, whichever was faster."""


class Side:
    """A process that trains; see `training_sides`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.log = (folder / f"{name}.log").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, sides.__file__, name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            cwd=folder,
        )

    def ask(self, command: str) -> dict[str, float]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.log.seek(0)
            raise AssertionError(f"the process ended at {command!r}:\n{self.log.read()[-3000:]}")
        found: dict[str, float] = json.loads(answer)
        return found

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()


# ------------------------------------------------------------------ measuring


def corpus(case: Case) -> Dataset:
    """reuters21578 or, without it, the synthetic corpus with documents of about the same lengths."""
    try:
        folder = shared("data/reuters21578")
    except pytest.skip.Exception:
        length = {"mean_length": 130.0, "length": case.length}
        return synthetic(n_train=case.documents, n_test=10, n_labels=90, dimension=case.dimension, **length)
    rng = np.random.default_rng(0)
    vectors = f"random:{case.dimension}"
    return prepare(folder, recipe="study2022", length=case.length, vectors=vectors, rng=rng)


def assert_same_arithmetic(case: Case, data: Dataset) -> None:
    """Equal parameter counts and, for equal weights and one batch, equal loss and gradients."""
    theirs = sides.build_theirs(case, data).eval()  # no dropout
    ours = sides.build_ours(case, data, torch.from_numpy(data.vectors)).eval()
    sides.give_weights(ours, theirs)
    tokens, rows, cols = sides.batches(case, data)[0]
    mine = bce_mean(ours(tokens), rows, cols)
    target = sides.dense_targets(len(tokens), data.n_labels, rows, cols)
    other, _ = theirs.shared_step({"text": tokens, "label": target})
    torch.testing.assert_close(mine, other)
    mine.backward()
    other.backward()
    # strict: as many tensors of as many numbers
    for own, their in zip(ours.parameters(), theirs.network.parameters(), strict=True):
        torch.testing.assert_close(own.grad, their.grad, rtol=1e-3, atol=1e-6)


def measure(case: Case, folder: Path) -> Measured:
    """Both sides in turn: whole epochs first, for their memory, then steps on ready batches."""
    both = {who: Side(who, folder) for who in ("ours", "theirs")}
    try:
        # The first pass of a process is slower and not counted; the memory is that of one training.
        both["ours"].ask("epoch documents")
        first = both["theirs"].ask("epoch 4")["seconds"]
        memory = {who: side.ask("memory") for who, side in both.items()}
        workers = "4" if first < both["theirs"].ask("epoch 0")["seconds"] else "0"
        orders = ["documents"] if case.fixed else ["documents", "like_lengths"]
        turns = [("ours", f"epoch {order}") for order in orders] + [("theirs", f"epoch {workers}")]
        timings = repeat(both, turns)
        for side in both.values():
            side.ask("step")
        timings |= repeat(both, [("ours", "step"), ("theirs", "step")])
    finally:
        for side in both.values():
            side.close()
    return Measured(timings, memory, workers)


def repeat(both: dict[str, Side], turns: list[tuple[str, str]]) -> dict[str, Timings]:
    """Each command in turn, `REPEATS` times."""
    timings = {f"{who} {command}": Timings() for who, command in turns}
    for who, command in turns * REPEATS:
        timings[f"{who} {command}"].add(both[who].ask(command))
    return timings


def table(name: str, found: Measured) -> str:
    """The lines of one case."""
    theirs = f"theirs epoch {found.workers}"
    lines = []
    for what, own, their in (
        ("step", "ours step", "theirs step"),
        ("epoch", "ours epoch documents", theirs),
        ("epoch, like lengths", "ours epoch like_lengths", theirs),
    ):
        if own in found.timings:
            a, b = found.timings[own], found.timings[their]
            outside = f"{statistics.median(a.outside):>8.1%} {found.workers:>8}" if a.outside else ""
            lines.append(
                f"{name:20} {what:22} {a.best:>9,.0f} {b.best:>9,.0f} {a.best / b.best:>6.2f} "
                f"{a.median / b.median:>6.2f} {outside}"
            )
    for what, below in (("peak MB", 0.0), ("peak MB above start", 1.0)):
        a, b = (m["peak_mb"] - below * m["base_mb"] for m in (found.memory["ours"], found.memory["theirs"]))
        lines.append(f"{name:20} {what:22} {a:>9,.0f} {b:>9,.0f} {b / a:>6.2f}")
    return "\n".join(lines)


HEAD = (
    f"{'case':20} {'documents a second':22} {'ours':>9} {'theirs':>9} {'ratio':>6} {'median':>6} "
    f"{'outside':>8} {'workers':>8}"
)


def test_training_against_libmultilabel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both sides have equal parameters, loss and gradients; the table says how fast and large each is."""
    pytest.importorskip("libmultilabel.nn.nn_utils", reason="libmultilabel[nn] is not here")
    with capsys.disabled():
        print(f"\n{HEAD}")
    for name, case in CASES.items():
        if ONLY not in name:
            continue
        data = sides.sample(corpus(case), case.documents)
        assert_same_arithmetic(case, data)
        folder = tmp_path / name.replace(" ", "_")
        sides.save(case, data, folder)
        found = measure(case, folder)
        with capsys.disabled():
            print(table(name, found), flush=True)
    with capsys.disabled():
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} (2 at most are our own)")
