"""Fidelity checks of APLC, for `reimpl.fidelity`.

The .npz files hold outputs, losses, gradients and one optimiser step of huiyegit/APLC_XLNet bf6f91d for
given weights; `manifest.json` names the source files of each case, `formulas.json` holds the paper's Eq. (6)
to (14) for its data sets and others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.aplc import by_hand, formulas, in_numpy, public_code


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    for case in manifest(__name__)["cases"]:
        yield case["case"], partial(public_code.case, __name__, case)
    yield from clusters()


def clusters() -> Iterator[tuple[str, Test]]:
    """The checks of what another model with clusters also stands on."""
    yield "losses of three toys", partial(public_code.toys, __name__)
    for name, changes in in_numpy.MEMBERS.items():
        yield f"label by label: {name}", partial(in_numpy.label_by_label, changes)
    for name in ("as the code", "as the paper"):
        # two labels of six documents a block
        in_blocks = partial(in_numpy.label_by_label, in_numpy.MEMBERS[name], block=12)
        yield f"label by label: {name}, block by block", in_blocks
    yield "one label of a tail", by_hand.one_label
    yield "two normalisers", by_hand.two_normalisers
    yield "saturated sigmoids", by_hand.saturated
    yield "ties of the double sigmoid", by_hand.ties
    yield "cuts", by_hand.cuts
    yield "labels by frequency", by_hand.frequency
    yield "named members", by_hand.members
    yield "first weights", by_hand.first_weights
    yield "sizes by the paper's formulas", partial(formulas.sizes, __name__)
    yield "costs by the paper's formulas", partial(formulas.costs, __name__)
    yield "counted multiplications", formulas.counted
