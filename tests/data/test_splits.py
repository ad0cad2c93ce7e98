"""A hold-out takes the documents that its rule says, and says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from reimpl.data.splits import HoldOut, find_rule, for_protocol, hold_out
from reimpl.errors import DataError
from tests.toys import toy_data, toy_protocol


@pytest.mark.parametrize("n", [11, 201, 15449])
@pytest.mark.parametrize("name", ["chen2022", "libmultilabel", "you2019-200", "you2019-4000"])
def test_the_rules_of_public_code_hold_out_its_very_documents(name: str, n: int) -> None:
    """As scikit-learn's train_test_split, which that code calls, with the size and the state of FACTS.md."""
    size, state = {
        "chen2022": (0.2, 42),
        "libmultilabel": (0.2, 42),
        "you2019-200": (200, 1240),
        "you2019-4000": (4000, 1240),
    }[name]
    if isinstance(size, int) and size >= n:
        with pytest.raises(DataError, match=f"takes {size} of {n} documents and must leave one or more"):
            find_rule(name).rows(n)
        return
    stay, held = train_test_split(np.arange(n), test_size=size, random_state=state)
    ours = find_rule(name).rows(n)
    assert (ours[0].tolist(), ours[1].tolist()) == (sorted(stay.tolist()), sorted(held.tolist()))


@pytest.mark.parametrize(("n", "held"), [(14_146, 200), (15_539, 200), (99_999, 200), (100_000, 4000)])
def test_attentionxml_s_rule_by_size_holds_out_200_or_4000_of_the_same_documents(n: int, held: int) -> None:
    """FACTS: 200 of EUR-Lex and Wiki10-31K, 4,000 of all others."""
    found = find_rule("you2019").rows(n)
    assert len(found[1]) == held
    assert found[1].tolist() == find_rule(f"you2019-{held}").rows(n)[1].tolist()
    assert find_rule("you2019").identity["few"] == [100_000, 200]  # it decides, so it is in the fingerprint
    assert "few" not in find_rule("you2019-200").identity


def test_the_fingerprint_holds_the_data_and_what_decides_the_rule_but_not_its_name() -> None:
    data = toy_data()
    rules = [HoldOut("a", 0, share=0.2), HoldOut("a", 1, share=0.2), HoldOut("a", 0, count=5)]
    prints = [hold_out(data, rule).fingerprint for rule in rules]
    prints += [data.fingerprint, hold_out(replace(data, fingerprint="other"), rules[0]).fingerprint]
    assert len(set(prints)) == 5
    assert hold_out(data, HoldOut("b", 0, share=0.2)).fingerprint == prints[0]


def test_a_dev_part_that_is_there_is_never_replaced() -> None:
    data = toy_data(n_dev=4)
    with pytest.raises(DataError, match=r"toy: there are 4 dev documents; hold-out 'chen2022' is for none"):
        hold_out(data, find_rule("chen2022"))
    asking = toy_protocol(select="best_on_dev", evaluate="every_epoch", hold_out="chen2022")
    assert for_protocol(data, asking) is data
