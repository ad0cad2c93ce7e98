"""Sizes of the layers at the paper's settings, worked out by hand from the layers, and first weights."""

from __future__ import annotations

from dataclasses import replace

import torch

from reimpl.bert_xml import VARIANTS, BertXML, Config
from reimpl.fidelity import MismatchError, close


def parameter_counts() -> str:
    """300 components, 2 heads, 600 inner units, 3 layers, 5 [CLS] symbols, 500 positions, 3,956 labels."""
    # Tables (7 + 5 + 505) x 300 = 155,100; a layer 4 x 301 x 300 + 301 x 600 + 601 x 300 = 722,100, three of
    # them 2,166,300; output 1,501 x 3,956 = 5,937,956.
    bare = 155_100 + 2_166_300
    expected = {
        VARIANTS["code"]: bare + 2_251_500 + 5_937_956,  # pooler 1,501 x 1,500
        VARIANTS["paper"]: bare + 4_200 + 5_937_956,  # seven norms of 2 x 300
        # Wiki-500K: 1,501 x 512, then 513 a label
        replace(VARIANTS["code"], bottleneck=512): bare + 768_512 + 513 * 3_956,
    }
    for config, count in expected.items():
        formula = config.parameter_count(vocabulary=7, length=500, dimension=300, labels=3_956)
        built = sum(p.numel() for p in _on_meta(config).parameters())
        if not formula == built == count:
            raise MismatchError(f"{config} has {built:,} numbers, {formula:,} by its formula, not {count:,}")
    return f"{len(expected)} networks are as large as by hand and by formula"


def _on_meta(config: Config) -> BertXML:
    with torch.device("meta"):  # shapes without memory
        return BertXML(config, vectors=torch.empty(7, 300), labels=3_956, length=500)


def shapes() -> str:
    """Two documents of 500 words: 505 positions, five states of 300 side by side, a pooler as wide."""
    network = _on_meta(VARIANTS["code"])
    ids = torch.zeros(2, 500, dtype=torch.int64, device="meta")
    found = [
        tuple(z.shape)
        for z in (network.positions, network.document_vectors(ids), network.features(ids), network(ids))
    ]
    if found != [(505, 300), (2, 1500), (2, 1500), (2, 3956)]:
        raise MismatchError(f"two documents of 500 words have the shapes {found}")
    return "505 positions, 2 x 1,500 states and features, 2 x 3,956 scores"


def initial_weights() -> str:
    """Word vectors lost or kept, matrices by their rule, biases zero."""
    torch.manual_seed(2020)
    vectors = torch.randn(400, 60)
    for name, config in VARIANTS.items():
        network = BertXML(replace(config, hidden=60), vectors=vectors, labels=90, length=40)
        table = network.words.weight.detach()
        if config.vectors == "kept":
            close(f"{name}: word vectors", table, vectors, tolerance=0)
        elif torch.equal(table, vectors) or not table[0].any():
            raise MismatchError(f"{name}: word vectors are kept, or the row of padding is zero")
        _check_matrices(name, network, rows=400 + config.cls_tokens)
    return "word vectors are lost in the code and kept in the paper; all else starts by its rule"


def _check_matrices(variant: str, network: BertXML, *, rows: int) -> None:
    for name, p in network.named_parameters():
        if name.endswith("bias"):
            close(f"{variant}: {name}", p.detach(), torch.zeros_like(p), tolerance=0)
        elif p.dim() == 1:
            close(f"{variant}: {name}", p.detach(), torch.ones_like(p), tolerance=0)
        elif not (name == "words.weight" and network.config.vectors == "kept"):
            height = rows if name in ("words.weight", "cls") else p.shape[0]
            # The deviation of a uniform draw is its bound over the root of 3.
            xavier = (2 / (height + p.shape[1])) ** 0.5
            deviation = 0.02 if network.config.init == "bert" else xavier
            ratio = p.std().item() / deviation
            if not 0.85 <= ratio <= 1.15:
                raise MismatchError(f"{variant}: deviation of {name} is {ratio:.2f} times {deviation:.4g}")
            if network.config.init != "bert" and p.abs().max().item() > 3**0.5 * xavier * 1.000001:
                raise MismatchError(f"{variant}: {name} exceeds Xavier's bound")
