"""Fidelity checks of Kim-CNN and XML-CNN, for `reimpl.fidelity`.

The .npz files hold outputs, losses, gradients and one optimiser step of sian-chen/xml-cnn-study-code 2051eda
and ntumlgroup/LibMultiLabel 5cd775a for given weights; `manifest.json` names the source files of each case
and the named variant that has to compute the same. Their documents have 20 words. Networks over 150
positions, where `conv_max_pool` goes another way, are held against numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.xml_cnn import in_numpy, public_code, sizes


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    stored = manifest(__name__)
    for case in stored["cases"]:
        yield case["case"], partial(public_code.case, __name__, case, stored["tolerance"])
    yield "feature sizes", sizes.feature_sizes
    yield "parameter counts", sizes.parameter_counts
    yield "initial weights", sizes.initial_weights
    yield "padding row", sizes.padding_row
    yield "pooled values", sizes.pooled_values
    for sweep in ("words", "embeddings"):
        for pooling in ("max", "dynamic", "overlapping", "none"):
            yield f"numpy forward, {sweep}, {pooling}", partial(in_numpy.forward, sweep, pooling)
    yield "numpy forward, padded", partial(in_numpy.forward, "words", "dynamic", "full")
    for stride in (1, 2):
        yield f"gradients of conv_max_pool, stride {stride}", partial(in_numpy.convolution_gradients, stride)
    yield "Lasagne's Adam", in_numpy.lasagne_adam
