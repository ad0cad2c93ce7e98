"""APLC-XLNet (Ye et al. 2020): a pretrained XLNet (extra xlnet), a hidden layer, label clusters.

Ye, Chen, Wang, Davison (2020), ICML; huiyegit/APLC_XLNet bf6f91d. The hidden layer takes the place of
XLNet's own summary; the encoder is that of `transformers` (extra `xlnet`). A text ends in a separator and
[CLS] and is padded on the left, so that the last state stands for the document (section 3.1). Without
pretrained weights (`find_weights`) an experiment is not run, or has an encoder from scratch (`stand_in`). B
documents, T places, X components of XLNet's states, d of the hidden layer, L labels.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Literal, Unpack, cast

import numpy as np
import torch
from torch import Tensor, nn

from reimpl import aplc, training
from reimpl.aplc import Clustered
from reimpl.data.dataset import Dataset, Split, ragged
from reimpl.errors import ConfigError
from reimpl.label_clusters import ClusterOptions, LabelClusters, by_frequency
from reimpl.layers import dropout
from reimpl.models import find_config
from reimpl.protocol import Protocol
from reimpl.training import How, Result

#: Segments of a text and of [CLS]; padding has another, which nothing looks at.
_TEXT, _CLS, _PADDING = 0, 2, 4
#: Of first weights, as XLNet's.
_DEVIATION = 0.02
#: Environment variable: a folder with folders of weights by name.
WEIGHTS = "XMTC_WEIGHTS"
#: Places behind each text: the separator, and the symbol whose last state stands for the document.
_SPECIAL = 2


@dataclass(frozen=True)
class Config(ClusterOptions):
    """The clusters, and what is before them. Defaults: the public code on EURLex-4k."""

    weights: str = "xlnet/xlnet-base-cased"
    """A folder with the weights, or their name (`find_weights`)."""
    encoder: Literal["xlnet", "bilstm"] = "xlnet"
    """bilstm: the BiLSTM of `attention_xml` with max pooling, from scratch; not the paper's system."""
    stand_in: Literal["none", "bilstm"] = "none"
    """The encoder that a reduced protocol uses instead of XLNet."""
    hidden: int = 768
    """d; 512 on Amazon-670k."""
    activation: Literal["tanh", "none"] = "tanh"
    """Activation of the hidden layer (modeling_utils.py:709-787). The paper states none."""
    dropout: float = 0.1
    """Dropout on the hidden layer (code only). XLNet's configuration sets its own rates."""


#: Named members; sizes are those of EURLex-4k (Tables 2 and 3).
VARIANTS: Mapping[str, Config] = {
    "code": Config(),
    # Ye et al. 2020, as in the paper: see `aplc`; the hidden layer is fully connected.
    "paper": Config(
        tail="linear",
        normalise="batch",
        absent_roots=False,
        products="logarithms",
        activation="none",
        dropout=0.0,
    ),
}

#: A pretrained network has its size, and clusters are choices.
SMALL: Mapping[str, Any] = {}
#: Units of the stand-in, each way, and the width of its document vectors: six clusters still have four.
_STAND_IN: Mapping[str, Any] = {"hidden": 64, "fully_connected": [128]}


def reduce(config: Config, sizes: Mapping[str, Any]) -> Config:
    """The configuration with the stand-in instead of XLNet, if one is used."""
    if config.stand_in == "none":
        return config
    width = min(config.hidden, _STAND_IN["fully_connected"][-1])
    return replace(config, encoder="bilstm", hidden=width)


def missing(config: Config) -> str | None:
    """What this machine lacks for the encoder, and how to get it; None if nothing is missing."""
    weights = config.weights
    if config.encoder == "bilstm":
        return None
    if find_spec("transformers") is None or find_spec("sentencepiece") is None:
        return "needs the packages of the extra xlnet, which are not installed: pip install '.[xlnet]'"
    if find_weights(weights) is None:
        return (
            f"needs the pretrained weights of {weights!r}, which are not on this machine: "
            f"run `hf download {weights}`, or put the folder {Path(weights).name} where {WEIGHTS} points to"
        )
    return None


class Summary(nn.Module):
    """The last state of a text through the hidden layer."""

    def __init__(self, states: int, hidden: int, *, activation: str = "tanh", dropout: float = 0.1) -> None:
        super().__init__()
        self.layer = nn.Linear(states, hidden)
        self.activation, self.dropout = activation, dropout
        nn.init.normal_(self.layer.weight, std=_DEVIATION)
        nn.init.zeros_(self.layer.bias)

    def forward(self, states: Tensor) -> Tensor:
        """(B, T, X) -> (B, d)"""
        z = self.layer(states[:, -1])
        z = torch.tanh(z) if self.activation == "tanh" else z
        return dropout(z, self.dropout, self.training)


class XLNetEncoder(nn.Module):
    """Padded on the right, as the training gives texts, to vectors (B, d)."""

    #: The separator and [CLS].
    minimum_width = 2

    def __init__(self, xlnet: nn.Module, summary: Summary, *, padding_id: int) -> None:
        super().__init__()
        self.xlnet, self.summary, self.padding_id = xlnet, summary, padding_id

    def forward(self, token_ids: Tensor) -> Tensor:
        """Piece ids (B, T) -> vectors (B, d)."""
        # the same rows, turned so that each ends where its text ends
        T = token_ids.shape[1]
        padding = (token_ids == self.padding_id).sum(1, keepdim=True)
        place = torch.arange(T, device=token_ids.device)
        ids = token_ids.long().gather(1, (place - padding) % T)
        there = ids != self.padding_id
        segments = torch.where(there, _TEXT, _PADDING)
        segments[:, -1] = _CLS
        states = self.xlnet(ids, attention_mask=there.float(), token_type_ids=segments, use_mems=False)[0]
        return cast(Tensor, self.summary(states))


class APLCXLNet(Clustered):
    base: XLNetEncoder

    def parts(self) -> dict[str, nn.Module]:
        return {"encoder": self.base.xlnet, "hidden": self.base.summary, "clusters": self.clusters}


def chooses_epoch(config: Config, labels: int) -> bool:
    return True


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Fine-tunes XLNet with the layers above it. Raises `ConfigError` for missing weights or packages."""
    if config.encoder == "bilstm":
        return _stand_in(config, data, protocol, **how)
    lack, folder = missing(config), find_weights(config.weights)
    if lack is not None or folder is None:
        raise ConfigError(f"APLC-XLNet {lack}")
    pieces = pieces_of(data, folder, protocol.length)

    def network(vectors: Tensor) -> APLCXLNet:
        """The network; word vectors are those of the weights."""
        from transformers import XLNetModel

        xlnet = XLNetModel.from_pretrained(str(folder), local_files_only=True, dtype=torch.float32)
        states: int = xlnet.config.d_model
        summary = Summary(states, config.hidden, activation=config.activation, dropout=config.dropout)
        order = by_frequency(data.train, data.n_labels)
        clusters = LabelClusters(config, features=config.hidden, order=order)
        return APLCXLNet(XLNetEncoder(xlnet, summary, padding_id=pieces.padding_id), clusters)

    result = training.train(network, pieces, protocol, **how)
    sizes = ", ".join(f"{size:,}" for size in config.sizes(data.n_labels))
    weights = f"weights {config.weights}, sha256 {digest_of(folder)}"
    return result.noted(f"label clusters of {sizes} labels", weights)


def _stand_in(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """The clusters on a BiLSTM from scratch, all at the rate of the clusters."""
    own = {it.name: getattr(config, it.name) for it in fields(ClusterOptions)}
    base = {**_STAND_IN, "fully_connected": [config.hidden]}
    keys = {**own, "base": "attention_xml", "base_variant": "bilstm", "base_config": base}
    clusters = find_config(aplc, None, keys)
    rate = (protocol.part_rates or {}).get("clusters", protocol.learning_rate)
    protocol = replace(protocol, part_rates=None, learning_rate=rate)
    result = aplc.train(clusters, data, protocol, **how)
    return result.noted(f"a BiLSTM from scratch replaces XLNet; one learning rate, {rate:g}")


# ------------------------------------------------------------------------- weights and pieces of words
# SentencePiece marks the beginning of a word and no piece lies in two words, so the pieces of a text are
# those of its words between blanks, one after another. Each distinct word is cut once.


def find_weights(weights: str) -> Path | None:
    """The folder of that name, where XMTC_WEIGHTS points to, or in the cache of the Hugging Face hub."""
    around = os.environ.get(WEIGHTS)
    for folder in (Path(weights), *([Path(around) / Path(weights).name] if around else [])):
        if (folder / "config.json").is_file():
            return folder
    if find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(weights, "config.json")
    except HFValidationError:  # a path, which names no repository
        return None
    return Path(found).parent if isinstance(found, str) else None


def digest_of(folder: Path) -> str:
    """The first digits of the SHA-256 of the files of weights."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def pieces_of(data: Dataset, folder: Path, length: int) -> Dataset:
    """The data in pieces of the folder's tokeniser, at most `length` a text. Raises `ConfigError`."""
    if length <= _SPECIAL:
        raise ConfigError(f"length {length} has no room for text before its last two symbols; give more")
    by = tokeniser(folder)
    pieces: list[list[int]] = by(list(data.vocabulary), add_special_tokens=False)["input_ids"]
    pieces[data.padding_id] = []
    if "<unk>" in data.vocabulary:
        pieces[data.vocabulary.index("<unk>")] = [by.unk_token_id]
    splits: dict[str, Any] = {}
    for name, split in data.splits.items():  # `length` - 2 of a text at most, then the separator and [CLS]
        texts = []
        for first, last in pairwise(split.offsets.tolist()):
            text = chain.from_iterable(pieces[word] for word in split.tokens[first:last].tolist())
            texts.append([*islice(text, length - _SPECIAL), by.sep_token_id, by.cls_token_id])
        tokens, offsets = ragged(texts)
        splits[name] = Split(tokens, offsets, split.label_ids, split.label_offsets)
    names = tuple(by.convert_ids_to_tokens(range(len(by))))
    return replace(
        data,
        **splits,
        vocabulary=names,
        vectors=np.zeros((len(names), 1), dtype=np.float32),
        padding_id=by.pad_token_id,
        padding_trainable=False,
    )


def tokeniser(folder: Path) -> Any:
    """The folder's tokeniser; raises `ConfigError` if it cannot be read."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except Exception as err:  # whatever goes wrong in another's reader
        why = f"its tokeniser cannot be read ({str(err).strip().split(chr(10))[0]})"
        raise ConfigError(f"{folder}: {why}; download the folder again") from err
