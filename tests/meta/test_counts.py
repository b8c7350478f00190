"""Every count in a message agrees with its noun: "1 step", never "1 steps"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "citewell"
_PLURAL_PATTERN = re.compile(
    r" (?:(?:more|other|hidden|damaged|cited|earlier|new|search) )?([a-z]{3,}s)\b"
)
_TEMPLATE_PATTERN = re.compile(
    r"\{[a-z_]+(?::[,.\dgf]+)?\} (?:seconds|minutes|hours|days|items|steps|results|pages)\b"
)
# Words in s that are no plural, and nouns that are alike in both forms.
_OTHERS = frozenset(
    re.findall(
        r"\w+",
        "has was does its this names says shows uses means gives keeps gets needs takes makes holds lists works knows "
        "answers accepts allows begins ends exists contains declares marks asks reads writes runs stays stands returns "
        "refers belongs leads looks claims cites differs refuses rests serves speaks starts stops supports wants "
        "already always across less perhaps plus thus towards versus offers requires publishes stands mixes besides whereas as is us series species "
        "adds appears binds matches sets expects decides seems states follows fits costs becomes comes goes",
    )
)
_LIMITS = ("max_", "most", "limit", "expected_", "budget")
_TEXTS = frozenset(
    re.findall(
        r"\w+", "label their first second url issuer join mask_secrets flag value_text counts"
    )
)
_UNIT_CALLS = frozenset({"pluralize", "describe_duration"})


def find_offenders(source: str) -> Iterator[tuple[int, str]]:
    """The line and the words of each f-string that puts a plural after a count that may be 1."""
    nodes = list(ast.walk(ast.parse(source)))
    guarded = {
        id(part)
        for node in nodes
        if isinstance(node, ast.IfExp | ast.If)
        and any(isinstance(test, ast.Constant) and test.value == 1 for test in ast.walk(node.test))
        for part in ast.walk(node)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and _TEMPLATE_PATTERN.search(str(node.value)):
            yield node.lineno, str(node.value)
        if not isinstance(node, ast.JoinedStr) or id(node) in guarded:
            continue
        for count, text in zip(node.values, node.values[1:], strict=False):
            if _is_count(count) and isinstance(text, ast.Constant):
                found = _PLURAL_PATTERN.match(str(text.value))
                if found and found[1] not in _OTHERS and not found[1].endswith("ss"):
                    yield node.lineno, ast.unparse(node)


def _is_count(node: ast.expr) -> bool:
    """Whether it may be 1: not a limit of ours, and not a text."""
    if not isinstance(node, ast.FormattedValue) or node.conversion != -1:
        return False
    names = [part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)]
    attributes = [part.attr for part in ast.walk(node.value) if isinstance(part, ast.Attribute)]
    called = isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
    if called and names[0] in _UNIT_CALLS:
        return False
    last = [*attributes, *reversed(names), ""][0].lstrip("_")
    return not last.isupper() and not last.startswith(_LIMITS) and last not in _TEXTS


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("f'{n} steps'", 1),
        ("f'give at least {n} items'", 1),
        ("f'{len(x)} more rows were cut'", 1),
        ("f'{n:.0f} seconds'", 1),
        ("f'{n} {pluralize(n, \"step\")}'", 0),
        ("'they last {hours:g} hours'.format(hours=n)", 1),
        ("f'{name} has none'", 0),
        ("f'{MAX_ROWS} rows'", 0),
        ("'1 row' if n == 1 else f'{n} rows'", 0),
    ],
)
def test_a_plural_after_a_count_is_noticed(text: str, count: int) -> None:
    assert len(list(find_offenders(text))) == count


def test_every_count_in_a_message_agrees_with_its_noun() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {words}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, words in find_offenders(path.read_text(encoding="utf-8"))
    ]

    assert found == []
