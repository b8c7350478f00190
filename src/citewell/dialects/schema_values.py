"""JSON that an upstream or a model filled in for a schema: read, cleaned, and fitted to its fields."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from citewell.model.domains.field_schema import SchemaField
from citewell.text.safety.markup_cleaning import clean_markup

_MAX_JSON_DEPTH = 8
_MAX_JSON_ITEMS = 200  # of one object or list
_MAX_TEXT_CHARS = 5000
_MAX_ARRAY_ITEMS = 100
_FENCE = "```"


def parse_json_text(text: str) -> Any:
    """The JSON value in a text, which may stand in a code fence; None if there is none."""
    plain = text.strip()
    if plain.startswith(_FENCE):
        plain = plain.partition("\n")[2].rpartition(_FENCE)[0]
    start, end = plain.find("{"), plain.rfind("}")
    for candidate in (plain, plain[start : end + 1] if 0 <= start < end else ""):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def fit_schema_value(value: Any, fields: Iterable[SchemaField]) -> dict[str, Any]:
    """The declared fields of an object; null where the value is missing or of another type."""
    given = value if isinstance(value, dict) else {}
    return {field.name: _fit_field(given.get(field.name), field) for field in fields}


def _fit_field(value: Any, field: SchemaField) -> Any:
    if value is None:
        return None
    if field.type == "object":
        inner = fit_schema_value(value, field.fields)
        return inner if any(one is not None for one in inner.values()) else None
    if field.type == "array":
        items = value if isinstance(value, list) else []
        kept = [_fit_primitive(one, field.item_type) for one in items[:_MAX_ARRAY_ITEMS]]
        return [one for one in kept if one is not None] or None
    fitted = _fit_primitive(value, field.type)
    return fitted if not field.choices or fitted in field.choices else None


def _fit_primitive(value: Any, kind: str) -> Any:
    if kind == "string":
        return clean_markup(value)[:_MAX_TEXT_CHARS] or None if isinstance(value, str) else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if kind == "integer":
        return int(value) if value == int(value) else None
    return value


def clean_json_texts(value: Any, depth: int = 0) -> Any:
    """A JSON value with cleaned texts, without numbers that JSON does not have, and bounded in size."""
    if isinstance(value, str):
        return clean_markup(value)[:_MAX_TEXT_CHARS]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= _MAX_JSON_DEPTH:
        return None
    if isinstance(value, list):
        return [clean_json_texts(one, depth + 1) for one in value[:_MAX_JSON_ITEMS]]
    if isinstance(value, dict):
        return {
            clean_markup(str(name)): clean_json_texts(one, depth + 1)
            for name, one in list(value.items())[:_MAX_JSON_ITEMS]
        }
    return value
