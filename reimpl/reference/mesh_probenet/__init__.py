"""Fidelity checks of MeSHProbeNet, for `reimpl.fidelity`.

The .npz files hold outputs, losses, gradients and one optimiser step of XunGuangxu/CorNet ecc0996 for given
weights; `manifest.json` names the source files of each case and the named variant that has to compute the
same. Of the network with a bottleneck, which the public code has under CorNet's blocks only, they hold what
enters these; gradients through both are among the checks of `cornet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.mesh_probenet import by_hand, in_numpy, public_code


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    stored = manifest(__name__)
    for case in stored["cases"]:
        yield case["case"], partial(public_code.case, __name__, case, stored["tolerance"])
    for variant in ("code", "paper", "large"):
        yield f"numpy forward, {variant}", partial(in_numpy.forward, variant)
    yield "padding", by_hand.padding
    yield "parameter counts", by_hand.parameter_counts
    yield "initial weights", by_hand.initial_weights
