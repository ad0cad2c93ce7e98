"""APLC-XLNet: where a text stands, what is read of it, and what the named members are."""

from __future__ import annotations

import pytest
import torch

from reimpl import aplc_xlnet
from reimpl.aplc_xlnet import Summary, XLNetEncoder
from reimpl.fidelity import MismatchError, close


def test_padding_stands_on_the_left() -> None:
    """Texts of a batch beside longer ones, through a small random XLNet: as each alone and unpadded. The
    reference puts padding in front by hand, with the segments 4 (padding), 0 (text) and 2 ([CLS]), and reads
    the last state."""
    transformers = pytest.importorskip("transformers", reason="the extra xlnet is not installed")

    torch.manual_seed(2020)
    config = transformers.XLNetConfig(vocab_size=40, d_model=16, n_layer=2, n_head=2, d_inner=24)
    xlnet = transformers.XLNetModel(config).eval()
    for parameter in xlnet.parameters():
        parameter.data = torch.randn_like(parameter) * 0.3
    encoder = XLNetEncoder(xlnet, Summary(16, 8), padding_id=5).eval()
    texts = [[7, 9, 30, 4, 3], [11, 4, 3], [8, 8, 12, 13, 14, 15, 4, 3]]
    T = max(map(len, texts))
    ours = encoder(torch.tensor([text + [5] * (T - len(text)) for text in texts]))
    for text, vector in zip(texts, ours, strict=True):
        for front in (0, T - len(text)):
            ids = torch.tensor([[5] * front + text])
            segments = torch.tensor([[4] * front + [0] * (len(text) - 1) + [2]])
            mask = torch.tensor([[0.0] * front + [1.0] * len(text)])
            last = xlnet(input_ids=ids, attention_mask=mask, token_type_ids=segments).last_hidden_state[:, -1]
            expected = torch.tanh(encoder.summary.layer(last))[0]
            close("a document's vector", vector.detach(), expected.detach(), tolerance=2e-5)


def test_members_differ_as_code_and_paper() -> None:
    """What the hidden layer of the code has and the paper does not name, and the clusters' switches."""
    switches = ("activation", "dropout", "hidden", "tail", "normalise", "absent_roots", "products", "encoder")
    expected = {
        "code": ("tanh", 0.1, 768, "norm_relu", "documents", True, "probabilities", "xlnet"),
        "paper": ("none", 0.0, 768, "linear", "batch", False, "logarithms", "xlnet"),
    }
    for name, values in expected.items():
        ours = tuple(getattr(aplc_xlnet.VARIANTS[name], switch) for switch in switches)
        if ours != values:
            raise MismatchError(f"member {name!r} is {ours}, not {values}")
    states = torch.randn(2, 3, 6)
    plain = Summary(6, 4, activation="none", dropout=0.0)
    close("a hidden layer alone", plain(states).detach(), plain.layer(states[:, -1]).detach(), tolerance=0)


def test_a_tenth_of_the_hidden_layer_is_dropped() -> None:
    """In training every tenth component is 0, and the others are divided by .9."""
    torch.manual_seed(2020)
    layer = Summary(6, 500)
    states = torch.randn(40, 3, 6)
    kept, seen = layer.eval()(states).detach(), layer.train()(states).detach()
    share = (seen == 0).double().mean().item()
    close("what is left", seen[seen != 0], (kept / 0.9)[seen != 0], tolerance=1e-6)
    if not 0.09 < share < 0.11:
        raise MismatchError(f"{share:.1%} of the components are dropped, not 10 %")
