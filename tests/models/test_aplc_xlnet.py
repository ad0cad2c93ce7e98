"""APLC-XLNet on a small random XLNet in a folder; what is missing is told in a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from reimpl import aplc_xlnet
from reimpl.aplc_xlnet import pieces_of
from reimpl.data.dataset import Dataset, Split
from reimpl.errors import ConfigError
from reimpl.models import find_config, find_model
from reimpl.protocol import on_a_cpu, protocol
from tests.models.pretended import pretended
from tests.models.test_every_model import by_steps
from tests.toys import toy_data, toy_protocol

Patch = pytest.MonkeyPatch

WORDS = ("<pad>", "<unk>", "The", "cat", "sat", "cats", "mat,", "2020", "Élan", "unseen", "a", "the")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Configuration, random weights and a tokeniser of single characters."""
    transformers = pytest.importorskip("transformers", reason="the extra xlnet is not installed")
    tokenizers = pytest.importorskip("tokenizers")
    path: Path = tmp_path_factory.mktemp("xlnet") / "tiny"
    special = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"]
    pieces = [(name, 0.0) for name in special]
    pieces += [("▁", -2.0), ("▁the", -1.0), ("cat", -1.5), ("s", -2.0), *((c, -4.0) for c in "Teahcmt,20Eln")]
    model = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=0))
    model.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.NFKD(), tokenizers.normalizers.StripAccents()]
    )
    model.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    names = {f"{name}_token": f"<{name}>" for name in ("unk", "cls", "sep", "pad", "mask")}
    tokeniser = transformers.PreTrainedTokenizerFast(tokenizer_object=model, **names)
    torch.manual_seed(0)
    config = transformers.XLNetConfig(vocab_size=len(tokeniser), d_model=8, n_layer=1, n_head=2, d_inner=8)
    transformers.XLNetModel(config).save_pretrained(path)
    tokeniser.save_pretrained(path)
    return path


def words_data(**changes: Any) -> Dataset:
    return toy_data(vocabulary=WORDS, **changes)


def test_pieces_are_those_of_the_whole_text(folder: Path) -> None:
    """Each word is cut once; capitals and accents as the tokeniser has them."""
    tokeniser = aplc_xlnet.tokeniser(folder)
    documents = [[2, 3, 4, 6], [8, 7, 5, 2, 2], [1]]
    split = pieces_of(words_data(train=Split.from_lists(documents, [[0], [1], [2]])), folder, 60).train
    end = [tokeniser.sep_token_id, tokeniser.cls_token_id]
    for i, words in enumerate(documents[:2]):
        text = " ".join(WORDS[word] for word in words)
        expected = tokeniser(text, add_special_tokens=False)["input_ids"] + end
        assert split.tokens[split.offsets[i] : split.offsets[i + 1]].tolist() == expected
    assert split.tokens[split.offsets[2] :].tolist() == [tokeniser.unk_token_id, *end]


def test_texts_are_cut_to_the_length_with_their_last_two_symbols(folder: Path) -> None:
    tokeniser = aplc_xlnet.tokeniser(folder)
    split = Split.from_lists([[2, 3, 4, 6], [], [5]], [[0], [1], [2]])
    whole, short = (pieces_of(words_data(train=split), folder, length).train for length in (99, 5))
    end = [tokeniser.sep_token_id, tokeniser.cls_token_id]
    assert short.tokens[:5].tolist() == [*whole.tokens[:3].tolist(), *end]
    assert short.tokens[short.offsets[1] : short.offsets[2]].tolist() == end
    assert short.lengths.max() == 5


def test_a_small_xlnet_is_trained_at_three_rates(folder: Path) -> None:
    """Protocol ye2020 but for its sizes: the loss falls and every part moves."""
    whole = protocol("ye2020-code")
    small = replace(whole, epochs=4, batch_size=4, length=12)
    config = find_config(aplc_xlnet, "code", {"weights": str(folder), "hidden": 8})
    result = aplc_xlnet.train(config, words_data(), small, seed=0)
    losses = [row["loss"] for row in result.curve]
    assert losses[-1] < losses[0]
    assert set(result.metrics) >= {"P@1", "P@3", "P@5"}
    assert result.notes[0] == "label clusters of 3, 3 labels"
    assert result.notes[1].startswith(f"weights {folder}, sha256 ")


def test_on_a_gpu_it_waits_once_a_step(folder: Path, monkeypatch: Patch) -> None:
    config = find_config(aplc_xlnet, "code", {"weights": str(folder), "hidden": 8})
    with pretended(monkeypatch) as device:
        waits = by_steps(monkeypatch, device)
        aplc_xlnet.train(config, words_data(), toy_protocol(epochs=1), seed=0, device="cuda:0")
    assert waits == [1] * 5


def test_missing_weights_are_told_in_a_sentence(monkeypatch: Patch, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the extra xlnet is not installed")
    monkeypatch.setenv(aplc_xlnet.WEIGHTS, str(tmp_path))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *file: None)
    config = find_config(find_model("aplc_xlnet"), "code", {})
    said = aplc_xlnet.missing(config)
    assert said is not None
    assert said.startswith("needs the pretrained weights of 'xlnet/xlnet-base-cased', which are not on this")
    with pytest.raises(ConfigError, match="APLC-XLNet needs the pretrained weights"):
        aplc_xlnet.train(config, words_data(), toy_protocol(), seed=0)


def test_the_stand_in_is_the_clusters_on_a_bilstm() -> None:
    """All rates are the clusters'; the result says what stood in."""
    changes = {"encoder": "bilstm", "stand_in": "bilstm", "hidden": 8, "clusters": 3}
    config = find_config(aplc_xlnet, "code", changes)
    used = toy_protocol(part_rates={"encoder": 1e-5, "hidden": 1e-4, "clusters": 0.01})
    result = aplc_xlnet.train(config, toy_data(), used, seed=0)
    assert result.notes[0] == "a BiLSTM from scratch replaces XLNet; one learning rate, 0.01"
    assert np.isfinite(result.curve[-1]["loss"])


def test_protocols_are_as_tables_2_and_3_print_them() -> None:
    paper, code = protocol("ye2020"), protocol("ye2020-code")
    assert paper.part_rates == {"encoder": 5e-5, "hidden": 1e-4, "clusters": 2e-3}
    assert (paper.epochs, paper.batch_size, paper.length, paper.warm_up) == (8, 12, 512, 0)
    assert (paper.schedule, paper.clip, paper.select) == ("triangular", None, "last")
    assert (code.optimiser, code.clip, code.select) == ("lasagne_adam", 1.0, "best_on_test")
    small = protocol(on_a_cpu("ye2020-code"))
    assert (small.clip, small.schedule, small.part_rates) == (1.0, "triangular", paper.part_rates)
    assert small.deviation is not None and (small.epochs, small.batch_size) == (8, 12)
