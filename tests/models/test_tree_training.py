"""Training over a label tree: candidates only, the probability of the path, no step lost by interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name

import reimpl.tree_training as module
from reimpl.attention_xml import AttentionXML, Config, train
from reimpl.data.dataset import Dataset, Split, words_as_features
from reimpl.label_tree import LabelTree, build_tree, label_features
from reimpl.protocol import Protocol
from reimpl.training import Interrupted, Result, Watch
from tests.toys import same, stopping, toy_data, toy_protocol


def tree_of(config: Config, data: Dataset, height: int, seed: int) -> LabelTree:
    words = words_as_features(data.train, len(data.vocabulary))
    features = label_features(words, data.train.labels(data.n_labels))
    return build_tree(features, max_leaf=config.cluster_size, height=height, ways=config.ways, seed=seed)


def config(**changes: Any) -> Config:
    small = {"hidden": 3, "fully_connected": (4,), "tree_height": 1, "cluster_size": 3, "ways": 2}
    return Config(**{**small, "candidates": 3, **changes})


def data(n_labels: int = 12, **changes: Any) -> Dataset:
    return toy_data(n_train=31, n_test=9, n_labels=n_labels, **changes)


def run(what: Config | None = None, corpus: Dataset | None = None, **options: Any) -> Result:
    protocol = options.pop("protocol", toy_protocol(epochs=2, padding="batch"))
    return train(what or config(), corpus or data(), protocol, **{"seed": 0, **options})


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The levels of the trees that a test trains, in their order."""
    made: list[Any] = []
    original = module._Level.__init__

    def init(self: Any, *parts: Any, **how: Any) -> None:
        original(self, *parts, **how)
        made.append(self)

    monkeypatch.setattr(module._Level, "__init__", init)
    return made


@pytest.mark.parametrize(("height", "ways"), [(1, 2), (2, 2)])
def test_with_room_for_all_nodes_labels_are_ranked_by_the_product_along_their_path(
    levels: list[Any], height: int, ways: int
) -> None:
    """Every level is asked about all its nodes, outside of the training; then the products are formed."""
    corpus = data(17)
    chosen = config(tree_height=height, ways=ways, candidates=17, cluster_size=3)
    result = run(chosen, corpus)
    tree = tree_of(chosen, corpus, height, 0)
    assert [level.data.n_labels for level in levels] == list(tree.sizes)
    probability = np.ones((corpus.test.size, corpus.n_labels))
    for depth, level in enumerate(levels):
        network: AttentionXML = level.network.eval()
        nodes = torch.arange(level.data.n_labels)
        for i in range(corpus.test.size):
            lo, hi = corpus.test.offsets[i : i + 2]
            tokens = torch.from_numpy(corpus.test.tokens[lo:hi])[None]
            with torch.no_grad():
                logits = network(tokens, candidates=nodes[None]) if depth else network(tokens)
            of_label = tree.parents(depth) if depth < tree.height else np.arange(17)
            probability[i] *= torch.sigmoid(logits)[0].numpy()[of_label]
    assert result.top_ids is not None and result.top_scores is not None
    expected = np.argsort(-probability, axis=1, kind="stable")[:, :10]
    assert np.array_equal(result.top_ids, expected)
    assert np.allclose(np.exp(result.top_scores), np.take_along_axis(probability, expected, 1), rtol=1e-4)


def test_a_narrow_beam_scores_children_of_the_kept_nodes_only(levels: list[Any]) -> None:
    corpus = data(12)
    result = run(config(candidates=1, cluster_size=3), corpus)
    tree = tree_of(config(), corpus, 1, 0)
    assert result.top_ids is not None
    best = levels[1].above["test"][0]
    assert best.shape == (corpus.test.size, 1)
    for ids, node in zip(result.top_ids, best[:, 0], strict=True):
        below = np.flatnonzero(tree.parents(0) == node)
        assert set(ids[ids >= 0]) == set(below)
        assert (ids[len(below) :] == -1).all()


def a_level(levels: list[Any], **changes: Any) -> Any:
    """The lower level of a trained tree, in its state after training."""
    run(config(dropout_embedding=0.0, dropout_states=0.0, **changes))
    return levels[1]


def loss_of(level: Any, documents: list[int]) -> float:
    split: Split = level.data.train
    rows, cols = [], []
    for row, i in enumerate(documents):
        mine = split.label_ids[split.label_offsets[i] : split.label_offsets[i + 1]]
        rows += [row] * len(mine)
        cols += mine.tolist()
    with torch.no_grad():
        value = level._forward_loss(torch.tensor(documents), 9, torch.tensor(rows), torch.tensor(cols))
    return float(value)


def test_without_fillers_a_document_learns_the_mean_over_its_own_candidates(levels: list[Any]) -> None:
    """Naive: each document alone, each candidate alone; parents missing for one of them."""
    level = a_level(levels, filler=False)
    documents = [3, 0, 8]
    level.asked[8, 1:] = -1  # one parent only
    split: Split = level.data.train
    each = []
    for i in documents:
        parents = level.asked[i].tolist()
        asked = [
            int(child)
            for p in parents
            if p >= 0
            for child in level.children.ids[level.children.starts[p] :][: level.children.sizes[p]]
        ]
        positives = split.label_ids[split.label_offsets[i] : split.label_offsets[i + 1]]
        tokens = torch.from_numpy(split.tokens[split.offsets[i] : split.offsets[i + 1]])[None]
        with torch.no_grad():
            logits = level.network(tokens, candidates=torch.tensor([asked]))[0].double()
        targets = torch.tensor([float(c in positives) for c in asked], dtype=torch.float64)
        each.append(float(F.binary_cross_entropy_with_logits(logits, targets)))
    assert loss_of(level, documents) == pytest.approx(np.mean(each), rel=1e-5)


def test_fillers_are_labels_drawn_anew_and_labelled_correctly(
    levels: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all candidates given, fillers change nothing; with none, they are all there is."""
    level = a_level(levels, filler=True, candidates=4)
    asked: list[tuple[list[int], list[float]]] = []
    original = module.are_positive

    def spy(ids: Any, *rest: Any) -> Any:
        targets = original(ids, *rest)
        asked.append((ids[0].tolist(), targets[0].tolist()))
        return targets

    monkeypatch.setattr(module, "are_positive", spy)
    level.asked[5] = -1
    for _ in range(2):
        loss_of(level, [5])
    split: Split = level.data.train
    positives = set(split.label_ids[split.label_offsets[5] : split.label_offsets[6]].tolist())
    (first, targets), (second, _) = asked
    assert first != second
    assert targets == [float(label in positives) for label in first]
    assert max(first) < 12


def test_the_tree_is_built_from_the_documents_that_are_held_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    original = module.label_features

    def spy(words: Any, labels: Any) -> Any:
        seen.append(words.shape[0])
        return original(words, labels)

    monkeypatch.setattr(module, "label_features", spy)
    protocol = toy_protocol(
        epochs=1,
        padding="batch",
        select="best_on_dev",
        select_metric="nDCG@3",
        hold_out="you2019-small",
        evaluate="every_epoch",
    )
    run(protocol=protocol)
    assert seen == [31]


def searched() -> Protocol:
    """A protocol with everything that a checkpoint holds."""
    return toy_protocol(
        epochs=2,
        padding="batch",
        optimiser="dense_sparse_adam",
        clip="you2019",
        select="best_on_dev",
        select_metric="nDCG@3",
        hold_out="you2019-small",
        evaluate="every_steps",
        evaluate_every=2,
        average_from=1,
    )


@pytest.mark.parametrize("stops", [(3,), (9, 14), (11, 1), (14, 2, 2)], ids=str)
def test_a_resumed_tree_ends_with_the_bits_of_an_undisturbed_one(tmp_path: Path, stops: Any) -> None:
    """A level has 12 steps: interruptions come in the upper level, in the lower one, and in both."""
    chosen = config(tree_height=1)
    undisturbed = run(chosen, protocol=searched())
    interruptions = 0
    for stop in (*stops, 10_000):
        try:
            watch = Watch(stop=stopping(stop), checkpoint=tmp_path / "state.pt")
            resumed = run(chosen, protocol=searched(), watch=watch)
        except Interrupted:
            interruptions += 1
    assert interruptions == len(stops)
    assert same(resumed, undisturbed)
    assert resumed.parameters == undisturbed.parameters
