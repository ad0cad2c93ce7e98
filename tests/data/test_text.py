"""The tokenisers, string by string."""

from __future__ import annotations

from reimpl.data.text import ATTENTIONXML, LIU, STUDY, treebank_tokens
from tests.data.corpora import reference


def test_the_words_are_those_of_the_public_programs_and_of_nltk_3_4() -> None:
    for case in reference("06_text.json")["strings"]:
        text = case["text"]
        assert STUDY(text) == case["study"], text
        assert LIU(text) == case["xmlcnn_original"], text
        assert ATTENTIONXML(text) == case["attentionxml"], text
        assert treebank_tokens(text) == case["nltk_raw_tokens"], text
