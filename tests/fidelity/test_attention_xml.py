"""AttentionXML a second time in numpy, one document, word and label after the other; sizes by hand.

Counts are worked out from the layers' shapes, for the sizes of Table 2 of You et al. 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import attention_xml, label_attention, recurrent
from reimpl.attention_xml import VARIANTS, AttentionXML, Config
from reimpl.fidelity import Array, MismatchError, close
from reimpl.reference.attention_xml import rename
from tests.fidelity import plain_lstm
from tests.fidelity.gate import Seer, blind
from tests.test_label_attention import shared_layers

Patch = pytest.MonkeyPatch

_LENGTHS = (5, 11, 1, 8)


@pytest.mark.parametrize("variant", ["code", "paper", "bilstm", "unmasked"])
def test_numpy_computes_the_same_scores(variant: str) -> None:
    """A random network of two LSTM layers with its dropouts on, against numpy given the same masks."""
    config = replace(VARIANTS[variant], hidden=4, layers=2, fully_connected=(6, 5))
    network, ids = _made(config, labels=7)
    torch.manual_seed(7)
    ours = network.train()(ids).detach().numpy()
    torch.manual_seed(7)  # the same draws: the mask of the words, that of the LSTM outputs, that of the units
    masks = [
        F.dropout(torch.ones(size, dtype=torch.float64), p).numpy()
        for size, p in (
            ((4, 11, 10), config.dropout_embedding),
            ((4, 11, 8), config.dropout_states),
            ((4, 5), config.dropout_output),
        )
    ]
    weights = plain_lstm.arrays_of(network, rename)
    expected = [_scores(config, weights, *it) for it in zip(ids.numpy(), _LENGTHS, *masks, strict=True)]
    close("scores", ours, np.stack(expected), tolerance=1e-10)


def test_candidates_have_the_scores_of_numpy() -> None:
    """Candidates with repetitions, and one that is no label, against the scores of all."""
    config = replace(VARIANTS["code"], hidden=4, fully_connected=(6,))
    network, ids = _made(config, labels=7, filler=True)
    weights = plain_lstm.arrays_of(network, rename)
    chosen = np.array([[3, 0, 3, 7], [1, 2, 3, 4], [6, 6, 6, 6], [7, 5, 0, 1]])
    ours = network.eval()(ids, torch.from_numpy(chosen)).detach().numpy()
    alike = np.ones((11, 10)), np.ones((11, 8)), np.ones(6)
    each = [_scores(config, weights, *it, *alike) for it in zip(ids.numpy(), _LENGTHS, strict=True)]
    close("scores", ours, np.take_along_axis(np.stack(each), chosen, axis=1), tolerance=1e-10)


def _made(config: Config, *, labels: int, filler: bool = False) -> tuple[AttentionXML, torch.Tensor]:
    """A network in float64, with starts that are not zero, and ids (4, 14) padded with 2."""
    rng = np.random.default_rng(20191208)
    torch.manual_seed(3)
    vectors = torch.from_numpy(rng.normal(size=(30, 10)))
    network = AttentionXML(config, vectors=vectors, labels=labels, padding_id=2, filler=filler).double()
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        if start is not None:
            start.data.normal_()
    ids = np.full((4, 14), 2)
    for row, length in zip(ids, _LENGTHS, strict=True):
        row[:length] = rng.integers(3, 30, size=length)
    return network, torch.from_numpy(ids)


def _scores(config: Config, weights: Mapping[str, Array], ids: Array, length: int, *masks: Array) -> Array:
    """Of one document, all labels; `masks` of its words, LSTM outputs and hidden units."""
    words, states, units = masks
    seen = np.zeros_like(states)
    x = weights["word_embedding"][ids[:length]] * words[:length]
    seen[:length] = plain_lstm.outputs(weights, x, config.layers) * states[:length]
    if config.mask:
        seen = seen[:length]  # else zero states as far as the longest document go in
    if config.head == "max_pooling":
        return _layers(config, weights, seen.max(axis=0), units)
    return np.concatenate(
        [
            _layers(config, weights, plain_lstm.softmax(seen @ query) @ seen, units)
            for query in weights["attention_weight"]
        ]
    )


def _layers(config: Config, weights: Mapping[str, Array], x: Array, units: Array) -> Array:
    for i in range(len(config.fully_connected)):
        x = np.maximum(weights[f"label_fc{i}_weight"] @ x + weights[f"label_fc{i}_bias"], 0)
    if config.head == "max_pooling":
        x = x * units
    scores: Array = weights["label_score_weight"] @ x + weights["label_score_bias"]
    return scores


def test_padding_changes_no_score() -> None:
    """A document with five paddings more has the scores it had, also where they are not cut off first."""
    for variant in VARIANTS:
        network, ids = _small(variant), torch.tensor([[3, 4, 5, 4, 6, 7]])
        wide = torch.cat([ids, torch.zeros(1, 5, dtype=torch.long)], dim=1)
        expected = network(ids).detach()
        close(f"{variant}, padded", network(wide).detach(), expected, tolerance=1e-6)
        with plain_lstm.without_looking():
            close(f"{variant}, padded, in full width", network(wide).detach(), expected, tolerance=1e-6)


def test_neighbours_change_scores_without_a_mask_only() -> None:
    """A short document beside a longer one: the same scores with a mask, others without.

    The public codes differ here: .0174 for LibMultiLabel's network, 3e-8 for AttentionXML's.
    """
    ids = torch.tensor([[3, 4, 5, 0, 0, 0], [6, 7, 8, 9, 3, 4]])
    for variant, config in VARIANTS.items():
        network = _small(variant)
        together, alone = network(ids)[:1].detach(), network(ids[:1]).detach()
        if config.mask:
            close(f"{variant}, beside a longer one", together, alone, tolerance=1e-6)
        elif (together - alone).abs().max() < 1e-3:
            raise MismatchError(f"{variant} does not attend to the padding of a short document")


def test_parameter_counts_by_hand() -> None:
    """LSTM, starts, queries and shared layers, word vectors left out (one word of 300 components)."""
    expected = {
        # 2 x 4 x 256 x (300 + 256 + 2) + 4 x 256 + 512 x 3,956 + 513 x 256 + 257
        ("code", 3_956, 256, (256,)): 3_300_865,
        # the same without 4 x 256 learned numbers
        ("paper", 3_956, 256, (256,)): 3_299_841,
        ("unmasked", 3_956, 256, (256,)): 3_299_841,
        # 1,142,784 + 1,024 + 513 x 256 + 257 x 3,956
        ("bilstm", 3_956, 256, (256,)): 2_291_828,
        # 2 x 4 x 512 x (300 + 512 + 2) + 4 x 512 + 1,024 x 13,330 + 1,025 x 512 + 513 x 256 + 257
        ("code", 13_330, 512, (512, 256)): 17_642_497,
    }
    for (variant, labels, hidden, layers), count in expected.items():
        config = replace(VARIANTS[variant], hidden=hidden, fully_connected=layers)
        with torch.device("meta"):  # shapes without memory
            network = AttentionXML(config, vectors=torch.empty(1, 300), labels=labels)
        assert sum(p.numel() for p in network.parameters()) - 300 == count, variant
    if _small("code", labels=3, hidden=4).queries.weight.numel() != 24:  # type: ignore[union-attr]
        raise MismatchError("three labels over 2 x 4 LSTM units do not have 24 numbers of attention")


def test_first_weights_fill_their_bounds() -> None:
    """Learned states start at zero, queries and linear layers within Xavier's bound, and reach it."""
    torch.manual_seed(0)
    network = _small("code", labels=900, hidden=60, layers=(200,))
    assert network.lstm.initial_cell is not None and network.lstm.initial_hidden is not None
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        close("learned first states", start.detach(), torch.zeros(2, 60), tolerance=0)
    for name, layer in (("queries", network.queries), ("shared layer", network.layers[0])):
        assert isinstance(layer, nn.Linear)
        bound = (6 / sum(layer.weight.shape)) ** 0.5
        _reaches(name, layer.weight, bound)
    for lstm in (*network.lstm.forwards, *network.lstm.backwards):
        for name, weight in lstm.named_parameters():
            _reaches(f"LSTM {name}", weight, 60**-0.5)


def _reaches(name: str, weight: Tensor, bound: float) -> None:
    largest = weight.abs().max().item() / bound
    if not 0.95 <= largest <= 1.000001:
        raise MismatchError(f"the largest number of {name} is {largest:.4g} of its bound {bound:.4g}")


def _small(variant: str, *, labels: int = 5, hidden: int = 8, layers: tuple[int, ...] = (6,)) -> AttentionXML:
    torch.manual_seed(11)
    config = replace(VARIANTS[variant], hidden=hidden, fully_connected=layers)
    return AttentionXML(config, vectors=torch.randn(10, 7), labels=labels).eval()


def swapped_starts(patch: Patch) -> None:
    start = recurrent.BiLSTM._start
    patch.setattr(recurrent.BiLSTM, "_start", lambda self, row, x: start(self, row, x)[::-1])


def starts_by_direction(patch: Patch) -> None:
    """Rows layer 0 forward, layer 1 forward, layer 0 backward, ..."""
    start = recurrent.BiLSTM._start

    def other(self: Any, row: int, x: Tensor) -> Any:
        layer, direction = divmod(row, 2)
        return start(self, direction * len(self.forwards) + layer, x)

    patch.setattr(recurrent.BiLSTM, "_start", other)


def backward_from_the_padding(patch: Patch) -> None:
    def whole(lengths: Tensor, width: int) -> Tensor:
        place = torch.arange(width).flip(0).expand(len(lengths), -1)
        return (torch.arange(len(lengths))[:, None] * width + place).flatten()

    patch.setattr(recurrent, "_mirror", whole)
    patch.setattr(recurrent, "_STRETCHES", (1,))


def backward_not_turned_back(patch: Patch) -> None:
    take, turn = recurrent._take, [0]

    def once(x: Tensor, index: Tensor) -> Tensor:
        turn[0] += 1
        return take(x, index) if turn[0] % 2 else x

    patch.setattr(recurrent, "_take", once)


def dropout_between_layers(patch: Patch) -> None:
    read = recurrent.BiLSTM._read

    def other(self: Any, lstm: nn.LSTM, x: Tensor, row: int, cuts: Any) -> Tensor:
        return read(self, lstm, F.dropout(x, 0.5, self.training) if row >= 2 else x, row, cuts)

    patch.setattr(recurrent.BiLSTM, "_read", other)


def mask_missing(patch: Patch) -> None:
    patch.setattr(
        AttentionXML, "attended", lambda self, lengths, width: recurrent.places(lengths * 0 + width, width)
    )


def no_dropout_on_states(patch: Patch) -> None:
    def states(self: AttentionXML, token_ids: Tensor) -> tuple[Tensor, Tensor]:
        token_ids, lengths = recurrent.trimmed(token_ids, self.padding_id)
        x = F.dropout(self.embedding(token_ids), self.config.dropout_embedding, self.training)
        return self.lstm(x, lengths), lengths

    patch.setattr(AttentionXML, "states", states)


def attention_on_states_without_dropout(patch: Patch) -> None:
    """The weights of the words from what the LSTM gives, the sum over what dropout leaves of it."""
    last: list[Tensor] = []
    forward = recurrent.BiLSTM.forward

    def remembered(self: Any, x: Tensor, lengths: Tensor) -> Tensor:
        last[:] = [forward(self, x, lengths)]
        return last[0]

    def scores(states: Tensor, words: Tensor, queries: Tensor, layers: Any, **_: Any) -> Tensor:
        weights = (queries @ last[0].transpose(1, 2)).masked_fill(~words[:, None], -torch.inf).softmax(2)
        return shared_layers(weights @ states, layers)

    patch.setattr(recurrent.BiLSTM, "forward", remembered)
    patch.setattr(attention_xml, "label_scores", scores)


def bias_in_the_attention(patch: Patch) -> None:
    """It cancels in the softmax, so that only the weights tell."""
    made = AttentionXML.__init__

    def other(self: Any, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        if isinstance(self.queries, nn.Linear):
            self.queries.bias = nn.Parameter(torch.zeros(self.labels))

    patch.setattr(AttentionXML, "__init__", other)


def no_relu(patch: Patch) -> None:
    patch.setattr(label_attention.torch.Tensor, "relu_", lambda self: self)


def softmax_over_labels(patch: Patch) -> None:
    def other(scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)

    patch.setattr(label_attention, "_softmax_", other)


def sparse_rows_moved_without_a_gradient(patch: Patch) -> None:
    from reimpl import optim

    patch.setitem(optim.OPTIMISERS, "dense_sparse_adam", torch.optim.Adam)
    patch.setattr("reimpl.reference.comparer.with_sparse_gradients", lambda network: network)


FLAT, PLT, LML = "attentionxml_flat", "attentionxml_plt", "lml_attentionxml0"
CODE, PAPER, BILSTM = (partial(test_numpy_computes_the_same_scores, it) for it in ("code", "paper", "bilstm"))
NEIGHBOURS, COUNTS = test_neighbours_change_scores_without_a_mask_only, test_parameter_counts_by_hand

MISTAKES: list[tuple[Callable[[Patch], None], list[Seer]]] = [
    (swapped_starts, [FLAT, PLT, CODE]),
    (starts_by_direction, [CODE]),
    (backward_from_the_padding, [FLAT, LML, test_padding_changes_no_score, NEIGHBOURS]),
    (backward_not_turned_back, [FLAT, LML, BILSTM]),
    (dropout_between_layers, [CODE, BILSTM]),
    (mask_missing, [FLAT, NEIGHBOURS, CODE]),
    (no_dropout_on_states, [CODE, BILSTM]),
    (attention_on_states_without_dropout, [CODE, PAPER]),
    (bias_in_the_attention, [FLAT, COUNTS]),
    (no_relu, [FLAT, PLT, CODE]),
    (softmax_over_labels, [FLAT, CODE]),
    (sparse_rows_moved_without_a_gradient, [FLAT]),
    (
        partial(Patch.setitem, dic=VARIANTS, name="code", value=replace(VARIANTS["code"], start="zero")),
        [FLAT, PLT, COUNTS],
    ),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("mistake", "seers"), MISTAKES)
def test_a_planted_mistake_is_seen(
    monkeypatch: Patch, mistake: Callable[[Patch], None], seers: list[Seer]
) -> None:
    mistake(monkeypatch)
    assert blind("attention_xml", seers) == []
