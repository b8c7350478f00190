"""The JSON Schema of a structured search: its limits, and its fields in a form that is easy to fill."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.core.values.counted_words import pluralize

MAX_SCHEMA_FIELDS = 10  # of all levels together
MAX_SCHEMA_DEPTH = 2  # the root, and objects in it
MAX_SCHEMA_CHARS = 8000  # as JSON
MAX_ENUM_VALUES = 50
PRIMITIVE_TYPES = ("string", "number", "integer", "boolean")
_REFUSED_KEYWORDS = (
    "$ref", "$dynamicRef", "$defs", "definitions", "anyOf", "oneOf", "allOf", "not", "if",
    "patternProperties", "prefixItems", "dependentSchemas",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaField:
    """One field: `type` is a JSON type, `item_type` that of the items of an array."""

    name: str
    type: str
    description: str = ""
    choices: tuple[Any, ...] = ()  # the values of an enum
    item_type: str = "string"
    fields: tuple[SchemaField, ...] = ()  # of an object


def parse_field_schema(schema: Any) -> tuple[SchemaField, ...]:
    """The fields of the root object; raises InvalidInput that names the limit a schema exceeds."""
    try:
        size = len(json.dumps(schema))
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput("schema is not a JSON value, or is nested too deeply.") from None
    if size > MAX_SCHEMA_CHARS:
        raise InvalidInput(
            f"schema has {size} {pluralize(size, 'character')}; the limit is {MAX_SCHEMA_CHARS}."
        )
    if not isinstance(schema, Mapping) or _find_plain_type(schema) != "object":
        raise InvalidInput('schema must be an object schema: {"type": "object", "properties": …}.')
    fields = _parse_properties(schema, depth=1)
    count = _count_fields(fields)
    if count > MAX_SCHEMA_FIELDS:
        raise InvalidInput(
            f"schema has {count} {pluralize(count, 'property', 'properties')}; the limit is {MAX_SCHEMA_FIELDS}."
        )
    return fields


def _parse_properties(schema: Mapping[str, Any], *, depth: int) -> tuple[SchemaField, ...]:
    _check_keywords(schema, "schema")
    declared = schema.get("properties")
    if not isinstance(declared, Mapping) or not declared:
        raise InvalidInput("schema needs properties: at least one field to fill.")
    return tuple(
        _parse_schema_field(str(name), subschema, depth=depth)
        for name, subschema in declared.items()
    )


def _parse_schema_field(name: str, declared: Any, *, depth: int) -> SchemaField:
    if not isinstance(declared, Mapping):
        raise InvalidInput(f"The property {name[:60]!r} of schema is not a schema.")
    _check_keywords(declared, f"The property {name[:60]!r}")
    kind = _find_plain_type(declared)
    description = declared.get("description")
    words = description if isinstance(description, str) else ""
    if kind == "object":
        if depth >= MAX_SCHEMA_DEPTH:
            raise InvalidInput(
                f"schema is nested deeper than {MAX_SCHEMA_DEPTH} levels at {name[:60]!r}."
            )
        inner = _parse_properties(declared, depth=depth + 1)
        return SchemaField(name=name, type=kind, description=words, fields=inner)
    if kind == "array":
        return SchemaField(
            name=name, type=kind, description=words, item_type=_find_item_type(name, declared)
        )
    if kind not in PRIMITIVE_TYPES:
        allowed = ", ".join((*PRIMITIVE_TYPES, "array", "object"))
        raise InvalidInput(f"The property {name[:60]!r} has no known type; types are {allowed}.")
    return SchemaField(name=name, type=kind, description=words, choices=_find_choices(declared))


def _find_plain_type(declared: Mapping[str, Any]) -> str:
    """The type, without "null" beside it; that of the values of an enum if none is declared."""
    plain_type = declared.get("type")
    if isinstance(plain_type, list):
        plain_type = next((name for name in plain_type if name != "null"), None)
    if plain_type is None and "properties" in declared:
        return "object"
    if plain_type is None and isinstance(declared.get("enum"), list):
        return "string"
    return plain_type if isinstance(plain_type, str) else ""


def _find_item_type(name: str, declared: Mapping[str, Any]) -> str:
    items = declared.get("items", {"type": "string"})
    kind = _find_plain_type(items) if isinstance(items, Mapping) else ""
    if isinstance(items, Mapping):
        _check_keywords(items, f"The items of {name[:60]!r}")
    if kind not in PRIMITIVE_TYPES:
        raise InvalidInput(
            f"The items of the array {name[:60]!r} must be {', '.join(PRIMITIVE_TYPES)}."
        )
    return kind


def _find_choices(declared: Mapping[str, Any]) -> tuple[Any, ...]:
    listed = declared.get("enum")
    if listed is None:
        return ()
    plain = isinstance(listed, list) and all(
        isinstance(choice, str | int | float) for choice in listed
    )
    if not plain or not 0 < len(listed) <= MAX_ENUM_VALUES:
        raise InvalidInput(f"An enum of schema must list 1 to {MAX_ENUM_VALUES} texts or numbers.")
    return tuple(listed)


def _check_keywords(declared: Mapping[str, Any], place: str) -> None:
    found = next((word for word in _REFUSED_KEYWORDS if word in declared), None)
    if found is not None:
        raise InvalidInput(f"{place} uses {found}, which is not supported: write the type out.")


def _count_fields(fields: tuple[SchemaField, ...]) -> int:
    return sum(1 + _count_fields(field_.fields) for field_ in fields)
