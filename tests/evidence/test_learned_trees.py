"""Trees that were learned from labelled examples, and the signs that they ask for."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.changed_number import NUMBER_SIGNS
from citewell.evidence.signs import grounding_signs
from citewell.evidence.signs.grounding_signs import GROUNDING_SIGNS, estimate_chance
from citewell.text.data_tables import load_table

TREES = {"changed_number_trees": NUMBER_SIGNS, "grounding_trees": GROUNDING_SIGNS}


def list_tree_signs(name: str) -> set[int]:
    nodes = list(load_table(grounding_signs.__package__, name))
    found: set[int] = set()
    for node in nodes:  # grows while it is read
        if isinstance(node, list):
            found.add(node[0])
            nodes += node[2:]
    return found


@pytest.mark.parametrize("name", TREES)
def test_the_trees_ask_for_no_sign_that_does_not_exist(name: str) -> None:
    assert list_tree_signs(name) <= set(range(len(TREES[name])))


@pytest.mark.parametrize("name", TREES)
def test_a_chance_depends_on_the_signs(name: str) -> None:
    none, many = ([value] * len(TREES[name]) for value in (-1.0, 2.0))

    assert 0 < estimate_chance(name, none) < 1
    assert estimate_chance(name, none) != estimate_chance(name, many)
