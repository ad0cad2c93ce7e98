"""A field that a configuration gains leaves the keys of stored runs as they are."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace

import pytest

from reimpl import xml_cnn
from reimpl.protocol import as_dict, as_json, later


@dataclass(frozen=True)
class _Config:
    loss: str = "bce_mean"
    windows: tuple[int, ...] = (2, 3)
    padding: str = later("none")


def test_a_later_field_is_told_only_where_it_is_not_at_its_default() -> None:
    assert as_dict(_Config()) == {"loss": "bce_mean", "windows": (2, 3)}
    assert as_dict(_Config(padding="full")) == {"loss": "bce_mean", "windows": (2, 3), "padding": "full"}


def test_plain_values_are_as_json_reads_them_back() -> None:
    nested = {"a": (1, (2, None)), "b": {"c": ()}}
    assert as_json(nested) == json.loads(json.dumps(nested)) == {"a": [1, [2, None]], "b": {"c": []}}


#: Digest of the configurations as they went into run keys before `padding` and `train_vectors` came.
BEFORE = {
    "liu2017-code": "b6768d5ebc6be567",
    "chen2022-kim-words": "c874b45cd4ebeac4",
    "chen2022-xmlcnn-words": "e1423fe90c297287",
}


@pytest.mark.parametrize("variant", BEFORE)
def test_stored_runs_of_xml_cnn_keep_their_configuration(variant: str) -> None:
    config = xml_cnn.VARIANTS[variant]
    text = json.dumps(as_json(as_dict(config)), sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == BEFORE[variant]
    assert as_dict(replace(config, train_vectors=False))["train_vectors"] is False
