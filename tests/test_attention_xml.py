"""AttentionXML: the gate turns red for planted mistakes; sizes, refusals, candidates and training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import attention_xml, cornet, ensemble, fidelity, label_attention, recurrent, training
from reimpl.attention_xml import VARIANTS, AttentionXML, Config, build
from reimpl.errors import ConfigError
from reimpl.fidelity import check
from reimpl.models import find_config, known_variants, reduced_config
from reimpl.optim import with_sparse_gradients
from reimpl.training import Interrupted, Result, Watch
from tests.shared import shared
from tests.toys import toy_data, toy_protocol

Patch = pytest.MonkeyPatch
REFERENCE = Path(fidelity.__file__).parent / "reference" / "attention_xml"
CASES = ["attentionxml_flat", "attentionxml_plt", "attentionxml_plt_predict", "lml_attentionxml0"]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def network(config: Config = VARIANTS["code"], *, labels: int = 5, **options: Any) -> AttentionXML:
    """Small, in evaluation mode; ten words of seven components, padding 0."""
    torch.manual_seed(2)
    config = replace(config, hidden=6, fully_connected=(5,))
    return AttentionXML(config, vectors=torch.randn(10, 7), labels=labels, **options).eval()


# -------------------------------------------------------------------------------------------- the gate


def red(*names: str) -> set[str]:
    """Those of the named checks (all, if none is named) that do not pass."""
    if not names:
        return {c.name for c in check("attention_xml") if not c.passed}
    tests = dict(fidelity._collect("attention_xml"))  # type: ignore[arg-type]
    return {name for name in names if not fidelity._run("attention_xml", name, tests[name]).passed}


def test_all_checks_pass_and_the_public_codes_cases_are_among_them() -> None:
    checks = check("attention_xml")
    assert [f"{c.name}: {c.detail}" for c in checks if not c.passed] == []
    assert [c.name for c in checks][: len(CASES)] == CASES


@pytest.mark.parametrize("case", CASES)
def test_the_stored_arrays_are_those_of_the_reference_data(case: str) -> None:
    """Bit for bit, but for float32 gradients (kept in float64), lengths, and what parents' scores lead to."""
    with np.load(shared(f"refvec/{case}.npz")) as whole, np.load(REFERENCE / f"{case}.npz") as ours:
        elsewhere = {"input.lengths", "input.parent_scores", "output.top_scores", "output.top_labels"}
        dropped = {n for n in whole.files if n.startswith("grad.")} | elsewhere
        assert set(ours.files) == set(whole.files) - dropped
        for name in ours.files:
            assert ours[name].dtype == whole[name].dtype
            assert np.array_equal(ours[name], whole[name])


def test_the_sources_are_those_of_the_reference_data() -> None:
    whole = {c["case"]: c for c in json.loads(shared("refvec/manifest.json").read_text())["cases"]}
    for c in json.loads((REFERENCE / "manifest.json").read_text())["cases"]:
        assert c["source"] == whole[c["case"]]["source"]
        assert set(c["losses"]) == set(whole[c["case"]]["losses"] or {})


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


def mask_of_the_whole_batch_where_there_is_to_be_none(patch: Patch) -> None:
    patch.setattr(AttentionXML, "attended", lambda self, lengths, width: recurrent.places(lengths, width))


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
        return label_attention.shared_layers(weights @ states, layers)

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


def layers_of_each_label_alone(patch: Patch) -> None:
    """Counted only: a network with as many outputs as there are labels behind the attention."""
    made = AttentionXML.__init__

    def other(self: Any, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        if self.queries is not None:
            self.layers[-1] = nn.Linear(self.layers[-1].in_features, self.labels)

    patch.setattr(AttentionXML, "__init__", other)


def sparse_rows_moved_without_a_gradient(patch: Patch) -> None:
    from reimpl import optim

    patch.setitem(optim.OPTIMISERS, "dense_sparse_adam", torch.optim.Adam)
    patch.setattr("reimpl.reference.stored_case.with_sparse_gradients", lambda network: network)


@pytest.mark.parametrize(
    ("mistake", "seen_by"),
    [
        (swapped_starts, {"attentionxml_flat", "attentionxml_plt", "numpy forward, code"}),
        (starts_by_direction, {"numpy forward, code"}),
        (backward_from_the_padding, {"attentionxml_flat", "lml_attentionxml0", "padding", "neighbours"}),
        (backward_not_turned_back, {"attentionxml_flat", "lml_attentionxml0", "numpy forward, bilstm"}),
        (dropout_between_layers, {"numpy forward, code", "numpy forward, bilstm"}),
        (mask_missing, {"attentionxml_flat", "neighbours", "numpy forward, code"}),
        (mask_of_the_whole_batch_where_there_is_to_be_none, {"lml_attentionxml0", "neighbours"}),
        (no_dropout_on_states, {"numpy forward, code", "numpy forward, bilstm"}),
        (attention_on_states_without_dropout, {"numpy forward, code", "numpy forward, paper"}),
        (bias_in_the_attention, {"parameter counts"}),
        (no_relu, {"attentionxml_flat", "attentionxml_plt", "numpy forward, code"}),
        (softmax_over_labels, {"attentionxml_flat", "numpy forward, code", "chunks"}),
        (layers_of_each_label_alone, {"parameter counts", "attentionxml_flat"}),
        (sparse_rows_moved_without_a_gradient, {"attentionxml_flat"}),
    ],
    ids=lambda it: it.__name__ if callable(it) else "",
)
def test_a_planted_mistake_turns_the_gate_red(
    monkeypatch: Patch, mistake: Callable[[Patch], None], seen_by: set[str]
) -> None:
    mistake(monkeypatch)
    assert red(*seen_by) == seen_by


@pytest.mark.parametrize(
    ("change", "seen_by"),
    [
        ({"start": "zero"}, {"attentionxml_flat", "attentionxml_plt", "parameter counts"}),
        ({"mask": False}, {"attentionxml_flat", "neighbours"}),
        ({"head": "max_pooling"}, {"attentionxml_flat", "parameter counts"}),
    ],
)
def test_a_variant_that_is_another_turns_the_gate_red(
    monkeypatch: Patch, change: dict[str, Any], seen_by: set[str]
) -> None:
    other = {**VARIANTS, "code": replace(VARIANTS["code"], **change)}
    for module in ("public_code", "in_numpy", "by_hand"):
        monkeypatch.setattr(f"reimpl.reference.attention_xml.{module}.VARIANTS", other)
    assert red(*seen_by - {"neighbours"}) == seen_by - {"neighbours"}


# ------------------------------------------------------------------------------------------- the network


def test_padding_changes_nothing_with_a_mask_and_a_longer_neighbour_does_without() -> None:
    """The widest batch that the network takes is its own; what LibMultiLabel attends to is its neighbours."""
    short, long = torch.tensor([[3, 4, 5, 0, 0, 0]]), torch.tensor([[6, 7, 8, 9, 3, 4]])
    masked, bare = network(), network(VARIANTS["unmasked"])
    for net in (masked, bare):
        torch.testing.assert_close(net(short), net(short[:, :3]), rtol=0, atol=1e-6)
    beside = [net(torch.cat([short, long]))[:1] - net(short) for net in (masked, bare)]
    assert beside[0].abs().max() < 1e-6 < 1e-3 < beside[1].abs().max()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_device_on_which_looking_costs_gives_the_same_scores(monkeypatch: Patch, variant: str) -> None:
    """There the batch keeps its width, and the unmasked attention still ends with the longest document."""
    net, ids = network(VARIANTS[variant]), torch.tensor([[3, 4, 5, 0, 0, 0, 0], [6, 7, 8, 9, 3, 0, 0]])
    expected = net(ids)
    monkeypatch.setattr(recurrent, "_free_to_look", lambda tensor: False)
    torch.testing.assert_close(net(ids), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_document_without_words_has_scores(variant: str) -> None:
    scores = network(VARIANTS[variant])(torch.tensor([[0, 0, 0], [3, 4, 0]]))
    assert scores.isfinite().all()


def test_all_labels_share_the_layers_behind_their_attention() -> None:
    """Two labels that exchange their queries exchange their scores."""
    net, ids = network(), torch.tensor([[3, 4, 5, 6]])
    before = net(ids)
    assert net.queries is not None
    net.queries.weight.data = net.queries.weight.data[[1, 0, 2, 3, 4]]
    torch.testing.assert_close(net(ids), before[:, [1, 0, 2, 3, 4]], rtol=0, atol=1e-7)


def test_candidates_have_the_scores_of_their_labels() -> None:
    """In any order and number of times; the table has one row more, for what is no label."""
    net, ids = network(filler=True), torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
    assert net.queries is not None and len(net.queries.weight) == 6
    chosen = torch.tensor([[0, 4, 4, 5], [5, 1, 0, 2]])
    every = net(ids, torch.arange(6).expand(2, -1))
    torch.testing.assert_close(net(ids, candidates=chosen), every.gather(1, chosen), rtol=0, atol=1e-6)


def test_the_gradient_of_the_table_holds_the_rows_of_candidates_where_the_optimiser_goes_by_rows() -> None:
    net = network(filler=True)
    assert net.queries is not None
    net(torch.tensor([[3, 4]]), torch.tensor([[0, 4, 4]])).sum().backward()
    dense = net.queries.weight.grad
    assert dense is not None and not dense.is_sparse
    net.zero_grad()
    with_sparse_gradients(net)
    net(torch.tensor([[3, 4]]), torch.tensor([[0, 4, 4]])).sum().backward()
    sparse = net.queries.weight.grad
    assert sparse is not None and sparse.is_sparse
    assert sparse.coalesce().indices().tolist() == [[0, 4]]
    torch.testing.assert_close(sparse.to_dense(), dense)


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


@pytest.mark.parametrize("train_vectors", [True, False])
def test_word_vectors_are_trained_or_frozen_and_never_the_callers(train_vectors: bool) -> None:
    vectors = torch.randn(10, 7)
    net = AttentionXML(Config(hidden=3, train_vectors=train_vectors), vectors=vectors, labels=2)
    net(torch.tensor([[1, 2, 0]])).sum().backward()
    grad = net.embedding.weight.grad
    if train_vectors:
        assert grad is not None and grad.any(dim=1).nonzero().flatten().tolist() == [1, 2]
    else:
        assert grad is None
    net.embedding.weight.data += 1
    assert not torch.equal(net.embedding.weight, vectors)


def test_a_trainable_padding_row_is_a_word_of_the_table_that_no_document_has() -> None:
    net = AttentionXML(Config(hidden=3), vectors=torch.randn(10, 7), labels=2, freeze_padding=False)
    assert net.embedding.padding_idx is None
    net(torch.tensor([[1, 2, 0]])).sum().backward()
    assert net.embedding.weight.grad is not None
    assert not net.embedding.weight.grad[0].any()


# ---------------------------------------------------------------------------------------- configurations


REFUSED = [
    ({"head": "mean"}, "head must be one of 'attention', 'max_pooling', not 'mean'"),
    ({"start": "random"}, "start must be one of 'learned', 'zero', not 'random'"),
    ({"ensemble": "vote"}, "ensemble must be one of 'sum', 'mean', not 'vote'"),
    ({"mask": "no"}, "mask must be true or false, not 'no'"),
    ({"hidden": 0}, "hidden must be a whole number from 1, not 0"),
    ({"trees": 1.5}, "trees must be a whole number from 1, not 1.5"),
    ({"layers": True}, "layers must be a whole number from 1, not True"),
    ({"fully_connected": (5, 0)}, r"fully_connected must be a list of whole numbers from 1, not \(5, 0\)"),
    ({"tree_height": -1}, "tree_height must be a whole number from 0, not -1"),
    ({"dropout_states": 1.0}, r"dropout_states must be a number in \[0, 1\), not 1.0"),
    ({"loss": "hinge"}, "loss 'hinge' is not known"),
    ({"tree_height": 2, "head": "max_pooling"}, "tree_height 2 needs head: attention"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_a_value_that_cannot_be_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config(**change)


def test_a_claim_file_names_variants_and_changes_keys() -> None:
    assert known_variants("attention_xml") == ("code", "paper", "bilstm", "unmasked")
    config = find_config(attention_xml, "paper", {"hidden": 512, "fully_connected": [512, 256], "trees": 3})
    assert config == replace(VARIANTS["paper"], hidden=512, fully_connected=(512, 256), trees=3)
    assert (config.start, config.filler, config.ensemble) == ("zero", False, "mean")


def test_variants_differ_as_paper_and_public_codes_do() -> None:
    """Learned starts, random fillers and sums are the code's alone; LibMultiLabel attends to padding.

    Dropout of .2 on the words and .5 on the LSTM outputs everywhere, hidden sizes as on EUR-Lex.
    """
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


def test_reduced_sizes_keep_the_choices() -> None:
    for variant in VARIANTS.values():
        small = reduced_config(attention_xml, variant, {"maps": 4})
        assert small == replace(variant, hidden=small.hidden, fully_connected=small.fully_connected)
        assert small.hidden < 64


def test_no_single_network_is_made_of_a_tree_or_an_ensemble() -> None:
    options: Any = {"vectors": torch.zeros(3, 4), "labels": 2, "length": 9, "padding_id": 0}
    for change in ({"trees": 3}, {"tree_height": 1}):
        with pytest.raises(ConfigError, match="are no single network"):
            build(Config(**change), **options, freeze_padding=True)


# ----------------------------------------------------------------------------------------------- training


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
    assert result.parameters == config.parameter_count(vocabulary=12, dimension=4, labels=6)


def test_a_single_model_is_that_of_the_ordinary_training() -> None:
    """`train` adds nothing where there is neither tree nor ensemble."""
    data = toy_data()
    protocol = toy_protocol(padding="batch")

    def network(vectors: Tensor) -> nn.Module:
        return build(tiny(), vectors=vectors, labels=6, length=9, padding_id=0, freeze_padding=True)

    expected = training.train(network, data, protocol, loss_name="bce_mean", seed=3)
    ours = attention_xml.train(tiny(), data, protocol, seed=3)
    assert ours.metrics == expected.metrics
    assert np.array_equal(ours.top_scores, expected.top_scores)  # type: ignore[arg-type]


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
    singles = [attention_xml.train(tiny(), data, protocol, seed=it) for it in ensemble.seeds(3, 3)]
    total = np.zeros((11, 6))
    for single in singles:
        assert single.top_ids is not None and single.top_scores is not None
        np.put_along_axis(
            one := np.zeros((11, 6)), single.top_ids.astype(int), 1 / (1 + np.exp(-single.top_scores)), 1
        )
        total += one
    total /= 3 if rule == "mean" else 1
    assert ours.top_ids is not None and ours.top_scores is not None
    np.testing.assert_allclose(
        np.take_along_axis(total, ours.top_ids.astype(int), 1), ours.top_scores, rtol=1e-5
    )
    assert (np.diff(ours.top_scores, axis=1) <= 0).all()
    assert ours.parameters == 3 * singles[0].parameters


def test_an_interrupted_ensemble_goes_on_to_the_same_ranking(tmp_path: Path) -> None:
    """Stopped in the first model and in the third."""
    whole = train(tiny(trees=3))
    asked = iter(range(100))
    steps = iter([7, 24, 10**9])
    result = None
    for _ in range(3):
        last = next(steps)
        watch = Watch(stop=lambda last=last: next(asked) >= last, checkpoint=tmp_path / "state.pt")
        try:
            result = train(tiny(trees=3), watch=watch)
        except Interrupted:
            continue
    assert result is not None
    assert result.metrics == whole.metrics
    assert np.array_equal(result.top_ids, whole.top_ids)  # type: ignore[arg-type]
    assert [row["loss"] for row in result.curve] == [row["loss"] for row in whole.curve]
    assert next(asked) == 3 * 3 * 5 + 2  # no step was made twice; two were asked about twice


def test_a_damaged_checkpoint_costs_one_model_of_an_ensemble(tmp_path: Path) -> None:
    """It is begun again, which is noted; the models before it stay."""
    whole = train(tiny(trees=2))
    calls = iter(range(1000))
    watch = Watch(stop=lambda: next(calls) == 20, checkpoint=tmp_path / "state.pt")
    with pytest.raises(Interrupted):
        train(tiny(trees=2), watch=watch)
    (tmp_path / "state-model-1.pt").write_bytes(b"no checkpoint")
    steps = iter(range(1000))
    result = train(tiny(trees=2), watch=Watch(stop=lambda: next(steps) < 0, checkpoint=tmp_path / "state.pt"))
    assert result.metrics == whole.metrics
    assert np.array_equal(result.top_ids, whole.top_ids)  # type: ignore[arg-type]
    assert result.notes == ("a checkpoint could not be read, so a model of the ensemble was begun again",)
    assert next(steps) == 3 * 5


def test_a_tree_is_handed_to_its_own_training(monkeypatch: Patch) -> None:
    """One tree as it is; of several, long lists of logarithms of probabilities, which are joined."""
    from reimpl import tree_training

    asked: list[dict[str, Any]] = []

    def stand_in(config: Config, data: Any, protocol: Any, **how: Any) -> Result:
        asked.append({**how, "trees": config.trees})
        ids = np.tile(np.array([[2, 0, -1]], dtype=np.int32), (data.test.size, 1))
        scores = np.tile(np.log(np.array([[0.5, 0.25, 0.0]]) + 1e-30).astype(np.float32), (data.test.size, 1))
        return Result({}, (), 1.0, None, 5, top_ids=ids, top_scores=scores)

    monkeypatch.setattr(tree_training, "train_tree", stand_in)
    data, protocol = toy_data(), toy_protocol()
    one = attention_xml.train(tiny(tree_height=1), data, protocol, seed=3)
    assert asked[0]["seed"] == 3 and one.parameters == 5
    both = attention_xml.train(tiny(tree_height=1, trees=2), data, protocol, seed=3)
    assert [it["seed"] for it in asked[1:]] == ensemble.seeds(3, 2)
    assert all(it["list_length"] == 6 and it["trees"] == 1 for it in asked[1:])
    assert both.top_scores is not None
    np.testing.assert_allclose(both.top_scores[0, :3], [1.0, 0.5, 0], atol=1e-6)
