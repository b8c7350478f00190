"""A tool's wire form: flat schemas that every client accepts, and nothing a model does not need."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import BaseModel

from citewell.tooling import Arguments, Tool

_DROPPED = ("title", "additionalProperties", "format", "$defs")


def wire_tool(name: str, tool: Tool) -> dict[str, Any]:
    """What `tools/list` says of it."""
    wire: dict[str, Any] = {
        "name": name,
        "description": description(tool.args),
        "inputSchema": input_schema(tool.args),
    }
    if tool.publish_result:
        wire["outputSchema"] = output_schema(tool.result)
    wire["annotations"] = {
        "readOnlyHint": tool.read_only,
        "destructiveHint": False,
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.open_world,
    }
    return wire


def description(model: type[BaseModel]) -> str:
    return " ".join(inspect.cleandoc(model.__doc__ or "").split())


def input_schema(model: type[Arguments]) -> dict[str, Any]:
    raw = model.model_json_schema(by_alias=True)
    schema = _flat(raw, raw.get("$defs", {}))
    ordered: dict[str, Any] = {"type": "object", "properties": schema.get("properties", {})}
    if required := schema.get("required"):
        ordered["required"] = required
    return ordered


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    raw = model.model_json_schema(by_alias=True, mode="serialization")
    schema = _flat(raw, raw.get("$defs", {}))
    return {key: value for key, value in schema.items() if key != "description"}


def _flat(node: Any, defs: dict[str, Any]) -> Any:
    """Inline references; an optional value is an absent one; only inclusive bounds."""
    if isinstance(node, list):
        return [_flat(item, defs) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        target = defs[str(reference).rpartition("/")[2]]
        return _flat(target | {key: value for key, value in node.items() if key != "$ref"}, defs)
    if options := node.get("anyOf"):
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _flat(_single(options) | rest, defs)
    return _kept(node, defs)


def _single(options: list[dict[str, Any]]) -> dict[str, Any]:
    real = [option for option in options if option.get("type") != "null"]
    if len(real) != 1:
        raise ValueError(f"a flat schema has one type a field, not {len(real)}")
    return real[0]


def _kept(node: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key in _DROPPED and not (key == "title" and isinstance(value, dict)):
            continue
        if key == "default" and value in (None, [], ()):
            continue
        if key == "properties":
            kept[key] = {name: _flat(child, defs) for name, child in value.items()}
        elif key == "const":
            kept["enum"] = [value]
        else:
            kept[key] = _flat(value, defs)
    return kept
