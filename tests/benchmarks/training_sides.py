"""One side of `bench_training.py`, in a process of its own: does one repeat at each word from outside.

    python training_sides.py ours|theirs FOLDER

FOLDER holds what `save` wrote: the case and the prepared corpus. The process reads one command a line from
standard input and answers each with one line of JSON:

step
    forward, loss, backward and optimiser on batches that are ready: {"documents", "seconds"}.
epoch HOW
    one epoch of the whole training loop, batches made of documents: {"documents", "seconds"}, and "outside"
    where it is known: the seconds not between the call of the network and the end of the optimiser. HOW is
    the order of documents for ours, and the number of worker processes that make batches for theirs.
memory
    the most that this process held at once during its epochs, {"peak_mb", "base_mb"}. The base is what it
    held before there was a network: interpreter, libraries, corpus.

Theirs is LibMultiLabel as its users run it: `init_model`, `init_trainer`, `get_dataset_loader`; no validation
and no files. The memory of its workers is not counted. Both sides use torch's own number of threads.
"""

from __future__ import annotations

import json
import pickle
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from reimpl import xml_cnn
from reimpl.batching import training_plan
from reimpl.data.dataset import Dataset, Split
from reimpl.losses import loss
from reimpl.optim import OPTIMISERS
from reimpl.protocol import PROTOCOLS, Protocol
from reimpl.training import train

Answer = dict[str, Any]

#: The same dropouts on both sides: the study's.
DROPOUT_EMBEDDING, DROPOUT_OUTPUT = 0.25, 0.5


@dataclass(frozen=True)
class Case:
    """What is trained. `maps`, `hidden`, `dimension` and `length` as in the protocols."""

    model: str
    """KimCNN or XMLCNN: the names of LibMultiLabel's networks."""
    dimension: int = 50
    maps: int = 128
    hidden: int = 512
    pools: int = 4
    length: int = 500
    batch_size: int = 64
    fixed: bool = False
    """Every document is padded to `length`; else each batch to its longest document."""
    documents: int = 7_770
    """Training documents used, drawn at random."""
    ready: int = 6
    """Batches of a repeat of `step`."""

    @property
    def config(self) -> xml_cnn.Config:
        """Ours."""
        kim = self.model == "KimCNN"
        return xml_cnn.Config(
            pooling="max" if kim else "dynamic",
            pools=self.pools,
            maps=self.maps,
            hidden=None if kim else self.hidden,
            dropout_embedding=DROPOUT_EMBEDDING,
            dropout_output=DROPOUT_OUTPUT,
        )

    @property
    def network_config(self) -> dict[str, Any]:
        """LibMultiLabel's."""
        config: dict[str, Any] = {
            "embed_dropout": DROPOUT_EMBEDDING,
            "post_encoder_dropout": DROPOUT_OUTPUT,
            "filter_sizes": list(self.config.windows),
            "num_filter_per_size": self.maps,
        }
        if self.model == "XMLCNN":
            config |= {"hidden_dim": self.hidden, "num_pool": self.pools}
        return config

    def protocol(self, shuffle: str) -> Protocol:
        """One epoch of Adam at 1e-3."""
        return replace(
            PROTOCOLS["chen2022"],
            name="benchmark",
            epochs=1,
            batch_size=self.batch_size,
            padding="length" if self.fixed else "batch",
            shuffle=shuffle,
            length=self.length,
        )


# ------------------------------------------------------------------ what both sides are given


def sample(data: Dataset, n: int) -> Dataset:
    """`data` with n training documents at most, drawn at random, and ten for testing."""
    chosen = np.sort(np.random.default_rng(0).permutation(data.train.size)[:n])
    return replace(data, train=_select(data.train, chosen), test=_select(data.test, np.arange(10)), dev=None)


def _select(split: Split, chosen: Any) -> Split:
    texts = [split.tokens[split.offsets[i] : split.offsets[i + 1]].tolist() for i in chosen]
    labels = [split.label_ids[split.label_offsets[i] : split.label_offsets[i + 1]].tolist() for i in chosen]
    return Split.from_lists(texts, labels)


def save(case: Case, data: Dataset, folder: Path) -> None:
    """For the processes of both sides."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inputs.pickle").write_bytes(pickle.dumps((case, data)))


def batches(case: Case, data: Dataset) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Token ids (B, T), and rows and columns of the positive labels, of the first batches of an epoch."""
    rng = np.random.default_rng(0)
    plan = training_plan(data.train, case.protocol("documents"), max(case.config.windows), rng)
    found = []
    for i in range(min(case.ready, len(plan))):
        documents = plan.order[plan.starts[i] : plan.starts[i + 1]]
        tokens = torch.full((len(documents), int(plan.widths[i])), data.padding_id)
        for row, number in enumerate(documents):
            text = data.train.tokens[data.train.offsets[number] : data.train.offsets[number + 1]]
            tokens[row, : len(text)] = torch.from_numpy(text.astype(np.int64))
        positives = slice(plan.label_starts[i], plan.label_starts[i + 1])
        found.append(
            (
                tokens,
                torch.from_numpy(plan.label_rows[positives]),
                torch.from_numpy(plan.label_cols[positives]),
            )
        )
    return found


def dense_targets(n: int, labels: int, rows: Tensor, cols: Tensor) -> Tensor:
    """0/1 int32 (n, labels): as LibMultiLabel's loader makes them."""
    target = torch.zeros(n, labels, dtype=torch.int32)
    target[rows, cols] = 1
    return target


# ------------------------------------------------------------------ the two sides


def build_ours(case: Case, data: Dataset, vectors: Tensor) -> xml_cnn.XMLCNN:
    return xml_cnn.build(
        case.config,
        vectors=vectors,
        labels=data.n_labels,
        length=case.length,
        padding_id=data.padding_id,
        freeze_padding=not data.padding_trainable,
    )


def build_theirs(case: Case, data: Dataset) -> Any:
    """LibMultiLabel's `Model`: a LightningModule around its network."""
    from libmultilabel.nn.nn_utils import init_model

    return init_model(
        case.model,
        case.network_config,
        list(data.labels),
        embed_vecs=torch.from_numpy(data.vectors.copy()),
        init_weight="xavier_uniform",
        learning_rate=1e-3,
        silent=True,
    )


def give_weights(ours: nn.Module, theirs: Any) -> None:
    """Copy the weights of our network into LibMultiLabel's."""
    own = list(ours.state_dict().values())  # embedding, convolutions, hidden layer, output: the same order
    state = theirs.network.state_dict()
    theirs.network.load_state_dict(dict(zip(state, own, strict=True)))


class Ours:
    def __init__(self, case: Case, data: Dataset) -> None:
        self.case, self.data = case, data
        self.loss = loss("bce_mean")

    def ready(self) -> Callable[[], int]:
        network = build_ours(self.case, self.data, torch.from_numpy(self.data.vectors)).train()
        # as reimpl.training makes it
        optimiser = OPTIMISERS["adam"](network.parameters(), lr=1e-3, fused=True)
        prepared = batches(self.case, self.data)

        def steps() -> int:
            for tokens, rows, cols in prepared:
                optimiser.zero_grad(set_to_none=True)
                self.loss(network(tokens), rows, cols).backward()
                optimiser.step()
            return sum(len(tokens) for tokens, _, _ in prepared)

        return steps

    def epoch(self, shuffle: str) -> Answer:
        inside = _Inside()
        result = train(
            inside.watch(lambda vectors: build_ours(self.case, self.data, vectors)),
            self.data,
            self.case.protocol(shuffle),
            loss_name="bce_mean",
            seed=1,
        )
        inside.close()
        seconds = result.curve[0]["seconds"]
        return {
            "documents": self.data.train.size,
            "seconds": seconds,
            "outside": seconds - inside.seconds,
        }


class _Inside:
    """Adds up the time from each call of a network that trains to the end of the optimiser's step."""

    def __init__(self) -> None:
        self.seconds = self.began = 0.0
        self.handle = register_optimizer_step_post_hook(self._end)

    def watch(self, build: Callable[[Tensor], nn.Module]) -> Callable[[Tensor], nn.Module]:
        def watched(vectors: Tensor) -> nn.Module:
            network = build(vectors)
            network.register_forward_pre_hook(self._begin)
            return network

        return watched

    def _begin(self, *_: object) -> None:
        self.began = time.perf_counter()

    def _end(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self.began

    def close(self) -> None:
        self.handle.remove()


class Theirs:
    def __init__(self, case: Case, data: Dataset) -> None:
        self.case, self.data = case, data
        self.fits: dict[str, _Fit] = {}
        import libmultilabel.nn.nn_utils  # noqa: F401 - now, so that memory before training has them in

    def ready(self) -> Callable[[], int]:
        model = build_theirs(self.case, self.data).train()
        optimiser = model.configure_optimizers()
        prepared = [
            {"text": tokens, "label": dense_targets(len(tokens), self.data.n_labels, rows, cols)}
            for tokens, rows, cols in batches(self.case, self.data)
        ]

        def steps() -> int:
            for number, batch in enumerate(prepared):
                optimiser.zero_grad()
                model.training_step(batch, number).backward()
                optimiser.step()
            return sum(len(batch["text"]) for batch in prepared)

        return steps

    def epoch(self, workers: str) -> Answer:
        """An epoch of one long `fit`, which waits between epochs."""
        if workers not in self.fits:
            self.fits[workers] = _Fit(self.case, self.data, int(workers))
        return {"documents": self.data.train.size, "seconds": self.fits[workers].seconds()}


class _Fit:
    """LibMultiLabel's training loop in a thread that stops before each epoch; gives the seconds of each."""

    def __init__(self, case: Case, data: Dataset, workers: int) -> None:
        from libmultilabel.nn.data_utils import UNK, get_dataset_loader
        from libmultilabel.nn.nn_utils import init_trainer
        from lightning.pytorch.callbacks import Callback, ModelCheckpoint

        loader = get_dataset_loader(
            _instances(case, data),
            list(data.labels),
            torch.device("cpu"),
            max_seq_length=case.length,
            batch_size=case.batch_size,
            shuffle=True,
            data_workers=workers,
            word_dict={word: number for number, word in enumerate(data.vocabulary)},
        )
        assert data.vocabulary[1] == UNK
        assert data.padding_id == 0  # what its loader pads with
        trainer = init_trainer(None, epochs=10_000, silent=True, use_cpu=True, save_checkpoints=False)
        self.go, self.done = threading.Semaphore(0), threading.Semaphore(0)

        class Pause(Callback):  # type: ignore[misc]
            def on_train_epoch_end(_, *__: object) -> None:  # noqa: N805 - the outer self is meant
                self.done.release()
                self.go.acquire()

        # Lightning writes the weights after each epoch unasked.
        trainer.callbacks = [c for c in trainer.callbacks if not isinstance(c, ModelCheckpoint)] + [Pause()]
        model = build_theirs(case, data)
        self.thread = threading.Thread(target=self._run, args=(trainer, model, loader), daemon=True)
        self.thread.start()

    def _run(self, trainer: Any, model: Any, loader: Any) -> None:
        self.go.acquire()
        trainer.fit(model, loader)

    def seconds(self) -> float:
        began = time.perf_counter()
        self.go.release()
        self.done.acquire()
        return time.perf_counter() - began


def _instances(case: Case, data: Dataset) -> list[dict[str, Any]]:
    """The documents as words, as LibMultiLabel reads them from a file."""
    split, words = data.train, np.array(data.vocabulary, dtype=object)
    found = []
    for i in range(split.size):
        text = words[split.tokens[split.offsets[i] : split.offsets[i + 1]]].tolist()
        if case.fixed:
            text += [data.vocabulary[data.padding_id]] * (case.length - len(text))
        ids = split.label_ids[split.label_offsets[i] : split.label_offsets[i + 1]]
        found.append({"text": text, "label": [data.labels[label] for label in ids]})
    return found


# ------------------------------------------------------------------ the process


def _megabytes(key: str) -> float:
    """A line of /proc/self/status (VmHWM: most held, VmRSS: held now); nan where there is none."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) / 1e3
    return float("nan")


def _start_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the kernel forgets the peak so far


class _Process:
    """Answers commands."""

    def __init__(self, runner: Ours | Theirs) -> None:
        self.runner = runner
        self.steps: Callable[[], int] | None = None
        self.base = self.peak = 0.0

    def step(self) -> Answer:
        if self.steps is None:
            self.steps = self.runner.ready()
            self.steps()  # the first pass is slower: Adam makes its state
        began = time.perf_counter()
        documents = self.steps()
        return {"documents": documents, "seconds": time.perf_counter() - began}

    def epoch(self, how: str) -> Answer:
        if not self.base:
            self.base = _megabytes("VmRSS")
            _start_peak()
        answer = self.runner.epoch(how)
        self.peak = max(self.peak, _megabytes("VmHWM"))
        return answer

    def memory(self) -> Answer:
        return {"peak_mb": self.peak, "base_mb": self.base}


def main() -> None:
    side, folder = sys.argv[1], Path(sys.argv[2])
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    case, data = pickle.loads((folder / "inputs.pickle").read_bytes())
    process = _Process({"ours": Ours, "theirs": Theirs}[side](case, data))
    for line in sys.stdin:
        command, *arguments = line.split()
        print(json.dumps(getattr(process, command)(*arguments)), file=answers, flush=True)


if __name__ == "__main__":
    sys.modules["training_sides"] = sys.modules["__main__"]  # the name under which Case was pickled
    main()
