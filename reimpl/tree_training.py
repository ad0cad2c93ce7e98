"""AttentionXML over a label tree: a network a level, from the top down, each asked about candidates only.

Paper
    You et al. (2019), AttentionXML, NeurIPS, sections 2.3 and 2.5 and Appendix.
Public code
    yourh/AttentionXML e2bbbec, deepxml/tree.py, deepxml/models.py.

The network of the top level scores all its nodes. That of a lower level starts with the weights of the one
above (but for its queries), learns with the children of the nodes that `candidates.choose_parents` chooses,
and in prediction scores the children of the C best nodes. The score of a node is the probability of its path,
kept as a logarithm. A level is trained by the whole protocol: its epochs are those of a level.

Levels that are done lie beside the checkpoint of the one that is not: an interrupted run goes on there.

Shapes: N documents, L labels, H inner levels, n nodes of a level, C candidates, W children of the widest.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from reimpl import training
from reimpl.batching import OnDevice
from reimpl.checkpoint import CheckpointError
from reimpl.data.dataset import Dataset, IntArray, Split, offsets_of
from reimpl.data.splits import for_protocol
from reimpl.errors import ConfigError
from reimpl.hardware import Precision, numeric_mode
from reimpl.label_tree import (
    Children,
    LabelTree,
    are_positive,
    build_tree,
    choose_parents,
    fill_at_random,
    fitting_height,
    label_features,
)
from reimpl.metric_names import parse
from reimpl.protocol import Protocol
from reimpl.topk import top_k
from reimpl.training import Result, Watch

if TYPE_CHECKING:
    from reimpl.attention_xml import AttentionXML, Config


def train_tree(
    config: Config,
    data: Dataset,
    protocol: Protocol,
    *,
    seed: int,
    device: str = "cpu",
    precision: Precision = "float32",
    watch: Watch | None = None,
    list_length: int = training.KEPT,
) -> Result:
    """Build a tree, train its levels, and score the test set by a beam of C = `config.candidates` nodes.

    `top_scores` of the result are logarithms of probabilities; lists have `list_length` labels, -1 where
    there are fewer candidates. Raises what `reimpl.training.train` raises.
    """
    if config.loss != "bce_mean":
        raise ConfigError(f"a tree is trained with the loss bce_mean, not {config.loss!r}")
    began = time.perf_counter()
    height = fitting_height(data.n_labels, config.cluster_size, config.tree_height, config.ways)
    if height == 0:
        how = {"seed": seed, "device": device, "precision": precision, "watch": watch}
        return _without_a_tree(config, data, protocol, keep=list_length, **how)
    asked, config = config.tree_height, replace(config, tree_height=height)
    tree = tree_of(config, data, seed)
    data = for_protocol(data, protocol)
    levels = _Levels(config, data, protocol, tree, seed, torch.device(device), precision, watch or Watch())
    with numeric_mode(precision):
        result = levels.train(list_length)
    nodes = ", ".join(f"{n:,}" for n in tree.sizes[:-1])
    note = f"label tree of {nodes} inner nodes over {tree.sizes[-1]:,} labels, seed {seed}"
    if height < asked:
        note += f"; {height} of {asked} levels, for which there are labels enough"
    return replace(result, seconds=time.perf_counter() - began, notes=(note, *result.notes))


def _without_a_tree(config: Config, data: Dataset, protocol: Protocol, **how: Any) -> Result:
    """No more labels than a leaf may hold: one network over all of them. Scores as those of a tree."""
    from reimpl.attention_xml import train_flat

    result = train_flat(replace(config, tree_height=0), data, protocol, **how)
    note = f"no label tree: a leaf of {config.cluster_size} has room for all {data.n_labels} labels"
    scores = result.top_scores
    if scores is not None:
        scores = -np.logaddexp(0, -scores)  # the logarithm of the sigmoid
    return replace(result, top_scores=scores, notes=(note, *result.notes))


def tree_of(config: Config, data: Dataset, seed: int) -> LabelTree:
    """The tree by all training documents, also those that a protocol holds out (cluster.py)."""
    words = word_weights(data.train, len(data.vocabulary))
    features = label_features(words, data.train.labels(data.n_labels))
    return build_tree(
        features,
        max_leaf=config.cluster_size,
        height=config.tree_height,
        ways=config.ways,
        seed=seed,
    )


def word_weights(split: Split, n_words: int) -> sparse.csr_matrix:
    """float32 (N, D): the split's features, or else how often each word stands in a (cut) document."""
    if split.features is not None:
        return split.features
    ones = np.ones(len(split.tokens), dtype=np.float32)
    # a copy, because summing sorts the words where they lie
    counts = sparse.csr_matrix((ones, split.tokens, split.offsets), shape=(split.size, n_words), copy=True)
    counts.sum_duplicates()
    return counts


def at_level(split: Split, parents: IntArray) -> Split:
    """The documents with the nodes of a level that have one of their labels below, as labels.

    parents (L,): the node of each label, as `LabelTree.parents` gives it.
    """
    document = np.repeat(np.arange(split.size), np.diff(split.label_offsets))
    n = int(parents.max(initial=0)) + 1
    pairs = np.unique(document * n + parents[split.label_ids])
    documents, nodes = np.divmod(pairs, n)
    offsets = offsets_of(np.bincount(documents, minlength=split.size))
    return replace(split, label_ids=nodes.astype(np.int32), label_offsets=offsets)


@dataclass(frozen=True, eq=False)
class _Found:
    """The best nodes of one level for the documents of one split."""

    ids: NDArray[np.int32]
    """(N, C), best first, -1 where none."""
    scores: NDArray[np.float32]
    """(N, C): logarithms of the probabilities of their paths."""


class _Levels:
    """Trains level after level of one tree."""

    def __init__(
        self,
        config: Config,
        data: Dataset,
        protocol: Protocol,
        tree: LabelTree,
        seed: int,
        device: torch.device,
        precision: Precision,
        watch: Watch,
    ) -> None:
        self.config, self.data, self.protocol, self.tree = config, data, protocol, tree
        self.device, self.precision, self.watch = device, precision, watch
        self.seeds = np.random.SeedSequence(seed).generate_state(tree.height + 1)
        self.notes: list[str] = []
        self.curve: list[Mapping[str, float]] = []
        self.parameters = 0
        self.predicting: float | None = 0.0
        self.peak: int | None = None

    def train(self, list_length: int) -> Result:
        above: _Level | None = None
        found: dict[str, _Found] = {}
        for depth in range(self.tree.height + 1):
            level = self._level(depth, found)
            last = depth == self.tree.height
            level.kept = min(list_length, level.data.n_labels) if last else level.kept
            if not last and self._done(level, depth, found):
                above = level
                continue
            result = self._go(level, depth, above)
            self._take_in(result, depth)
            if result.failed or last:
                return self._whole(result)
            found = level.found()
            self._keep(level, depth, found)
            above = level
        raise AssertionError("a tree has a last level")

    # -- one level

    def _level(self, depth: int, found: Mapping[str, _Found]) -> _Level:
        return _Level(
            self._data(depth),
            self._protocol(depth),
            int(self.seeds[depth]),
            self.device,
            self.precision,
            self._watch(depth),
            self.config,
            Children.of(self.tree, depth - 1, self.device) if depth else None,
            found,
        )

    def _data(self, depth: int) -> Dataset:
        if depth == self.tree.height:
            return self.data
        parents = self.tree.parents(depth)
        data = self.data
        return replace(
            data,
            labels=tuple(map(str, range(self.tree.sizes[depth]))),
            train=at_level(data.train, parents),
            test=at_level(data.test, parents),
            dev=None if data.dev is None else at_level(data.dev, parents),
        )

    def _protocol(self, depth: int) -> Protocol:
        """That of all, with the level's own beginning of the averaging, and a metric that it can measure."""
        starts, protocol = self.config.averaging, self._measurable(depth)
        if not starts or protocol.average_from is None:
            return protocol
        start = starts[min(depth, len(starts) - 1)]
        return replace(protocol, average_from=min(start, protocol.epochs - 1))

    def _measurable(self, depth: int) -> Protocol:
        """A level of few nodes selects by the largest k that it has nodes for."""
        asked, nodes = parse(self.protocol.select_metric), self.tree.sizes[depth]
        if self.protocol.select == "last" or asked.k is None or asked.k <= nodes:
            return self.protocol
        metric = str(replace(asked, k=max(training.cutoffs(nodes))))
        self._note(f"level {depth}: selected by {metric} and not by {asked}, having {nodes} nodes")
        return replace(self.protocol, select_metric=metric)

    def _go(self, level: _Level, depth: int, above: _Level | None) -> Result:
        def build(vectors: Tensor) -> nn.Module:
            return level.build(vectors, above)

        try:
            return level.go(build)
        except CheckpointError:
            checkpoint = level.watch.checkpoint
            assert checkpoint is not None
            checkpoint.unlink(missing_ok=True)
            self._note(f"a checkpoint of level {depth} could not be read, so the level was begun again")
            return self._level(depth, level.above).go(build)

    def _take_in(self, result: Result, depth: int) -> None:
        self.curve += [{"level": float(depth), **row} for row in result.curve]
        self.parameters += result.parameters
        spent = self.predicting, result.prediction_seconds
        self.predicting = None if spent[0] is None or spent[1] is None else spent[0] + spent[1]
        self.peak = max((p for p in (self.peak, result.peak_memory_bytes) if p is not None), default=None)
        for note in result.notes:
            self._note(f"level {depth}: {note}")

    def _note(self, note: str) -> None:
        self.notes += [] if note in self.notes else [note]

    def _whole(self, result: Result) -> Result:
        return replace(
            result,
            curve=tuple(self.curve),
            parameters=self.parameters,
            peak_memory_bytes=self.peak,
            notes=tuple(self.notes),
            prediction_seconds=None if result.failed else self.predicting,
        )

    def _watch(self, depth: int) -> Watch:
        levels, whole = self.tree.height + 1, self.watch

        def progress(done: int, total: int, loss: float | None) -> None:
            whole.progress(depth * total + done, levels * total, loss)

        return Watch(progress, whole.stop, self._path(depth, "checkpoint"), whole.checkpoint_every)

    # -- levels that are done

    def _path(self, depth: int, what: str) -> Path | None:
        path = self.watch.checkpoint
        return path and path.with_name(f"{path.stem}-level-{depth}.{what}.pt")

    def _keep(self, level: _Level, depth: int, found: Mapping[str, _Found]) -> None:
        """What lower levels need of a level, so that it is not trained twice. A run can do without."""
        path = self._path(depth, "done")
        if path is None:
            return
        content = {
            "network": level.network.state_dict(),
            "found": {
                name: (torch.from_numpy(it.ids), torch.from_numpy(it.scores)) for name, it in found.items()
            },
            # plain numbers: one of numpy would make the file unreadable, and the level be trained again
            "curve": [{name: float(value) for name, value in row.items()} for row in self.curve],
            "notes": list(self.notes),
            "parameters": self.parameters,
            "predicting": self.predicting,
        }
        temporary = path.with_suffix(".tmp")
        with contextlib.suppress(OSError, RuntimeError):
            torch.save(content, temporary)
            temporary.replace(path)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)

    def _done(self, level: _Level, depth: int, found: dict[str, _Found]) -> bool:
        """Takes over a level that was done before the interruption; False where there is none."""
        path = self._path(depth, "done")
        if path is None or not path.exists():
            return False
        try:
            content = torch.load(path, map_location="cpu", weights_only=True)
            network = level.build(torch.from_numpy(np.asarray(self.data.vectors)), None)
            network.load_state_dict(content["network"])
            read = {
                name: _Found(ids.numpy(), scores.numpy()) for name, (ids, scores) in content["found"].items()
            }
            if set(read) != set(self.data.splits):
                return False
            notes, curve, parameters = content["notes"], content["curve"], content["parameters"]
            predicting = content.get("predicting")  # files of earlier versions have none
        except Exception:  # whatever is wrong with the file: the level is trained again
            return False
        level.network = network
        self.notes, self.curve, self.parameters = notes, curve, parameters
        self.predicting = predicting
        found.clear()
        found.update(read)
        return True


class _Level(training._Run):
    """Training and ranking at one level: over all nodes at the top, over candidates below."""

    def __init__(
        self,
        data: Dataset,
        protocol: Protocol,
        seed: int,
        device: torch.device,
        precision: Precision,
        watch: Watch,
        config: Config,
        children: Children | None,
        above: Mapping[str, _Found],
    ) -> None:
        super().__init__(data, protocol, "bce_mean", seed, device, precision, watch)
        self.config, self.children, self.above = config, children, dict(above)
        self.places = config.candidates
        self.asked: dict[str, tuple[Tensor, Tensor | None]] = {}
        if children is not None:
            self._choose_candidates()
        elif config.candidates > data.n_labels:
            self.places = data.n_labels
            self.notes.append(
                f"of {config.candidates} candidates no more than the {self.places} nodes are kept"
            )

    def _choose_candidates(self) -> None:
        """Parents of each document, and the logarithms of their probabilities where these are predicted."""
        for name, found in self.above.items():
            scores = None if name == "train" else torch.from_numpy(found.scores).to(self.device)
            parents: IntArray = found.ids
            if name == "train":
                parents = choose_parents(found.ids, self._parents_of_positives(), found.ids.shape[1])
            self.asked[name] = torch.from_numpy(parents.astype(np.int64)).to(self.device), scores
        found = self.above["train"]
        self.asked["train as predicted"] = (
            torch.from_numpy(found.ids.astype(np.int64)).to(self.device),
            torch.from_numpy(found.scores).to(self.device),
        )

    def _parents_of_positives(self) -> tuple[IntArray, IntArray]:
        """Flat node ids of the level above and offsets (N + 1,), for the training documents."""
        assert self.children is not None
        parent = np.empty(self.data.n_labels, dtype=np.int64)
        sizes = self.children.sizes[:-1].cpu().numpy()
        parent[self.children.ids.cpu().numpy()] = np.repeat(np.arange(len(sizes)), sizes)
        split = at_level(self.data.train, parent)
        return split.label_ids, split.label_offsets

    def build(self, vectors: Tensor, above: _Level | None) -> AttentionXML:
        from reimpl.attention_xml import AttentionXML

        network = AttentionXML(
            self.config,
            vectors=vectors,
            labels=self.data.n_labels,
            padding_id=self.data.padding_id,
            freeze_padding=not self.data.padding_trainable,
            filler=self.children is not None,
        )
        if above is not None and self.config.start_from_level_above:
            network.inherit(above.network)  # type: ignore[arg-type]
        return network

    # -- what is different from training over all labels

    def _forward_loss(self, documents: Tensor, width: int, rows: Tensor, cols: Tensor) -> Tensor:
        if self.children is None:
            return super()._forward_loss(documents, width, rows, cols)
        n = self.data.n_labels
        ids, valid = self.children.below(self.asked["train"][0][documents])
        ids = fill_at_random(ids, valid, n) if self.config.filler else torch.where(valid, ids, n)
        with self._autocast():
            logits = self.network(self.train_split.batch(documents, width), candidates=ids)
        targets = are_positive(ids, rows, cols, n)
        if self.config.filler:
            return F.binary_cross_entropy_with_logits(logits.float(), targets)
        # mean over a document's own candidates, then over the documents
        each = F.binary_cross_entropy_with_logits(
            logits.float(), targets, weight=valid.float(), reduction="none"
        )
        return (each.sum(1) / valid.sum(1).clamp(min=1)).mean()

    def _rank(self, split: Split, K: int) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
        name = next(name for name, mine in self.data.splits.items() if mine is split)
        self.ranked = "train as predicted" if name == "train" else name
        return super()._rank(split, K)

    def _rank_batch(self, split: OnDevice, documents: Tensor, width: int, K: int) -> tuple[Tensor, Tensor]:
        while True:
            try:
                parts = [
                    self._best(split.batch(part, width), part, K)
                    for part in torch.split(documents, self.micro_batch)
                ]
                return torch.cat([v for v, _ in parts]), torch.cat([b for _, b in parts])
            except RuntimeError as problem:
                self._halve(problem)

    def _best(self, tokens: Tensor, documents: Tensor, K: int) -> tuple[Tensor, Tensor]:
        """(B, K) logarithms of path probabilities, falling, and ids; -inf and -1 where there are no more."""
        if self.children is None:
            with self._autocast():
                logits = self.network(tokens)
            return top_k(F.logsigmoid(logits.float()), K)
        parents, scores = self.asked[self.ranked]
        assert scores is not None
        ids, valid = self.children.below(parents[documents])
        with self._autocast():
            logits = self.network(tokens, candidates=torch.where(valid, ids, self.data.n_labels))
        path = scores[documents].repeat_interleave(self.children.widest, dim=1)
        values, places = top_k(
            (F.logsigmoid(logits.float()) + path).masked_fill(~valid, -math.inf), min(K, ids.shape[1])
        )
        best = torch.where(places < 0, -1, ids.gather(1, places.clamp(min=0)))
        missing = (0, K - best.shape[1])
        return F.pad(values, missing, value=-math.inf), F.pad(best, missing, value=-1)

    def found(self) -> dict[str, _Found]:
        """The best nodes of every document of every split, for the level below."""
        K = min(self.places, self.data.n_labels)
        return {name: self._found(split, K) for name, split in self.data.splits.items()}

    def _found(self, split: Split, K: int) -> _Found:
        ids = np.empty((split.size, K), dtype=np.int32)
        scores = np.empty((split.size, K), dtype=np.float32)
        for order, values, best in self._rank(split, K):
            ids[order], scores[order] = best, values
        return _Found(ids, scores)
