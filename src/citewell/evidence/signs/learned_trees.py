"""Judges by trees that were learned from labelled examples, and are kept as data beside this module."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from citewell.text.data_tables import load_table


def estimate_chance(trees: str, signs: Sequence[float]) -> float:
    """What the trees of this name make of the signs: a chance from 0 to 1.

    A leaf of a tree is a number, all other nodes are [sign, bound, below, above], where `below`
    is for a sign of at most the bound.
    """
    total = 0.0
    for tree in load_table(__package__, trees):
        node = tree
        while isinstance(node, list):
            node = node[2] if signs[node[0]] <= node[1] else node[3]
        total += node
    return 1 / (1 + exp(-total))
