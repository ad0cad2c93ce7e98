"""Candidates of a tree level: the choice of the public code, its fillers, targets, and the beam."""

from __future__ import annotations

import gzip
import json
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reimpl.batching import top_k
from reimpl.data.dataset import ragged
from reimpl.label_tree import Children, LabelTree, are_positive, choose_parents

STORED = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "reference" / "05_trees.json.gz").read_bytes())
)
CPU = torch.device("cpu")


def padded(rows: list[list[int]]) -> Any:
    table = np.full((len(rows), max(map(len, rows))), -1)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def tree_of(*levels: list[list[int]]) -> LabelTree:
    """A tree by its groups of labels, a level each, from the top; all in one order of labels."""
    order = np.concatenate(levels[-1])
    return LabelTree(order, tuple(np.cumsum([0, *map(len, groups)]) for groups in levels))


@pytest.mark.parametrize("case", STORED["candidates"][::4], ids=lambda case: f"L{case['L']}-top{case['top']}")
def test_parents_are_those_the_public_code_chooses(case: dict[str, Any]) -> None:
    """Where its choice hangs on the order of a Python set, the ones that it must contain are in ours."""
    rows = case["train_rows"]
    chosen = choose_parents(
        padded([row["predicted_parents"] for row in rows]),
        ragged([sorted(row["positive_parents"]) for row in rows]),
        case["top"],
    )
    for ours, row in zip(chosen, rows, strict=True):
        mine = set(ours[ours >= 0].tolist())
        if row["choice_depends_on_python_set_order"]:
            assert mine >= set(row["must_contain"])
            assert mine <= set(row["positive_parents"]) | set(row["predicted_parents"])
            assert len(mine) == len(row["parents_chosen_set"])
        else:
            assert mine == set(row["parents_chosen_set"])


@pytest.mark.parametrize("case", STORED["candidates"][::4], ids=lambda case: f"L{case['L']}-top{case['top']}")
def test_children_of_the_same_parents_and_their_targets_are_those_of_the_public_code(
    case: dict[str, Any],
) -> None:
    children = Children.of(tree_of(case["groups"]), 0, CPU)
    for row in case["train_rows"]:
        parents = torch.tensor([row["parents_chosen_in_code_order"]])
        ids, valid = children.below(parents)
        real = len(row["candidates"]) - row["filler_count"]
        assert ids[valid].tolist() == row["candidates"][:real]
        cols = torch.tensor(row["positives_of_document"], dtype=torch.int64)
        targets = are_positive(torch.tensor([row["candidates"]]), torch.zeros_like(cols), cols, case["L"])
        assert targets[0].tolist() == row["targets"]


@pytest.mark.parametrize("case", [case for case in STORED["beam"] if not case["error"]])
def test_beams_end_with_the_labels_and_scores_of_the_public_code(case: dict[str, Any]) -> None:
    """Where a beam is wider than the top level the public code ends with an error; here all nodes stay."""
    groups = case["label_groups_last_level"]
    levels = [groups]
    while len(levels[0]) > case["first_level_nodes"]:
        pairs = case["inter_group_size"]
        levels.insert(0, [list(chain(*levels[0][i : i + pairs])) for i in range(0, len(levels[0]), pairs)])
    tree = tree_of(*levels)
    logits = [torch.tensor(level, dtype=torch.float64) for level in case["logits"]]
    scores, parents = top_k(torch.nn.functional.logsigmoid(logits[0]), case["top"])
    for level in range(tree.height):
        children = Children.of(tree, level, CPU)
        ids, valid = children.below(parents)
        here = torch.nn.functional.logsigmoid(logits[level + 1]).gather(1, ids)
        here = here + scores.repeat_interleave(children.widest, dim=1)
        here = here.masked_fill(~valid, -torch.inf)
        k = case["k"] if level == tree.height - 1 else case["top"]
        scores, places = top_k(here, min(k, here.shape[1]))
        parents = torch.where(places >= 0, ids.gather(1, places.clamp(min=0)), -1)
    for ours, theirs, mine, stored in zip(parents, case["labels"], scores, case["scores"], strict=True):
        real = [label for label in theirs if label < case["L"]]
        assert ours[: len(real)].tolist() == real
        assert mine[: len(real)].exp().tolist() == pytest.approx(stored[: len(real)], rel=2e-6)


@given(st.data())
def test_the_choice_is_that_of_a_plain_loop(data: st.DataObject) -> None:
    nodes, places, width = (data.draw(st.integers(1, 8)) for _ in range(3))
    width = min(width, nodes)
    rows = data.draw(st.integers(1, 4))
    predicted = [data.draw(st.permutations(range(nodes)))[:width] for _ in range(rows)]
    positives = [sorted(data.draw(st.sets(st.integers(0, nodes - 1)))) for _ in range(rows)]
    chosen = choose_parents(np.array(predicted), ragged(positives), places)
    for ours, guess, truth in zip(chosen, predicted, positives, strict=True):
        wanted = [node for node in guess if node in truth] + [node for node in truth if node not in guess]
        wanted += [node for node in guess if node not in truth]
        assert ours[ours >= 0].tolist() == wanted[:places]
