"""Turns what a page states into the type that a field asks for; None if it is not of that type."""

from __future__ import annotations

import re
from typing import Any

from citewell.model.domains.field_schema import SchemaField
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.safety.markup_cleaning import clean_markup

MAX_VALUE_CHARS = 500
_MAX_ARRAY_ITEMS = 50
_MAX_NUMBER_DIGITS = 18
_MAX_WORDS_CHARS = (
    30  # before a number; behind more of them it belongs to a sentence and not to its label
)
_TRUE_WORDS = frozenset(("yes", "true", "✓", "✔", "y", "ja", "oui", "sí", "si"))
_FALSE_WORDS = frozenset(("no", "false", "✗", "✘", "n", "nein", "non", "none"))
_WRITTEN_NUMBER_PATTERN = re.compile(
    r"[-−+]?\d[\d.,'’\u00a0\u202f ]{0,24}(?:\s?(?:thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)
_EXPONENT_PATTERN = re.compile(r"\d[eE][+-]?\d")
_BOUND_PATTERN = re.compile(
    r"\s{0,3}(?:from|up to|at most|at least|over|under|below|above|less than|more than|[<>≤≥])(?![a-z])",
    re.IGNORECASE,
)
_ITEM_BORDER_PATTERN = re.compile(r"\s{0,3}[,;•·|]\s{0,3}|\s{1,3}and\s{1,3}")
_SCHEMA_ORG_PREFIX_PATTERN = re.compile(r"\Ahttps?://schema\.org/")
_MARKDOWN_LINK_PATTERN = re.compile(r"\[([^\[\]\n]{1,200}+)\]\([^()\n]{0,500}+\)")


def convert_stated_value(value: Any, field: SchemaField) -> Any:
    """The value in the type of the field; None if what is stated has another type."""
    if field.type == "array":
        items = value if isinstance(value, list) else _split_items(_read_stated_text(value))
        kept = [_convert_primitive(one, field.item_type) for one in items[:_MAX_ARRAY_ITEMS]]
        return [one for one in dict.fromkeys(kept) if one is not None] or None
    if isinstance(value, list) and field.type != "string" and len({*map(str, value)}) > 1:
        return None
    if isinstance(value, list):
        value = next((one for one in value if one not in (None, "")), None)
    if field.choices:
        return _choose_listed(_read_stated_text(value), field.choices)
    return _convert_primitive(value, field.type)


def _convert_primitive(value: Any, kind: str) -> Any:
    if kind == "string":
        return _read_stated_text(value) or None
    if kind == "boolean":
        return _read_stated_boolean(value)
    number = _read_stated_number(value)
    if number is None or (kind == "integer" and number != int(number)):
        return None
    return int(number) if number == int(number) else number


def _read_stated_text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("@id") or ""
    plain = _MARKDOWN_LINK_PATTERN.sub(r"\1", value) if isinstance(value, str) else ""
    return _SCHEMA_ORG_PREFIX_PATTERN.sub("", clean_markup(plain).strip("*_` "))[:MAX_VALUE_CHARS]


def _read_stated_boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    words = _read_stated_text(value).lower().split()
    first = words[0].strip(".,;:!") if words else ""
    if first in _TRUE_WORDS:
        return True
    return False if first in _FALSE_WORDS else None


def _read_stated_number(value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if abs(value) < 10**_MAX_NUMBER_DIGITS else None  # neither does NaN pass
    text = _read_stated_text(value)
    if _BOUND_PATTERN.match(text) or _EXPONENT_PATTERN.search(text):  # "from 450 euros" is no price
        return None
    stated = extract_quantities(text)
    if not stated or stated[0].low != stated[0].high:  # a range is no number
        return None
    if stated[0].start > _MAX_WORDS_CHARS:
        return None
    # The digits alone, because quantities are converted: 1.2 kg would become 1200 grams.
    written = _WRITTEN_NUMBER_PATTERN.search(stated[0].text)
    found = extract_quantities(written[0]) if written else ()
    if not found or len(str(abs(int(found[0].low)))) > _MAX_NUMBER_DIGITS:
        return None
    first = found[0]
    return int(first.low) if first.low == int(first.low) else float(first.low)


def _choose_listed(text: str, choices: tuple[Any, ...]) -> Any:
    """The choice that the text names: the same, or the only one whose words are in it."""
    plain = text.lower()
    same = [one for one in choices if str(one).lower() == plain]
    if same:
        return same[0]
    words = f" {re.sub(r'[^0-9a-zà-ɏ]+', ' ', plain)} "
    within = [one for one in choices if f" {str(one).lower()} " in words]
    return within[0] if len(within) == 1 else None


def _split_items(text: str) -> list[str]:
    return [one for one in _ITEM_BORDER_PATTERN.split(text) if one]
