"""Fidelity checks of APLC-XLNet, for `reimpl.fidelity`: the hidden layer, the text's place, the clusters.

The .npz file holds outputs, loss, gradients and one optimiser step of huiyegit/APLC_XLNet bf6f91d for given
weights; see `manifest.json`. The encoder itself is that of `transformers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec

from torch import Tensor

from reimpl.aplc_xlnet import Summary
from reimpl.fidelity import Test, manifest
from reimpl.reference.aplc import clusters, public_code
from reimpl.reference.aplc_xlnet import encoder
from reimpl.reference.stored_case import Part


class _Hidden(Summary):
    """The hidden layer under the names of the stored arrays."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        d, states = weights["hidden_weight"].shape
        super().__init__(states, d)
        self.layer.weight.data = weights["hidden_weight"].clone()
        self.layer.bias.data = weights["hidden_bias"].clone()

    def parts(self, part: Part) -> dict[str, Tensor]:
        """A tensor of each parameter."""
        weight, bias = self.layer.parameters()
        return {"hidden_weight": part(weight), "hidden_bias": part(bias)}


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check; those of the encoder only where there is one."""
    for case in manifest(__name__)["cases"]:
        yield case["case"], partial(public_code.case, __name__, case, _Hidden)
    yield from clusters()
    yield "named members of APLC-XLNet", encoder.members
    yield "dropout of the hidden layer", encoder.dropout
    yield "first weights of the hidden layer", encoder.first_weights
    if find_spec("transformers") is not None:
        yield "padding on the left", encoder.padding_on_the_left
