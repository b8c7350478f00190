"""Evaluates conditions joined by `and`, `or` and `not`, as @media, @supports and @container have them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

ConditionTest = Callable[
    [str, str], bool
]  # gets a function's name, or nothing, and the text inside

_TOKEN = re.compile(r"\(|\)|[^\s()]+")
_JOINS: dict[str, Callable[[bool, bool], bool]] = {"and": operator.and_, "or": operator.or_}
_MAX_CONDITION_CHARS = 2000  # real ones have a few hundred
_MAX_BRACKETS = 12


def evaluate_condition(text: str, test: ConditionTest, *, depth: int = 0) -> bool:
    """Whether the condition holds. `test` decides about each bracket that holds no further condition."""
    text = text[:_MAX_CONDITION_CHARS]
    holds: bool | None = None
    negate, word = False, "and"
    for name, inside in _list_terms(text):
        if inside is None:
            if name == "not":
                negate = not negate
            elif name in {"and", "or"}:
                word = name
            else:
                value = test("", name) is not negate
                holds = value if holds is None else _JOINS[word](holds, value)
                negate = False
            continue
        value = _evaluate_term(name, inside, test, depth) is not negate
        holds = value if holds is None else _JOINS[word](holds, value)
        negate = False
    return bool(holds)


def _evaluate_term(name: str, inside: str, test: ConditionTest, depth: int) -> bool:
    nested = inside.lstrip().startswith(("(", "not ", "not(")) or ") and " in inside
    if not name and nested and depth < _MAX_BRACKETS:
        return evaluate_condition(inside, test, depth=depth + 1)
    return test(name, inside)


def _list_terms(text: str) -> list[tuple[str, str | None]]:
    """The words at the top level, and the brackets with the name before them and the text inside."""
    found: list[tuple[str, str | None]] = []
    depth = start = 0
    name = ""
    before = -1  # where the word before a bracket ends, to tell `not (` from `style(`
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark == "(":
            if depth == 0:
                start = match.end()
                is_call = before == match.start() and found and found[-1][1] is None
                name = found.pop()[0] if is_call else ""
            depth += 1
        elif mark == ")":
            depth -= 1
            if depth == 0:
                found.append((name, text[start : match.start()]))
            depth = max(0, depth)
        elif depth == 0:
            found.append((mark, None))
            before = match.end()
    if depth > 0 and start < len(text):
        found.append((name, text[start:]))
    return found
