"""AttentionXML: the network, candidates, refusals, variants and training."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from reimpl import attention_xml, cornet, training, tree_training
from reimpl.attention_xml import VARIANTS, AttentionXML, Config, build
from reimpl.training import Result
from tests.toys import toy_data, toy_protocol

Patch = pytest.MonkeyPatch


def network(config: Config = VARIANTS["code"], *, labels: int = 5, **options: Any) -> AttentionXML:
    """Small, in evaluation mode; ten words of seven components, padding 0."""
    torch.manual_seed(2)
    config = replace(config, hidden=6, fully_connected=(5,))
    return AttentionXML(config, vectors=torch.randn(10, 7), labels=labels, **options).eval()


def test_the_network_of_a_level_starts_with_all_weights_of_the_one_above_but_its_queries() -> None:
    above, below = network(labels=3), network(labels=8, filler=True)
    for parameter in above.parameters():
        parameter.data.normal_()
    before = below.queries.weight.detach().clone()  # type: ignore[union-attr]
    below.inherit(above)
    for name, parameter in below.named_parameters():
        if name.startswith("queries"):
            assert torch.equal(parameter, before)
        else:
            assert torch.equal(parameter, above.get_parameter(name))
            assert parameter.data_ptr() != above.get_parameter(name).data_ptr()


def test_variants_differ_as_paper_and_public_codes_do() -> None:
    """Learned starts, random fillers and sums are the code's alone; LibMultiLabel attends to padding. Dropout
    of .2 on the words and .5 on the LSTM outputs everywhere, hidden sizes as on EUR-Lex."""
    told = {
        name: (it.start, it.mask, it.head, it.filler, it.ensemble, it.dropout_output)
        for name, it in VARIANTS.items()
    }
    assert told == {
        "code": ("learned", True, "attention", True, "sum", 0.0),
        "paper": ("zero", True, "attention", False, "mean", 0.0),
        "bilstm": ("learned", True, "max_pooling", True, "sum", 0.5),
        "unmasked": ("zero", False, "attention", True, "sum", 0.0),
    }
    for it in VARIANTS.values():
        assert (it.dropout_embedding, it.dropout_states) == (0.2, 0.5)
        assert (it.hidden, it.layers, it.fully_connected, it.loss) == (256, 1, (256,), "bce_mean")
        assert (it.trees, it.tree_height) == (1, 0)


def tiny(**changes: Any) -> Config:
    return Config(**{"hidden": 4, "fully_connected": (3,), **changes})


def train(config: Config, *, data: Any = None, **changes: Any) -> Result:
    protocol = toy_protocol(padding="batch", **{k: v for k, v in changes.items() if k != "watch"})
    watch = {"watch": changes["watch"]} if "watch" in changes else {}
    return attention_xml.train(config, data or toy_data(), protocol, seed=3, **watch)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("optimiser", ["adam", "dense_sparse_adam"])
def test_every_variant_trains_and_ranks(variant: str, optimiser: str) -> None:
    config = replace(VARIANTS[variant], hidden=4, fully_connected=(3,))
    result = train(config, optimiser=optimiser)
    assert not result.failed
    assert result.top_ids is not None and result.top_ids.shape == (11, 6)
    losses = [row["loss"] for row in result.curve]
    assert losses[-1] < losses[0]


def test_documents_that_read_their_neighbours_are_scored_in_file_order() -> None:
    """By length, as others are, they would have neighbours unlike those of training, and other scores."""
    data, protocol, made = toy_data(), toy_protocol(padding="batch"), []

    def unmasked(vectors: Tensor) -> nn.Module:
        config = replace(VARIANTS["unmasked"], hidden=4, fully_connected=(3,))
        made.append(build(config, vectors=vectors, labels=6, length=9, padding_id=0, freeze_padding=True))
        return made[0]

    result = training.train(unmasked, data, protocol, loss_name="bce_mean", seed=3)
    width, test = int(data.test.lengths.max()), data.test
    ids = np.zeros((test.size, width), dtype=np.int64)
    for row, (a, b) in zip(ids, pairwise(test.offsets), strict=True):
        row[: b - a] = test.tokens[a:b]
    with torch.no_grad():
        parts = [made[0].eval()(part) for part in torch.from_numpy(ids).split(5)]
    expected = torch.cat(parts).sort(dim=1, descending=True).values
    np.testing.assert_allclose(result.top_scores, expected, rtol=0, atol=1e-5)
    on_top = cornet.build(
        cornet.resolve(cornet.Config(base="attention_xml", base_variant="unmasked")),
        vectors=torch.zeros(3, 4),
        labels=6,
        length=9,
        padding_id=0,
        freeze_padding=True,
    )
    assert on_top.reads_neighbours and not network().reads_neighbours


@pytest.mark.parametrize("rule", ["sum", "mean"])
def test_an_ensemble_joins_the_probabilities_of_single_models(rule: Any) -> None:
    data, protocol = toy_data(), toy_protocol(padding="batch")
    ours = attention_xml.train(tiny(trees=3, ensemble=rule), data, protocol, seed=3)
    singles = [attention_xml.train(tiny(), data, protocol, seed=it) for it in tree_training.seeds(3, 3)]
    total = np.zeros((11, 6))
    for single in singles:
        assert single.top_ids is not None and single.top_scores is not None
        np.put_along_axis(
            one := np.zeros((11, 6)), single.top_ids.astype(int), 1 / (1 + np.exp(-single.top_scores)), 1
        )
        total += one
    total /= 3 if rule == "mean" else 1
    assert ours.top_ids is not None and ours.top_scores is not None
    theirs = np.take_along_axis(total, ours.top_ids.astype(int), 1)
    np.testing.assert_allclose(theirs, ours.top_scores, rtol=1e-5)
    assert (np.diff(ours.top_scores, axis=1) <= 0).all()
    assert ours.parameters == 3 * singles[0].parameters


def test_a_tree_is_handed_to_its_own_training(monkeypatch: Patch) -> None:
    """One tree as it is; of several, long lists of logarithms of probabilities, which are joined."""
    asked: list[dict[str, Any]] = []

    def stand_in(network: Any, config: Config, data: Any, protocol: Any, **how: Any) -> Result:
        asked.append({**how, "trees": config.trees})
        ids = np.tile(np.array([[2, 0, -1]], dtype=np.int32), (data.test.size, 1))
        scores = np.tile(np.log(np.array([[0.5, 0.25, 0.0]]) + 1e-30).astype(np.float32), (data.test.size, 1))
        return Result({}, (), 1.0, None, 5, top_ids=ids, top_scores=scores)

    monkeypatch.setattr(attention_xml, "train_tree", stand_in)
    data, protocol = toy_data(), toy_protocol()
    one = attention_xml.train(tiny(tree_height=1, cluster_size=2), data, protocol, seed=3)
    assert asked[0]["seed"] == 3 and one.parameters == 5
    both = attention_xml.train(tiny(tree_height=1, cluster_size=2, trees=2), data, protocol, seed=3)
    assert [it["seed"] for it in asked[1:]] == tree_training.seeds(3, 2)
    assert all(it["list_length"] == 6 and it["trees"] == 1 for it in asked[1:])
    assert both.top_scores is not None
    np.testing.assert_allclose(both.top_scores[0, :3], [1.0, 0.5, 0], atol=1e-6)
