"""Sizes of the layers, initial weights, and pools small enough to be checked by eye.

Feature sizes: jimmy646/XML-CNN 72de8b3, code/cnn_model.py, for 500 words of 300 components; Chen et al. 2022,
Eqs. (6) and (7). Parameter counts: worked out by hand from the layers' shapes.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from reimpl import layers, xml_cnn
from reimpl.fidelity import MismatchError, close


def feature_sizes() -> str:
    """Values that leave the pooling for 500 words of 300 components."""
    expected = {
        "liu2017-code": 14_176,  # 32 maps x (149 + 148 + 146)
        "chen2022-liu-embeddings": 56_704,  # 128 x (149 + 148 + 146)
        "chen2022-liu-words": 95_104,  # 128 x (249 + 248 + 246)
        "chen2022-xmlcnn-embeddings": 1_536,  # 128 x 3 windows x 4 pools
        "chen2022-xmlcnn-words": 1_536,
        "chen2022-kim-embeddings": 384,  # 128 x 3 windows
        "chen2022-kim-words": 384,
    }
    for name, size in expected.items():
        ours = xml_cnn.VARIANTS[name].feature_size(length=500, dimension=300)
        if ours != size:
            raise MismatchError(f"{name} has {ours:,} values after pooling, not {size:,}")
    return f"{len(expected)} sizes equal those of the public code"


def parameter_counts() -> str:
    """Convolutions, hidden and output layer for 500 words of 300 components and 3,956 labels."""
    sizes = {"length": 500, "dimension": 300, "labels": 3_956}
    expected = {
        # 32 x (14 x 500 + 3) + 14,177 x 512 + 513 x 3,956
        "liu2017-code": 9_512_148,
        # 128 x (14 x 500 + 3) + 56,705 x 512 + 513 x 3,956
        "chen2022-liu-embeddings": 31_958_772,
        # 128 x (14 x 300 + 3) + 95,105 x 512 + 513 x 3,956
        "chen2022-liu-words": 51_261_172,
        # 128 x (14 x 300 + 3) + 1,537 x 512 + 513 x 3,956
        "chen2022-xmlcnn-words": 3_354_356,
        # 128 x (14 x 300 + 3) + 385 x 3,956
        "chen2022-kim-words": 2_061_044,
    }
    for name, config in xml_cnn.VARIANTS.items():
        formula = config.parameter_count(vocabulary=7, **sizes)
        with torch.device("meta"):  # shapes without memory
            network = xml_cnn.XMLCNN(config, vectors=torch.empty(7, 300), labels=3_956, length=500)
        built = sum(p.numel() for p in network.parameters())
        if not formula == built == expected.get(name, built - 7 * 300) + 7 * 300:
            raise MismatchError(f"{name} has {built:,} parameters, {formula:,} by its formula")
    return f"{len(xml_cnn.VARIANTS)} variants are as large as their formula, {len(expected)} also as by hand"


def initial_weights() -> str:
    """Uniform within the bound of each rule, spread over all of it, and biases as the variant says.

    Glorot's bound counts channels times window on both sides, in Lasagne as in torch.
    """
    torch.manual_seed(2017)
    # Lasagne's defaults, and the study's configurations with torch's default for the biases.
    stated = {
        "liu2017-code": ("xavier_uniform", "zero"),
        "chen2022-xmlcnn-words": ("xavier_uniform", "torch"),
    }
    for name, config in xml_cnn.VARIANTS.items():
        weight_rule, bias_rule = stated.get(name, (config.init, config.bias))
        vectors = torch.randn(9, 40)
        network = xml_cnn.XMLCNN(config, vectors=vectors, labels=50, length=60)
        close(f"{name}: word vectors", network.embedding.weight.detach(), vectors, tolerance=0)
        for layer, module in network.named_modules():
            if not isinstance(module, nn.Conv1d | nn.Linear):
                continue
            width = module.weight[0, 0].numel()  # of the window, 1 for a matrix
            fan_out, fan_in = (size * width for size in module.weight.shape[:2])
            bound = {
                "xavier_uniform": (6 / (fan_in + fan_out)) ** 0.5,
                "kaiming_uniform": (6 / fan_in) ** 0.5,
                "torch": (1 / fan_in) ** 0.5,
            }[weight_rule]
            # A uniform draw of over 1,000 numbers comes this near to its bound and its deviation.
            _within(f"{name}: largest weight of {layer}", module.weight.abs().max() / bound, 0.98, 1.000001)
            _within(f"{name}: deviation of {layer}", module.weight.std() * 3**0.5 / bound, 0.9, 1.1)
            assert module.bias is not None
            largest = 0.0 if bias_rule == "zero" else (1 / fan_in) ** 0.5
            _within(f"{name}: biases of {layer}", module.bias.abs().max(), largest / 2, largest * 1.000001)
    return f"weights and biases of {len(xml_cnn.VARIANTS)} variants start as their rules say"


def _within(name: str, value: Tensor, low: float, high: float) -> None:
    if not low <= value.item() <= high:
        raise MismatchError(f"{name} is {value.item():.4g}, not within {low:.4g} and {high:.4g}")


def padding_row() -> str:
    """The study's padding vector gets no gradient; in Liu et al.'s code it is a word like any other."""
    config = xml_cnn.Config(pooling="none", windows=(2,), maps=1, hidden=None)
    for freeze in (True, False):
        network = xml_cnn.XMLCNN(
            config, vectors=torch.ones(4, 5), labels=2, length=6, padding_id=3, freeze_padding=freeze
        )
        for parameter in network.convolutions.parameters():
            parameter.data.fill_(1.0)  # all answers positive, so that every word has a gradient
        network.features(torch.tensor([[0, 1, 2, 1, 3, 3]])).sum().backward()  # type: ignore[no-untyped-call]
        gradient = network.embedding.weight.grad
        assert gradient is not None
        if gradient.any(dim=1).tolist() != [True, True, True, not freeze]:
            raise MismatchError(f"other rows than they should have a gradient (freeze_padding={freeze})")
    return "the padding row gets a gradient where it is to be trained, and none where not"


def pooled_values() -> str:
    """The two poolings on rows that can be checked by eye."""
    ten = torch.arange(10.0).view(1, 10, 1)
    dynamic = layers.conv_max_pool(ten, torch.ones(1, 1, 1), None, pools=4)
    close("dynamic pooling of 0..9 into 4", dynamic.flatten(), [2, 4, 7, 9], tolerance=0)
    overlapping = layers.overlapping_max_pool(torch.tensor([[[3.0, 1, 4, 1, 5]]]))
    close("overlapping pooling of 3 1 4 1 5", overlapping.flatten(), [3, 4, 4, 5], tolerance=0)
    return "0..9 in 4 pools gives 2 4 7 9; 3 1 4 1 5 in overlapping pools of 2 gives 3 4 4 5"
