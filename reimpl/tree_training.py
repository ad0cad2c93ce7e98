"""Models of several networks: ensembles, and AttentionXML over a label tree. R models, N documents, L labels,
K labels of a list, H inner levels, n nodes of a level, C candidates, W children of the widest."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from torch import Tensor, nn

from reimpl.batching import top_k
from reimpl.data.dataset import Dataset, IntArray, Split, offsets_of, words_as_features
from reimpl.data.files import digest_of
from reimpl.data.splits import for_protocol
from reimpl.label_tree import Children, LabelTree, are_positive, build_tree, choose_parents, label_features
from reimpl.machine import read_checkpoint, save_checkpoint
from reimpl.metric_names import parse
from reimpl.protocol import Protocol
from reimpl.training import (
    KEPT,
    How,
    Ids,
    Interrupted,
    Result,
    Run,
    Scores,
    Watch,
    begin_again,
    cutoffs,
    kept,
    measure,
)

# -------------------------------------------------------------------------------------------------- ensembles
# Of models trained one after another with seeds of their own (yourh/AttentionXML e2bbbec, ensemble.py).
# `sum`: a label has the sum of its scores in the models' lists; equal sums stand in the order in which the
# lists name them, rank by rank and within a rank model by model. `mean`, as in Parabel, to which the paper
# likens it, divides by the number of models, and is over the scores of all labels where there is room.

Rule: TypeAlias = Literal["sum", "mean"]

#: Labels of a model's list under `sum`, and numbers of all lists up to which `mean` is over all labels.
LISTED = 100
_ROOM = 1 << 26
#: Numbers joined in one go.
_BLOCK = 1 << 20
#: Seconds between two looks at a model that another process trains.
_POLL = 1.0


def join(
    ids: Sequence[NDArray[Any]], scores: Sequence[NDArray[Any]], rule: Rule = "sum", *, keep: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The `keep` best labels of R rankings together, int32 (N, keep), and their scores. ids, scores: for each
    model (N, K), best first; label -1 is none. After the last, ids are -1 and scores 0."""
    joined, total = np.full((len(ids[0]), keep), -1, dtype=np.int32), np.zeros((len(ids[0]), keep))
    size = max(1, _BLOCK // sum(lists.shape[1] for lists in ids))
    for first in range(0, len(joined), size):
        rows = slice(first, first + size)
        # rank by rank, and within a rank model by model
        parts = [
            pd.DataFrame(
                {"document": document.ravel(), "rank": rank.ravel(), "label": lists[rows].ravel()}
            ).assign(score=np.asarray(values[rows], dtype=np.float64).ravel())
            for lists, values in zip(ids, scores, strict=True)
            for document, rank in [np.indices(lists[rows].shape)]
        ]
        named = pd.concat(parts).query("label >= 0").sort_values(["document", "rank"], kind="stable")
        # sums stand in the order of first appearance, which decides ties
        sums = named.groupby(["document", "label"], sort=False)["score"].sum().reset_index()
        sums = sums.sort_values(["document", "score"], ascending=[True, False], kind="stable")
        place = sums.groupby("document").cumcount()
        best, place = sums[place < keep], place[place < keep]
        joined[best["document"] + first, place] = best["label"]
        total[best["document"] + first, place] = best["score"]
    return joined, total / len(ids) if rule == "mean" else total


def seeds(seed: int, models: int) -> list[int]:
    """A seed for each model: draws of their own for every run, the same again for the same run."""
    return [int(np.random.SeedSequence((seed, i)).generate_state(1)[0]) for i in range(models)]


def train_ensemble(
    one: Callable[..., Result],
    config: Any,
    data: Dataset,
    protocol: Protocol,
    *,
    models: int,
    rule: Rule,
    **how: Unpack[How],
) -> Result:
    """Train `models` of `config` one after another with `one`, which gets (config, data, protocol, keep=, and
    `How`) and whose `top_scores` are probabilities, and join them. A finished one is kept, in `watch.members`
    or beside the checkpoint, for all ensembles with the same settings and seed."""
    watch = how.get("watch") or Watch()
    L = data.n_labels
    over_all = rule == "mean" and data.test.size * L <= _ROOM
    settings: dict[str, Any] = {
        "device": how.get("device", "cpu"),
        "precision": how.get("precision", "float32"),
        "keep": L if over_all else min(LISTED, L),
    }
    results: dict[int, Result] = {}
    there = []
    left = list(enumerate(seeds(how["seed"], models), start=1))
    while left:
        number, seed = left.pop(0)
        path, done, lock = _files(watch, number, [seed, asdict(config), asdict(protocol), settings])
        try:
            free = lock.acquire(blocking=False) if lock else nullcontext()
        except Timeout:  # another process works on it
            left.append((number, seed))
            if watch.stop():
                raise Interrupted from None
            time.sleep(_POLL)
            continue
        with free:
            result = read_checkpoint(done, Result.unpacked)
            if result is None:
                part = watch.part(len(results), models, path)
                train_one = partial(one, config, data, protocol, seed=seed, watch=part, **settings)
                note = "a checkpoint could not be read, so a model of the ensemble started again"
                result = begin_again(train_one, path, note)
                if done is not None and not result.failed:
                    save_checkpoint(done, result.packed(), torch.device("cpu"))
                    if path is not None:
                        path.unlink(missing_ok=True)
            elif watch.members is not None:
                there.append(number)
        results[number] = result
        if result.failed:
            break
    whole = Result.of_parts(results, "model")
    if there:
        note = "models of the ensemble from earlier runs with the same settings"
        whole = replace(whole, notes=(*whole.notes, f"{note}: {sorted(there)}"))
    if results[number].failed:
        return replace(whole, reason=f"model {number} of the ensemble: {results[number].reason}")
    began, predicting = time.perf_counter(), whole.prediction_seconds
    parts = [results[number] for number in sorted(results)]
    lists, scores = zip(*((part.top_ids, part.top_scores) for part in parts), strict=True)
    ids, joined = join(lists, scores, rule, keep=kept(data))
    joining = time.perf_counter() - began
    return replace(
        whole,
        metrics=measure(ids, data.test, data),
        top_ids=ids,
        top_scores=joined.astype(np.float32),
        seconds=whole.seconds + time.perf_counter() - began,
        prediction_seconds=None if predicting is None else predicting + joining,
    )


def _files(watch: Watch, number: int, settings: Any) -> tuple[Path | None, Path | None, FileLock | None]:
    """A model's checkpoint, its file when finished, and the lock against other processes."""
    path = watch.checkpoint
    # By the stem, from which a model makes names of its own.
    path = path and path.with_name(f"{path.stem}-model-{number}{path.suffix}")
    if watch.members is None:
        return path, path and path.with_suffix(f"{path.suffix}.done"), None
    watch.members.mkdir(parents=True, exist_ok=True)
    content = json.dumps(settings, sort_keys=True, default=str)
    done = watch.members / f"{digest_of(content)[:32]}.pt"
    return path, done, FileLock(done.with_suffix(".lock"))


# ------------------------------------------------------------------------------------------------ label trees
# A network a level, from the top down (You et al. 2019, sections 2.3 and 2.5; yourh/AttentionXML e2bbbec,
# deepxml/{tree,models}.py). The top one scores all its nodes; that of a lower level starts with the weights
# of the one above, learns with the children of the nodes that `label_tree.choose_parents` chooses, and in
# prediction scores those of the C best. The score of a node is the probability of its path, kept as a
# logarithm. A level is trained by the whole protocol; levels that are done lie beside the checkpoint.

#: (data of the level, word vectors, whether it is asked about candidates) -> its network, which scores
#: candidates (B, M) by `network(tokens, candidates=ids)`, and takes over weights by `inherit`.
Network: TypeAlias = Callable[[Dataset, Tensor, bool], nn.Module]
#: Split -> the best nodes of a level for its documents, (N, C) best first, -1 where none, and the logarithms
#: of the probabilities of their paths.
BestNodes: TypeAlias = dict[str, tuple[Ids, Scores]]


def train_tree(
    network: Network,
    config: Any,
    data: Dataset,
    protocol: Protocol,
    *,
    height: int,
    list_length: int = KEPT,
    **how: Unpack[How],
) -> Result:
    """Build a tree, train its levels, and score the test set by a beam of C = `config.candidates` nodes.
    config: of `reimpl.attention_xml`; height: inner levels, `config.tree_height` or fewer. `top_scores` are
    logarithms of probabilities; lists have `list_length` labels, -1 where there are fewer candidates."""
    began, watch = time.perf_counter(), how.get("watch") or Watch()
    # by all training documents, also those that a protocol holds out (cluster.py)
    words = data.train.features
    if words is None:
        words = words_as_features(data.train, len(data.vocabulary))
    features = label_features(words, data.train.labels(data.n_labels))
    sizes = {"max_leaf": config.cluster_size, "height": height, "ways": config.ways}
    tree = build_tree(features, **sizes, seed=how["seed"])
    data = for_protocol(data, protocol)
    seeds = np.random.SeedSequence(how["seed"]).generate_state(height + 1)
    results: dict[int, Result] = {}
    best: BestNodes = {}
    before, above = 0.0, None
    for depth in range(height + 1):
        part = watch.part(depth, height + 1, _path(watch, depth, "checkpoint"))
        part.evaluated, part.members = Watch.evaluated, None
        of_level: How = {**how, "seed": int(seeds[depth]), "watch": part}
        level = _Level(network, config, data, protocol, tree, depth, best, **of_level)
        done = _path(watch, depth, "done") if depth < height else None
        if (stored := level.stored(done)) is not None:
            results[depth], best = stored
            before += results[depth].seconds
        else:
            level.kept = min(list_length, level.data.n_labels) if depth == height else level.kept
            results[depth] = level.train(above)
            if results[depth].failed or depth == height:
                break
            K = min(level.places, level.data.n_labels)
            best = {name: level.ranked(split, K) for name, split in level.data.splits.items()}
            level.store(done, results[depth], best)
        above = level
    last, whole = results[max(results)], Result.of_parts(results, "level")
    nodes = ", ".join(f"{n:,}" for n in tree.sizes[:-1])
    note = f"label tree of {nodes} inner nodes over {tree.sizes[-1]:,} labels, seed {how['seed']}"
    if height < config.tree_height:
        note += f"; {height} of {config.tree_height} levels: there are too few labels for more"
    if data.train.features is None:
        note += "; the corpus has no features, so word counts take their place"
    return replace(
        whole.noted(note),
        metrics=last.metrics,
        top_ids=last.top_ids,
        top_scores=last.top_scores,
        reason=last.reason,
        seconds=before + time.perf_counter() - began,
        prediction_seconds=None if last.failed else whole.prediction_seconds,
    )


def at_level(split: Split, parents: IntArray) -> Split:
    """The documents with the nodes of a level above their labels; parents (L,): those nodes."""
    document = np.repeat(np.arange(split.size), np.diff(split.label_offsets))
    n = int(parents.max(initial=0)) + 1
    documents, nodes = np.divmod(np.unique(document * n + parents[split.label_ids]), n)
    offsets = offsets_of(np.bincount(documents, minlength=split.size))
    return replace(split, label_ids=nodes.astype(np.int32), label_offsets=offsets)


def _path(watch: Watch, depth: int, what: str) -> Path | None:
    path = watch.checkpoint
    return path and path.with_name(f"{path.stem}-level-{depth}.{what}.pt")


class _Level(Run):
    """Training and ranking at one level: over all nodes at the top, over candidates below."""

    def __init__(
        self,
        make: Network,
        config: Any,
        data: Dataset,
        protocol: Protocol,
        tree: LabelTree,
        depth: int,
        above: BestNodes,
        **how: Unpack[How],
    ) -> None:
        """above: the best nodes of the level above; data: all labels."""
        self.config, self.depth, self.above = config, depth, above
        metric, nodes, notes = parse(protocol.select_metric), tree.sizes[depth], []
        if depth < tree.height:
            parents = tree.parents(depth)
            splits: Any = {name: at_level(split, parents) for name, split in data.splits.items()}
            data = replace(data, labels=tuple(map(str, range(nodes))), **splits)
        if config.averaging and protocol.average_from is not None:
            start = config.averaging[min(depth, len(config.averaging) - 1)]
            protocol = replace(protocol, average_from=min(start, protocol.epochs - 1))
        if protocol.select != "last" and metric.k is not None and metric.k > nodes:
            # A level of few nodes selects by the largest k that it has nodes for.
            own = replace(metric, k=max(cutoffs(nodes)))
            notes = [f"selected by {own} and not by {metric}, having {nodes} nodes"]
            protocol = replace(protocol, select_metric=str(own))
        super().__init__(data, protocol, **how)
        self.children = Children.of(tree, depth - 1, self.device) if depth else None
        self.make: Callable[[Tensor], nn.Module] = lambda vectors: make(self.data, vectors, depth > 0)
        self.places = min(config.candidates, nodes) if depth == 0 else config.candidates
        if self.places < config.candidates:
            notes.append(f"of {config.candidates} candidates no more than the {nodes} nodes are kept")
        self.notes += notes
        # Of each split: the parents of each document, and the logarithms of their probabilities.
        self.parents = {name: self._on(ids, np.int64) for name, (ids, _) in above.items()}
        self.paths = {name: self._on(scores, np.float32) for name, (_, scores) in above.items()}
        if self.children is not None:
            # the node of the level above each node of this one
            parent = np.empty(nodes, dtype=np.int64)
            sizes = self.children.sizes[:-1].cpu().numpy()
            parent[self.children.ids.cpu().numpy()] = np.repeat(np.arange(len(sizes)), sizes)
            positives, predicted = at_level(self.data.train, parent), above["train"][0]
            positive = positives.label_ids, positives.label_offsets
            self.asked = self._on(choose_parents(predicted, positive, predicted.shape[1]), np.int64)

    def _on(self, array: np.ndarray, dtype: Any) -> Tensor:
        return torch.from_numpy(array.astype(dtype)).to(self.device)

    def train(self, above: _Level | None) -> Result:
        def build(vectors: Tensor) -> nn.Module:
            made = self.make(vectors)
            if above is not None and self.config.start_from_level_above:
                made.inherit(above.network)  # type: ignore[operator]
            return made

        note = "a checkpoint could not be read, so the level started again"
        result = begin_again(lambda: self.go(build), self.watch.checkpoint, note)
        own = (note for note in result.notes if note not in self.conditions)
        return replace(result, notes=(*self.conditions, *(f"level {self.depth}: {note}" for note in own)))

    def store(self, path: Path | None, result: Result, best: BestNodes) -> None:
        """Store what lower levels need of this one, so that it is not trained twice. Optional for a run."""
        if path is not None:
            nodes = {name: tuple(map(torch.from_numpy, arrays)) for name, arrays in best.items()}
            content = {"network": self.network.state_dict(), "best": nodes, **result.packed()}
            save_checkpoint(path, content, torch.device("cpu"))

    def stored(self, path: Path | None) -> tuple[Result, BestNodes] | None:
        """The result of `store` before an interruption; None if there is nothing readable."""

        def take(content: dict[str, Any]) -> tuple[Result, BestNodes]:
            self.network = self.make(torch.from_numpy(self.data.vectors))
            self.network.load_state_dict(content["network"])
            best = {name: (ids.numpy(), scores.numpy()) for name, (ids, scores) in content["best"].items()}
            return Result.unpacked(content), best

        found = read_checkpoint(path, take)
        return found if found and set(found[1]) == set(self.data.splits) else None

    def _forward_loss(self, documents: Tensor, width: int, rows: Tensor, cols: Tensor) -> Tensor:
        if self.children is None:
            return super()._forward_loss(documents, width, rows, cols)
        n = self.data.n_labels
        ids, valid = self.children.below(self.asked[documents])
        if self.config.filler:  # of the public code, dataset.py 66-75; repetitions are possible
            ids = torch.where(valid, ids, torch.randint(n, ids.shape, device=ids.device))
        else:
            ids = torch.where(valid, ids, n)
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

    def ranked(self, split: Split, K: int) -> tuple[Ids, Scores]:
        """As over all labels; scores are logarithms of probabilities of paths, -inf where there are none."""
        self.split = next(name for name, mine in self.data.splits.items() if mine is split)
        return super().ranked(split, K)

    def _choose_best(self, batch: Any, documents: Tensor, K: int) -> tuple[Tensor, Tensor]:
        if self.children is None:
            return top_k(F.logsigmoid(self.network(batch).float()), K)
        ids, valid = self.children.below(self.parents[self.split][documents])
        logits = self.network(batch, candidates=torch.where(valid, ids, self.data.n_labels))
        path = self.paths[self.split][documents].repeat_interleave(self.children.widest, dim=1)
        scores = (F.logsigmoid(logits.float()) + path).masked_fill(~valid, -math.inf)
        values, places = top_k(scores, min(K, ids.shape[1]))
        best = torch.where(places < 0, -1, ids.gather(1, places.clamp(min=0)))
        missing = (0, K - best.shape[1])
        return F.pad(values, missing, value=-math.inf), F.pad(best, missing, value=-1)
