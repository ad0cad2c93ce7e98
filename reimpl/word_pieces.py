"""Texts in the pieces of a pretrained XLNet, and where its weights lie on this machine.

SentencePiece marks the beginning of a word and no piece lies in two words, so the pieces of a text are those
of its words between blanks, one after another. Each distinct word is cut once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from reimpl.data.dataset import Dataset, IntArray, Split, offsets_of
from reimpl.errors import ConfigError

#: Environment variable: a folder with folders of weights by name.
WEIGHTS = "XMTC_WEIGHTS"
#: Places behind each text: the separator, and the symbol whose last state stands for the document.
_SPECIAL = 2


def missing(weights: str) -> str | None:
    """What this machine lacks for a pretrained XLNet, and how to get it; None where all is there."""
    if find_spec("transformers") is None or find_spec("sentencepiece") is None:
        return "needs the packages of the extra xlnet, which are not installed: pip install '.[xlnet]'"
    if find_weights(weights) is None:
        return (
            f"needs the pretrained weights of {weights!r}, which are not on this machine: "
            f"run `hf download {weights}`, or put the folder {Path(weights).name} where {WEIGHTS} points to"
        )
    return None


def find_weights(weights: str) -> Path | None:
    """The folder that holds configuration, weights and tokeniser; nothing is downloaded.

    `weights` is a folder, or a name: of a folder where the environment variable XMTC_WEIGHTS points to, or of
    a repository of the Hugging Face hub, in its cache.
    """
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
    """First figures of the SHA-256 of the files of weights."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of each word of a vocabulary, and the ids that stand for no word."""

    values: IntArray  # int32: the pieces of all words, one after another
    offsets: IntArray  # int64 (V + 1,)
    names: tuple[str, ...]  # All pieces by id
    end: tuple[int, int]  # Separator and [CLS], which end a text
    padding: int

    def of(self, split: Split, length: int) -> Split:
        """The split in pieces: each text cut to `length` - 2 of them, then the separator and [CLS]."""
        each = np.diff(self.offsets)[split.tokens]
        before = np.concatenate(([0], np.cumsum(each)))
        starts, ends = before[split.offsets[:-1]], before[split.offsets[1:]]
        kept = np.minimum(ends - starts, length - _SPECIAL)
        offsets = offsets_of(kept + _SPECIAL)
        tokens = np.empty(int(offsets[-1]), dtype=np.int32)
        # place of each kept piece among all pieces of the split, and in the new texts
        inside = np.arange(int(kept.sum())) - np.repeat(np.cumsum(kept) - kept, kept)
        source = np.repeat(starts, kept) + inside
        word = np.searchsorted(before, source, side="right") - 1
        piece = self.offsets[split.tokens[word]] + source - before[word]
        tokens[np.repeat(offsets[:-1], kept) + inside] = self.values[piece]
        for place, id in enumerate(self.end):
            tokens[offsets[1:] - _SPECIAL + place] = id
        return Split(tokens, offsets, split.label_ids, split.label_offsets)


def pieces_of(data: Dataset, folder: Path, length: int) -> Dataset:
    """The data set in pieces of the tokeniser in `folder`, at most `length` a text with the two at its end.

    Word vectors are left out. Raises `ConfigError` where the folder has no tokeniser, or `length` no room.
    """
    if length <= _SPECIAL:
        raise ConfigError(f"length {length} has no room for a text before its two last symbols; give more")
    pieces = cut(data.vocabulary, tokeniser(folder), padding=data.padding_id)
    vectors = np.zeros((len(pieces.names), 1), dtype=np.float32)
    return replace(
        data,
        train=pieces.of(data.train, length),
        test=pieces.of(data.test, length),
        dev=None if data.dev is None else pieces.of(data.dev, length),
        vocabulary=pieces.names,
        vectors=vectors,
        padding_id=pieces.padding,
        padding_trainable=False,
    )


def tokeniser(folder: Path) -> Any:
    """That of the folder; raises `ConfigError` where it cannot be read."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except Exception as err:  # whatever goes wrong in another's reader
        why = f"its tokeniser cannot be read ({str(err).strip().split(chr(10))[0]})"
        raise ConfigError(f"{folder}: {why}; download the folder anew") from err


def cut(words: Sequence[str], tokeniser: Any, *, padding: int) -> Pieces:
    """Cuts each word of a vocabulary; the padding has no piece, and the unknown word that of its own."""
    found: list[list[int]] = tokeniser(list(words), add_special_tokens=False)["input_ids"]
    found[padding] = []
    if "<unk>" in words:
        found[words.index("<unk>")] = [tokeniser.unk_token_id]
    names: tuple[str, ...] = tuple(tokeniser.convert_ids_to_tokens(range(len(tokeniser))))
    return Pieces(
        values=np.array([id for ids in found for id in ids], dtype=np.int32),
        offsets=offsets_of([len(ids) for ids in found]),
        names=names,
        end=(tokeniser.sep_token_id, tokeniser.cls_token_id),
        padding=tokeniser.pad_token_id,
    )
