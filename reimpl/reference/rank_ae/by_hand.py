"""Losses worked out by hand, what a prediction may depend on, documents of one side, sizes, first weights."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from reimpl.fidelity import MismatchError, close
from reimpl.rank_ae import VARIANTS, Learned, RankAE, build, losses
from reimpl.word_batches import WordBatch

_L = 4


def toy_losses() -> str:
    """Scores .9 .2 .6 .1, the first two positive, m = .5: LP 1.3 + LN 1.1.

    Points (1, 2) and (0, 0) against (0, 0) and (3, 0): 14 of squares over two documents; a mean is half that.
    """
    config = replace(VARIANTS["third-party"], margin=0.5)
    text = torch.tensor([[1.0, 2], [0, 0]], dtype=torch.float64)
    label = torch.tensor([[0.0, 0], [3, 0]], dtype=torch.float64)
    scores = torch.tensor([[0.9, 0.2, 0.6, 0.1]] * 2, dtype=torch.float64)
    learned, rows, cols = Learned(text, label, scores), torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 0, 1])
    hidden, output = losses(config, learned, rows, cols)
    close("Lh", hidden, 7.0, tolerance=1e-12)
    close("LP + LN", output, 2.4, tolerance=1e-12)
    close(
        "Lh as a mean",
        losses(replace(config, hidden_loss="mean"), learned, rows, cols)[0],
        3.5,
        tolerance=1e-12,
    )
    # over two negatives and two positives
    close("means", losses(replace(config, label_loss="mean"), learned, rows, cols)[1], 1.2, tolerance=1e-12)
    # sigmoids of the logits of these scores are the scores
    logits = learned._replace(logits=torch.logit(scores))
    close("sigmoids", losses(replace(config, output="sigmoid"), logits, rows, cols)[1], 2.4, tolerance=1e-12)
    return "LP 1.3 + LN 1.1 and Lh 7, and their means"


def _words() -> WordBatch:
    """Three documents: two words, none, one."""
    return WordBatch(torch.tensor([0, 0, 2]), torch.tensor([1, 3, 3]), torch.tensor([0.5, 2.0, 1.0]), 3)


def _network(variant: str) -> RankAE:
    torch.manual_seed(4)
    config = replace(VARIANTS[variant], encoder=6, hidden=3)
    return build(config, vectors=torch.randn(5, 8), labels=_L)


def _value(net: RankAE, rows: list[int], cols: list[int]) -> Tensor:
    where = torch.tensor(rows, dtype=torch.int64), torch.tensor(cols, dtype=torch.int64)
    hidden, output = losses(net.config, net.learn(_words(), *where), *where)
    return hidden + net.config.balance * output


def labels_and_predictions() -> str:
    """Training: D(E(y)). Prediction: D(F(x)), which changes with the words and knows no labels."""
    for variant in VARIANTS:
        net = _network(variant).eval()
        learned = net.learn(_words(), torch.tensor([0, 2]), torch.tensor([1, 0]))
        close(
            f"{variant}: D(E(y))",
            learned.logits.detach(),
            net.decode(learned.label_hidden).detach(),
            tolerance=0,
        )
        close(
            f"{variant}: D(F(x))",
            net(_words()).detach(),
            net.decode(learned.text_hidden).detach(),
            tolerance=0,
        )
        if torch.equal(_value(net, [0, 2], [1, 0]), _value(net, [0, 2], [1, 3])):
            raise MismatchError(f"{variant}: the loss does not change with the labels")
        before = net(_words()).detach()
        net.label_vectors.data.normal_()
        close(f"{variant}: scores with another encoder", net(_words()).detach(), before, tolerance=0)
        if torch.equal(before[0], before[2]):
            raise MismatchError(f"{variant}: the scores do not change with the words")
    return f"{len(VARIANTS)} variants learn from the labels and predict from the words alone"


def one_sided_documents() -> str:
    """Documents without labels, with all, and without words: finite losses, slopes and scores."""
    for variant in VARIANTS:
        net = _network(variant).train()
        value = _value(net, [1, 1, 1, 1, 2], [0, 1, 2, 3, 0])
        value.backward()  # type: ignore[no-untyped-call]
        finite = [it.grad.isfinite().all() for it in net.parameters() if it.grad is not None]
        if not (value.isfinite() and all(finite) and net.eval()(_words()).isfinite().all()):
            raise MismatchError(f"{variant}: not finite")
        where = torch.tensor([1] * _L), torch.arange(_L)
        output = losses(net.config, net.learn(_words(), *where), *where)[1]
        if net.config.loss == "ranking" and output != 0:
            raise MismatchError(f"{variant}: documents with no or with all labels have a ranking loss")
    return f"documents of one side only are finite in {len(VARIANTS)} variants, and have no ranking loss"


def frozen_norms() -> str:
    """Frozen, the running values stay, and training computes what prediction does."""
    net = _network("third-party").train()
    _value(net, [0, 2], [1, 0])
    net.frozen_norms = True
    state = {name: it.clone() for name, it in net.train().state_dict().items()}
    learned = net.learn(_words(), torch.tensor([0, 2]), torch.tensor([1, 0]))
    for name, value in net.state_dict().items():
        close(name, value, state[name], tolerance=0)
    close("scores", net.decode(learned.text_hidden).detach(), net.eval()(_words()).detach(), tolerance=0)
    return "frozen batch normalisation is as in prediction, and learns nothing"


def parameter_counts() -> str:
    """EUR-Lex as the third party has it, 7,082,918, and what biases and normalisation are of that."""
    # V C + (2 C U + C + U) + 2 V + (C + 1) h + (L + 1) e + (e + 1) h + (h + 1) e + (e + 1) L + 4 e
    expected = {
        ("third-party", 800): 7_082_918,
        ("binary-ids", 800): 7_082_918,
        # without 125 biases, 10,000 and 3,200 of normalisation
        ("paper", 800): 7_069_593,
        # and without 2 x 100 x 25 of the attention
        ("no-attention", 800): 7_064_593,
    }
    for (variant, e), count in expected.items():
        config = replace(VARIANTS[variant], encoder=e, hidden=100)
        with torch.device("meta"):  # shapes without memory
            net = build(config, vectors=torch.empty(5_000, 100), labels=3_993)
        built = sum(p.numel() for p in net.parameters())
        formula = config.parameter_count(vocabulary=5_000, dimension=100, labels=3_993)
        for what, value in (("built", built), ("by formula", formula)):
            if value != count:
                raise MismatchError(f"{variant} {what}: {value:,} numbers, not {count:,}")
    return f"{len(expected)} networks at EUR-Lex's sizes have the numbers that their shapes ask for"


def initial_weights() -> str:
    """Third party: normal with variance 2 / inputs. Paper's reading: torch's own bound, 1 / sqrt(inputs)."""
    inputs = {"feature": 64, "encoder": 300, "decoder": 80, "output": 300}
    for variant in ("third-party", "paper"):
        torch.manual_seed(3)
        config = replace(VARIANTS[variant], encoder=300, hidden=80)
        net = build(config, vectors=torch.zeros(3, 64), labels=200)
        weights = {name: getattr(net, name).weight for name in inputs} | {"labels": net.label_vectors}
        for name, weight in weights.items():
            n = inputs.get(name, 200)
            spread = weight.std().item() * (n / 2) ** 0.5 if variant == "third-party" else None
            largest = weight.abs().max().item() * n**0.5
            if not (0.97 < spread < 1.03 if spread else 0.97 < largest <= 1.000001):
                raise MismatchError(f"{variant}: the first weights of {name} are spread otherwise")
    return "Kaiming's normal, and torch's own, by the inputs of each layer"
