"""Label trees: the clustering of the public code, sizes of the paper, one tree whatever the threads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import reimpl.label_tree as module
from reimpl.label_tree import (
    build_tree,
    depth_of,
    kept_depths,
    label_features,
    node_starts,
    split_in_two,
    split_pairs,
)

REFERENCE = Path(__file__).parents[1] / "reference"
STORED = json.loads(gzip.decompress((REFERENCE / "05_trees.json.gz").read_bytes()))
ARRAYS = np.load(REFERENCE / "05_trees.npz")


def stored_features(case: dict[str, Any]) -> sparse.csr_matrix:
    parts = (ARRAYS[case["prefix"] + name] for name in ("data", "indices", "indptr"))
    return sparse.csr_matrix(tuple(parts), shape=(case["L"], case["D"]))


@pytest.mark.parametrize("pairwise", [False, True], ids=["features", "pairs"])
@pytest.mark.parametrize("case", STORED["balanced_two_means"], ids=lambda case: case["prefix"])
def test_every_split_is_that_of_the_public_code(case: dict[str, Any], pairwise: bool) -> None:
    """yourh/AttentionXML e2bbbec, deepxml/cluster.py, run on stored features from stored starts."""
    features = stored_features(case)
    for split in case["splits_in_order"]:
        node, first = np.array(split["node"]), tuple(split["start_positions"])
        rows = features[node]
        if pairwise:
            pairs = (rows @ rows.T).toarray()[None]
            (nearest,) = split_pairs(pairs, np.array([len(node)]), np.array([first]), eps=case["eps"])
            left, right = np.split(nearest, [len(node) // 2])
        else:
            left, right = split_in_two(rows, first, eps=case["eps"])
        assert set(node[left]) == set(split["left"])
        assert set(node[right]) == set(split["right"])


def test_figure_1b_of_the_paper() -> None:
    """8,000 labels, K = M = 8, H = 3: 1, 16, 128, 1,024 nodes and the labels."""
    features = sparse.identity(8000, format="csr", dtype=np.float32)
    tree = build_tree(features, max_leaf=8, height=3, ways=8, seed=0)
    assert tree.sizes == (16, 128, 1024, 8000)
    assert tree.height == 3


@pytest.mark.parametrize(
    ("labels", "max_leaf", "height", "ways", "depths", "leaves"),
    [
        (670_091, 8, 3, 8, (11, 14, 17), {5, 6}),  # FACTS of the public configurations
        (501_008, 64, 1, 64, (13,), {61, 62}),
        (2_812_281, 8, 3, 8, (13, 16, 19), {5, 6}),
    ],
)
def test_the_trees_of_the_three_large_data_sets(
    labels: int, max_leaf: int, height: int, ways: int, depths: tuple[int, ...], leaves: set[int]
) -> None:
    depth = depth_of(labels, max_leaf)
    assert kept_depths(depth, height, ways) == depths
    assert set(np.diff(node_starts(labels, depth))) == leaves


@given(st.integers(1, 5000), st.integers(1, 100))
def test_no_leaf_is_empty_or_larger_than_asked(labels: int, max_leaf: int) -> None:
    sizes = np.diff(node_starts(labels, depth_of(labels, max_leaf)))
    assert sizes.sum() == labels and sizes.min() >= 1
    assert sizes.max() <= max_leaf or max_leaf == 1
    assert sizes.max() - sizes.min() <= 1


def made(labels: int, seed: int = 1) -> sparse.csr_matrix:
    rows = sparse.random(labels, 60, density=0.15, format="csr", dtype=np.float32, random_state=seed)
    return label_features(rows, sparse.identity(labels, format="csr", dtype=np.float32))


def test_the_same_seed_gives_the_same_tree_on_any_number_of_threads() -> None:
    features = made(1500)
    one, two, other = (
        build_tree(features, max_leaf=8, height=2, ways=4, seed=seed, threads=threads)
        for seed, threads in ((3, 1), (3, 4), (4, 1))
    )
    assert np.array_equal(one.order, two.order)
    assert not np.array_equal(one.order, other.order)


def test_leaves_are_the_same_whichever_way_nodes_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """By features down to the leaves, or by pairs from the root on."""
    trees = []
    for pairwise in (1, 10_000):
        monkeypatch.setattr(module, "PAIRWISE", pairwise)
        tree = build_tree(made(200).astype(np.float64), max_leaf=8, height=1, ways=4, seed=0)
        trees.append([set(leaf) for leaf in np.split(tree.order, tree.starts[0][1:-1])])
    assert trees[0] == trees[1]


def test_parents_and_children_agree_at_every_level() -> None:
    tree = build_tree(made(700), max_leaf=8, height=3, ways=4, seed=0)
    assert sorted(tree.order) == list(range(700))
    for level in range(tree.height):
        ids, starts = tree.children(level)
        assert len(starts) == tree.sizes[level] + 1
        below = (
            np.arange(700) if level == tree.height - 1 else tree.parents(level + 1)
        )  # node of the next level, of each label
        for node in range(tree.sizes[level]):
            mine = set(ids[starts[node] : starts[node + 1]])
            assert mine == set(below[tree.parents(level) == node])
    assert {len(ids) for ids in np.split(np.arange(tree.sizes[1]), tree.children(0)[1][1:-1])} == {4}


def test_label_features_by_hand() -> None:
    """Rows (3, 4) and (0, 2): lengths 5 and 2; a label of both documents has (.6, 1.8) over its length."""
    documents = sparse.csr_matrix(np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]]))
    labels = sparse.csr_matrix(np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]))
    length = np.sqrt(0.36 + 3.24)
    expected = [[0.6, 0.8], [0.6 / length, 1.8 / length], [0, 0], [0, 0]]
    assert np.allclose(label_features(documents, labels).toarray(), expected)
