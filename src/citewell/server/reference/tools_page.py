"""Renders the reference page of tools: purpose, arguments and result of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewell import tools
from citewell.model.counted_words import describe_duration, pluralize
from citewell.server.capabilities.tool_schema import build_output_schema
from citewell.server.reference import MAX_ALL_TOKENS, MAX_DEFAULT_TOKENS, estimate_tool_tokens
from citewell.server.reference.page_markdown import (
    format_code,
    format_code_list,
    format_default,
    join_page_parts,
    render_reference_table,
)
from citewell.tooling import Tool

_SCHEMA_BOUND_PHRASES = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "up to {} characters",
    "maxItems": "up to {}",
}


def describe_default(entry: Mapping[str, Any]) -> str:
    """Whether the default profile offers the tool, and the setting it needs for that."""
    if entry["default"] and entry["requiredSetting"]:
        return f"with {entry['requiredSetting']}"
    return "yes" if entry["default"] else "no"


def render_tools_page(entries: Sequence[Mapping[str, Any]]) -> str:
    default = sum(
        estimate_tool_tokens(entry["wire"])
        for entry in entries
        if entry["default"] and not entry["requiredSetting"]
    )
    every = sum(estimate_tool_tokens(entry["wire"]) for entry in entries)
    intro = (
        f"The default profile costs a client {default} {pluralize(default, 'token')} of at most {MAX_DEFAULT_TOKENS}, all tools {every} of at most "
        f"{MAX_ALL_TOKENS}: name, description and input schema, four bytes to a token. An optional argument is left out "
        'or null; `"5"` for a number, `"true"` for a flag and a JSON string for a list are understood.'
    )
    overview = render_reference_table(
        ("Tool", "Toolset", "Default", "Changes something", "Tokens"),
        [
            (
                f"[{entry['name']}](#{entry['name']})",
                entry["toolset"],
                describe_default(entry),
                "no" if entry["readOnly"] else "yes",
                str(estimate_tool_tokens(entry["wire"])),
            )
            for entry in entries
        ],
    )
    return join_page_parts(
        "Tools",
        intro,
        overview,
        *(_render_tool_section(entry, tools.load(entry["name"])) for entry in entries),
    )


def _render_tool_section(entry: Mapping[str, Any], tool: Tool) -> str:
    wire = entry["wire"]
    parts = [
        f"## {entry['name']}",
        wire["description"],
        _describe_tool_reach(tool),
        _render_arguments_table(wire["inputSchema"], tool),
        _render_result_table(tool),
    ]
    return "\n\n".join(part for part in parts if part)


def _describe_tool_reach(tool: Tool) -> str:
    kept = (
        f"An answer may be reused for {describe_duration(tool.ttl_seconds)}."
        if tool.ttl_seconds
        else "Answers are not reused."
    )
    reach = " Reaches outside the machine." if tool.open_world else " Stays on this machine."
    return kept + reach


def _render_arguments_table(schema: Mapping[str, Any], tool: Tool) -> str:
    required = schema.get("required", ())
    others = {names[0]: names[1:] for names in tool.args.list_argument_names().values()}
    rows = [
        (
            format_code(name),
            _describe_schema_type(field),
            _format_argument_default(field, needed=name in required),
            _describe_tool_argument(field, others.get(name, ())),
        )
        for name, field in schema["properties"].items()
    ]
    return render_reference_table(("Argument", "Type", "Default", "Meaning"), rows)


def _describe_schema_type(field: Mapping[str, Any]) -> str:
    if "items" in field:
        return f"list of {_describe_schema_type(field.get('items', {})) or 'values'}"
    kind = field.get("type", "any value")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _format_argument_default(field: Mapping[str, Any], *, needed: bool) -> str:
    return "required" if needed else format_code(format_default(field.get("default")))


def _describe_tool_argument(field: Mapping[str, Any], aliases: Sequence[str]) -> str:
    said = field.get("description", "")
    bounds = [
        words.format(field[bound])
        for bound, words in _SCHEMA_BOUND_PHRASES.items()
        if bound in field and str(field[bound]) not in said
    ]
    parts = [
        said,
        f"One of {format_code_list(field['enum'])}." if "enum" in field else "",
        f"{', '.join(bounds).capitalize()}." if bounds else "",
        f"Also accepted as {format_code_list(aliases)}." if aliases else "",
    ]
    return " ".join(part for part in parts if part)


def _render_result_table(tool: Tool) -> str:
    schema = build_output_schema(tool.result)
    rows = [(format_code(path), kind) for path, kind in _list_schema_fields(schema)]
    return "Returns:\n\n" + render_reference_table(("Field", "Type"), rows) if rows else ""


def _list_schema_fields(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each field's dotted path and type, including the fields of objects inside lists."""
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path, listed = f"{prefix}{name}", "items" in field
        yield (
            path,
            _describe_schema_type(field)
            + _describe_field_presence(field, required=name in required),
        )
        yield from _list_schema_fields(
            field.get("items", {}) if listed else field, path + ("[]." if listed else ".")
        )


def _describe_field_presence(field: Mapping[str, Any], *, required: bool) -> str:
    """Whether the field may be absent; a field with a default is always present in the wire form."""
    if required or "default" in field:
        return ""
    return ", may be empty or absent" if "items" in field else ", may be absent"
