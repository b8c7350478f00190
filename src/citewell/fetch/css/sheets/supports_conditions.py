"""Evaluates @supports conditions for a current desktop browser."""

from __future__ import annotations

import re
from functools import cache

from citewell.fetch.css.sheets.boolean_conditions import evaluate_condition
from citewell.fetch.css.sheets.declarations import is_valid_value
from citewell.text.data_tables import load_table

_FOREIGN_PSEUDO = re.compile(r":(?:-moz-|-ms-|-o-)")


def is_supported_condition(condition: str) -> bool:
    """Whether an @supports condition holds; unknown properties and functions do not."""
    return evaluate_condition(condition.lower(), _is_supported_test)


def _is_supported_test(name: str, inside: str) -> bool:
    if name == "selector":
        return not _FOREIGN_PSEUDO.search(inside)
    if name in {"font-tech", "font-format", "at-rule"}:
        return True
    if name:
        return False
    prop, colon, value = (part.strip() for part in inside.partition(":"))
    if not colon or not value:
        return False
    return prop.startswith("--") or prop in _load_other_properties() or is_valid_value(prop, value)


@cache
def _load_other_properties() -> frozenset[str]:
    """Properties that browsers know, beside those that this package reads.

    The list need not be complete: a page that hides text behind a rare property only keeps it.
    """
    return frozenset(load_table(__package__, "other_properties"))
