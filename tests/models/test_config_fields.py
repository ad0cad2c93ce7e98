"""A field that a configuration gains leaves the keys of stored runs as they are."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from reimpl import xml_cnn
from reimpl.protocol import as_dict, as_json

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
