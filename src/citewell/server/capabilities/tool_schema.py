"""Builds a tool's wire form, with flat schemas that every client accepts and a model reads cheaply."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import BaseModel

from citewell.core.tooling import Tool, ToolArguments
from citewell.core.values.wire_values import KEPT_NULL_KEYWORD
from citewell.server.call_answers import LINK_SCHEMA

_OMITTED_KEYWORDS = ("title", "additionalProperties", "format", "$defs")
_FIRST_LEVEL_KEYWORDS = ("type", "enum")


def build_tool_wire(name: str, tool: Tool) -> dict[str, Any]:
    """The tool's entry in `tools/list`."""
    wire: dict[str, Any] = {
        "name": name,
        "title": tool.title or name.replace("_", " ").capitalize(),
        "description": " ".join(inspect.cleandoc(tool.args.__doc__ or "").split()),
        "inputSchema": build_input_schema(tool.args),
    }
    wire["outputSchema"] = build_published_schema(tool)
    wire["annotations"] = {
        "readOnlyHint": tool.read_only,
        "destructiveHint": False,
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.open_world,
    }
    return wire


def build_input_schema(model: type[ToolArguments]) -> dict[str, Any]:
    raw = model.model_json_schema(by_alias=True)
    schema = _flatten_schema(raw, raw.get("$defs", {}))
    ordered: dict[str, Any] = {"type": "object", "properties": schema.get("properties", {})}
    if required := schema.get("required"):
        ordered["required"] = required
    return ordered


def build_output_schema(model: type[BaseModel]) -> dict[str, Any]:
    raw = model.model_json_schema(by_alias=True, mode="serialization")
    schema = _flatten_schema(raw, raw.get("$defs", {}))
    return {key: value for key, value in schema.items() if key != "description"}


def build_published_schema(tool: Tool) -> dict[str, Any]:
    """The output schema in `tools/list`: of a tool that can link, only the first level, to stay short.

    It also describes the keys that a linked result has besides its own.
    """
    schema = build_output_schema(tool.result)
    if tool.is_always_inline:
        return schema
    own = {name: _keep_first_level(child) for name, child in schema["properties"].items()}
    return {**schema, "properties": LINK_SCHEMA | own}


def _keep_first_level(node: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in node.items() if name in _FIRST_LEVEL_KEYWORDS}
    return kept | ({"items": _keep_first_level(node["items"])} if "items" in node else {})


def _flatten_schema(node: Any, defs: dict[str, Any]) -> Any:
    """The schema with `$ref` inlined and `anyOf` with null reduced to its one other type."""
    if isinstance(node, list):
        return [_flatten_schema(item, defs) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        target = defs[str(reference).rpartition("/")[2]]
        return _flatten_schema(
            target | {key: value for key, value in node.items() if key != "$ref"}, defs
        )
    if options := node.get("anyOf"):
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        keeps_null = rest.pop(KEPT_NULL_KEYWORD, False)
        flat = _flatten_schema(_require_single_type(options) | rest, defs)
        return flat | ({"type": [flat["type"], "null"]} if keeps_null else {})
    return _clean_schema_node(node, defs)


def _require_single_type(options: list[dict[str, Any]]) -> dict[str, Any]:
    real = [option for option in options if option.get("type") != "null"]
    if len(real) > 1 and all("$ref" in option for option in real):
        return {"type": "object"}  # one of several kinds of object; a flat schema says no more
    if len(real) != 1:
        raise ValueError(f"a field of a flat schema must have one type, not {len(real)}")
    return real[0]


def _clean_schema_node(node: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key in _OMITTED_KEYWORDS and not (key == "title" and isinstance(value, dict)):
            continue
        if key == "default" and value in (None, [], ()):
            continue
        if key == "properties":
            kept[key] = {name: _flatten_schema(child, defs) for name, child in value.items()}
        elif key == "const":
            kept["enum"] = [value]
        else:
            kept[key] = _flatten_schema(value, defs)
    return kept
