"""Kim-CNN and XML-CNN against plain layers and the sizes of the public code."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name

from reimpl import xml_cnn
from reimpl.baselines import bow_cnn
from reimpl.xml_cnn import VARIANTS, XMLCNN, Config

SWEEPS = ("words", "embeddings")
POOLINGS = ("max", "dynamic", "overlapping", "none")
#: Documents of 14 words of 12 components.
SMALL: dict[str, Any] = {"windows": (2, 3, 5), "maps": 3, "hidden": 4, "pools": 4}


def network(config: Config, *, length: int = 14, dimension: int = 12, seed: int = 0, **kwargs: Any) -> XMLCNN:
    """In float64, evaluation mode, six labels, twenty words."""
    torch.manual_seed(seed)
    vectors = torch.randn(20, dimension, dtype=torch.float64)
    return XMLCNN(config, vectors=vectors, labels=6, length=length, **kwargs).double().eval()


def tokens(B: int, T: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(T).integers(0, 20, size=(B, T)))


def plain(net: XMLCNN, document: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Features and scores of one document of word vectors (T, E), by torch's own layers and plain slices."""
    config, values = net.config, []
    x = document.t() if config.sweep == "words" else document  # (channels, swept)
    for conv in net.convolutions:
        weight, bias = (it.detach() for it in conv.parameters())
        border = weight.shape[2] - 1 if config.padding == "full" else 0
        maps = F.conv1d(x[None], weight, bias, stride=config.stride, padding=border)[0]
        if config.relu == "before_pooling":
            maps = F.relu(maps)
        n, p = maps.shape[1], 1 if config.pooling == "max" else config.pools
        if config.pooling in ("max", "dynamic"):  # Eq. (6): bin i from floor(i n / p) to ceil((i + 1) n / p)
            bins = [maps[:, i * n // p : -(-(i + 1) * n // p)] for i in range(p)]
            maps = torch.stack([part.amax(1) for part in bins], dim=1)
        elif config.pooling == "overlapping":  # Eq. (7): 2 / 1
            maps = torch.stack([maps[:, i : i + 2].amax(1) for i in range(n - 1)], dim=1)
        values.append(maps.flatten())
    features = z = F.relu(torch.cat(values))
    if net.hidden is not None:
        z = F.relu(net.hidden(z))
    return features, net.output(z)


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize(
    ("stride", "hidden", "relu", "padding"),
    [(1, 4, "before_pooling", "none"), (2, None, "after_pooling", "full")],
)
def test_features_and_scores_are_those_of_plain_layers(
    sweep: Any, pooling: Any, stride: int, hidden: int | None, relu: Any, padding: Any
) -> None:
    """Every factor of the family, one document and window after the other."""
    factors = {"sweep": sweep, "pooling": pooling, "stride": stride, "hidden": hidden, "relu": relu}
    config = Config(**SMALL | factors, padding=padding)
    net, ids = network(config), tokens(2, 14)
    with torch.no_grad():
        found = zip(net.features(ids), net(ids), strict=True)
        for document, ours in zip(net.embedding.weight[ids], found, strict=True):
            torch.testing.assert_close(ours, plain(net, document), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("pooling", "padding"), [("dynamic", "full"), ("max", "none")])
def test_bags_are_the_weight_matrix_times_the_counts_of_a_windows_words(pooling: Any, padding: Any) -> None:
    """Word 0 pads: no region has it."""
    config = replace(
        bow_cnn.VARIANTS["paper"], pooling=pooling, padding=padding, windows=(2, 5), maps=3, pools=4
    )
    net, ids = network(config), tokens(2, 14)
    ids[1, 9:] = 0
    with torch.no_grad():
        for document, ours in zip(ids, net.features(ids), strict=True):
            values = []
            for k, part in zip((2, 5), net.convolutions, strict=True):
                W, bias = part.weight.weight, part.bias.normal_()  # type: ignore[union-attr, operator]
                border = (k - 1) * (padding == "full")
                words = [0] * border + document.tolist() + [0] * border
                counts = [
                    torch.bincount(torch.tensor(words[i : i + k]), minlength=20)
                    for i in range(len(words) - k + 1)
                ]
                maps = F.relu(W[1:].t() @ torch.stack(counts, dim=1)[1:].double() + bias[:, None])
                values.append(F.adaptive_max_pool1d(maps[None], 4 if pooling == "dynamic" else 1).flatten())
            torch.testing.assert_close(net.features(document[None])[0], torch.cat(values))
            assert len(ours) == len(torch.cat(values)) == config.feature_size(length=14, dimension=12)


def test_a_step_leaves_no_weight_vector_longer_than_the_norm_allowed() -> None:
    net = network(replace(VARIANTS["kim2014"], **SMALL))
    with torch.no_grad():
        net.output.weight.zero_()[0, :2], net.output.weight[1, 0] = torch.tensor([3.0, 4.0]).double(), 2.0
    net.after_step()
    assert net.output.weight[:2, :2].tolist() == [pytest.approx([1.8, 2.4]), [2.0, 0.0]]


@pytest.mark.parametrize(
    ("name", "overrides", "expected"),
    [
        ("liu2017-code", {}, 14_176),  # the given code: 32 x (149 + 148 + 146)
        ("chen2022-liu-words", {}, 95_104),  # 128 x (249 + 248 + 246)
        ("chen2022-xmlcnn-embeddings", {}, 1_536),  # 128 x 3 x 4
        ("chen2022-kim-words", {}, 384),  # 128 x 3
        ("chen2022-liunp-embeddings", {}, 128 * (150 + 149 + 147)),
        ("xun2020-code", {}, 3_072),  # 128 x 3 x 8
        ("xun2020-code", {"pooling": "none"}, 128 * (501 + 503 + 507)),
    ],
)
def test_feature_sizes_are_those_of_the_public_code(
    name: str, overrides: dict[str, Any], expected: int
) -> None:
    """500 words of 300 components, by formula and in the network."""
    config = replace(VARIANTS[name], **overrides)
    assert config.feature_size(length=500, dimension=300) == expected
    with torch.device("meta"):
        net = XMLCNN(config, vectors=torch.empty(5, 300), labels=7, length=500)
    assert (net.hidden or net.output).in_features == expected


@pytest.mark.parametrize(
    "overrides", [{"sweep": "embeddings"}, {"pooling": "overlapping"}, {"pooling": "none"}]
)
def test_a_network_bound_to_positions_asks_for_one_width(overrides: dict[str, Any]) -> None:
    """That of every batch, by which training and scoring pad and cut."""
    net = network(Config(**SMALL | overrides))
    assert net.position_bound
    assert net.minimum_width == 14


@pytest.mark.parametrize(
    ("name", "before_output"), [("chen2022-xmlcnn-words", (2, 4)), ("chen2022-kim-words", (2, 9))]
)
@pytest.mark.parametrize("training", [True, False])
def test_dropout_sits_on_the_words_and_before_the_output(
    monkeypatch: pytest.MonkeyPatch, name: str, before_output: tuple[int, int], training: bool
) -> None:
    """Two places, none between pooling and hidden layer; without that layer the second is on the features."""
    sites: list[tuple[tuple[int, ...], float, bool]] = []

    def dropout(x: torch.Tensor, p: float, active: bool) -> torch.Tensor:
        sites.append((tuple(x.shape), p, active))
        return x

    config = VARIANTS[name]
    small = {k: v for k, v in SMALL.items() if k != "hidden" or config.hidden}
    net = network(replace(config, **small))
    monkeypatch.setattr(xml_cnn, "dropout", dropout)
    net.train(training)(tokens(2, 14))
    assert sites == [((2, 14, 12), 0.25, training), (before_output, 0.5, training)]


EMBEDDINGS = {"sweep": "embeddings"}
KIM = {"pooling": "max", "hidden": None}  # kim_cnn_v2.py: global maximum, no hidden layer, stride 1
EQ7 = {"pooling": "overlapping", "stride": 2}  # xml_cnn_liu.py honours the stride
STUDY, TORCH = "chen2022-xmlcnn-words", {"relu": "before_pooling", "dropout_embedding": 0.0, "init": "torch"}

#: Variant -> another one, and the keys in which the two differ.
DIFFERING: dict[str, tuple[str, dict[str, Any]]] = {
    "chen2022-xmlcnn-embeddings": (STUDY, EMBEDDINGS),
    "chen2022-kim-words": (STUDY, KIM),
    "chen2022-kim-embeddings": (STUDY, KIM | EMBEDDINGS),
    "chen2022-liu-words": (STUDY, EQ7),
    # xml_cnn_liu_nt.yml alone has .25 before the output.
    "chen2022-liu-embeddings": (STUDY, EQ7 | EMBEDDINGS | {"dropout_output": 0.25}),
    # Table 5: XMLCNNLiuMP and XMLCNNLiuNP keep hidden layer and stride 2.
    "chen2022-liump-words": (STUDY, {"pooling": "max", "stride": 2}),
    "chen2022-liump-embeddings": (STUDY, {"pooling": "max", "stride": 2} | EMBEDDINGS),
    "chen2022-liunp-words": (STUDY, {"pooling": "none", "stride": 2}),
    "chen2022-liunp-embeddings": (STUDY, {"pooling": "none", "stride": 2} | EMBEDDINGS),
    # train.py:89 (maps), the convolution layers (ReLU), cnn_model.py (dropout), Lasagne's default (bias).
    "liu2017-code": (
        "chen2022-liu-embeddings",
        {"maps": 32, "relu": "before_pooling", "dropout_output": 0.5, "bias": "zero"},
    ),
    # Its formula applies the activation to the convolution; one rate is stated, for the hidden layer.
    "liu2017-paper": (STUDY, TORCH | {"loss": "bce_sum_over_labels"}),
    # Windows 3, 4, 5 of 100 maps; the loss is Eq. (3) of Chen et al. 2022.
    "kim2014": (
        "chen2022-kim-words",
        TORCH | {"windows": (3, 4, 5), "maps": 100, "loss": "softmax_ce", "max_norm": 3.0},
    ),
    # EURLEX57K, Kim-CNN: one window of 8, no dropout on the words, .4 before the output.
    "libmultilabel-kim": (
        "chen2022-kim-words",
        {"windows": (8,), "maps": 1024, "dropout_embedding": 0.0, "dropout_output": 0.4}
        | {"init": "kaiming_uniform"},
    ),
    # deepxml/xmlcnn.py: padding on both sides, eight pools, no dropout on the words.
    "xun2020-code": (
        STUDY,
        {"pools": 8, "padding": "full", "relu": "before_pooling", "dropout_embedding": 0.0},
    ),
    # Section 5.2.1: Liu et al.'s with eight pools; loss as all networks there.
    "xun2020-paper": ("liu2017-paper", {"pools": 8, "loss": "bce_mean"}),
}


def test_the_studys_own_xmlcnn() -> None:
    """Configurations of its Table 4 and networks/xml_cnn.py: stride 1 although 2 is configured."""
    found = dataclasses.asdict(VARIANTS[STUDY])
    expected = {"sweep": "words", "pooling": "dynamic", "pools": 4, "windows": (2, 4, 8), "maps": 128}
    expected |= {"stride": 1, "padding": "none", "relu": "after_pooling", "hidden": 512, "bias": "torch"}
    expected |= {"dropout_embedding": 0.25, "dropout_output": 0.5, "init": "xavier_uniform"}
    expected |= {"loss": "bce_mean", "train_vectors": True, "regions": "sequences", "max_norm": None}
    assert found == expected


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != STUDY])
def test_a_variant_differs_where_its_source_does(name: str) -> None:
    """In these keys and no others."""
    base, expected = DIFFERING[name]
    ours, theirs = (dataclasses.asdict(VARIANTS[it]) for it in (name, base))
    assert {key: value for key, value in ours.items() if value != theirs[key]} == expected
