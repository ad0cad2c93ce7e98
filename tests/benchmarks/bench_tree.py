"""Label trees of many labels: time and memory to build one, and beam search as labels grow.

python tests/benchmarks/bench_tree.py [labels ...]

For each number of labels a fresh process makes sparse label features (words by a Zipf-like law), builds the
tree of AttentionXML (leaves of at most 8, 8 ways, height 3) and predicts made documents with a beam of 160 at
the sizes of AttentionXML's tree sets (LSTM of 512 units, layers of 512 and 256). Weights are not trained: it
costs the same. Scoring all labels with the same network is timed beside it where it fits.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from scipy import sparse

from reimpl.attention_xml import AttentionXML, Config
from reimpl.batching import top_k
from reimpl.label_tree import Children, LabelTree, build_tree, label_features

SIZES = (10_000, 100_000, 670_091)
WORDS, PER_LABEL = 135_909, 100  # features of Amazon-670K; words of a label, made
DOCUMENTS, LENGTH, BATCH = 40, 100, 20
CONFIG = Config(hidden=512, fully_connected=(512, 256), tree_height=3, cluster_size=8, ways=8, candidates=160)


def made_features(labels: int) -> sparse.csr_matrix:
    """(L, D) rows of length 1."""
    rng = np.random.default_rng(0)
    columns = (WORDS * rng.random(labels * PER_LABEL) ** 3).astype(np.int32)
    values = rng.random(labels * PER_LABEL, dtype=np.float32)
    offsets = np.arange(0, labels * PER_LABEL + 1, PER_LABEL, dtype=np.int64)
    rows = sparse.csr_matrix((values, columns, offsets), shape=(labels, WORDS))
    rows.sum_duplicates()
    return label_features(rows, sparse.identity(labels, format="csr", dtype=np.float32))


def networks(tree: LabelTree) -> list[AttentionXML]:
    vectors = torch.randn(1000, 300)
    return [
        AttentionXML(CONFIG, vectors=vectors, labels=n, filler=depth > 0).eval()
        for depth, n in enumerate(tree.sizes)
    ]


@torch.inference_mode()
def beam(tree: LabelTree, levels: list[AttentionXML], tokens: torch.Tensor) -> None:
    C = CONFIG.candidates
    scores, parents = top_k(F.logsigmoid(levels[0](tokens)), min(C, tree.sizes[0]))
    for depth, network in enumerate(levels[1:]):
        children = Children.of(tree, depth, torch.device("cpu"))
        ids, valid = children.below(parents)
        logits = network(tokens, candidates=torch.where(valid, ids, tree.sizes[depth + 1]))
        path = scores.repeat_interleave(children.widest, dim=1)
        scores, places = top_k((F.logsigmoid(logits) + path).masked_fill(~valid, -torch.inf), C)
        parents = ids.gather(1, places.clamp(min=0))


@torch.inference_mode()
def flat(network: AttentionXML, tokens: torch.Tensor) -> None:
    top_k(network(tokens), 10)


def seconds_a_document(step: object, tokens: torch.Tensor) -> float:
    began = time.perf_counter()
    for part in tokens.split(BATCH):
        step(part)  # type: ignore[operator]
    return (time.perf_counter() - began) / len(tokens)


def one(labels: int) -> None:
    features = made_features(labels)
    began = time.perf_counter()
    tree = build_tree(features, max_leaf=8, height=3, ways=8, seed=0)
    built = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{labels:9,} labels, {features.nnz:12,} weights: built in {built:6.1f} s, peak {peak:.2f} GiB")
    del features
    torch.manual_seed(0)
    levels = networks(tree)
    tokens = torch.randint(1, 1000, (DOCUMENTS, LENGTH))
    beam(tree, levels, tokens[:2])
    searched = seconds_a_document(lambda part: beam(tree, levels, part), tokens)
    line = f"{'':9} beam of 160: {1 / searched:6.1f} documents/s"
    if labels <= 100_000:
        everything = AttentionXML(CONFIG, vectors=torch.randn(1000, 300), labels=labels).eval()
        scored = seconds_a_document(lambda part: flat(everything, part), tokens[:BATCH])
        line += f"; all labels: {1 / scored:6.2f} documents/s, ratio {scored / searched:.1f}"
    print(line, flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        one(int(sys.argv[2]))
        return
    for labels in map(int, sys.argv[1:] or SIZES):
        subprocess.run([sys.executable, __file__, "--one", str(labels)], check=True)


if __name__ == "__main__":
    main()
