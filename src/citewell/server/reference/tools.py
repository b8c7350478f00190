"""The page of tools: what each is for, takes and returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewell import tools
from citewell.server.reference import BUDGET_ALL, BUDGET_DEFAULT, tokens
from citewell.server.reference.markdown import code, codes, document, shown, table
from citewell.server.schema import output_schema
from citewell.tooling import Tool

_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "up to {} characters",
    "maxItems": "up to {}",
}


def page(entries: Sequence[Mapping[str, Any]]) -> str:
    default = sum(tokens(entry["wire"]) for entry in entries if entry["default"])
    every = sum(tokens(entry["wire"]) for entry in entries)
    intro = (
        f"The default profile costs a client {default} tokens of at most {BUDGET_DEFAULT}, all tools {every} of at most "
        f"{BUDGET_ALL}: name, description and input schema, four bytes to a token. An optional argument is left out "
        'or null; `"5"` for a number, `"true"` for a flag and a JSON string for a list are understood.'
    )
    overview = table(
        ("Tool", "Toolset", "Default", "Changes something", "Tokens"),
        [
            (
                f"[{entry['name']}](#{entry['name']})",
                entry["toolset"],
                "yes" if entry["default"] else "no",
                "no" if entry["readOnly"] else "yes",
                str(tokens(entry["wire"])),
            )
            for entry in entries
        ],
    )
    return document(
        "Tools", intro, overview, *(_section(entry, tools.load(entry["name"])) for entry in entries)
    )


def _section(entry: Mapping[str, Any], tool: Tool) -> str:
    wire = entry["wire"]
    parts = [
        f"## {entry['name']}",
        wire["description"],
        _conduct(tool),
        _arguments(wire["inputSchema"], tool),
        _result(tool),
    ]
    return "\n\n".join(part for part in parts if part)


def _conduct(tool: Tool) -> str:
    kept = (
        f"An answer may be reused for {tool.ttl:g} seconds."
        if tool.ttl
        else "Answers are not reused."
    )
    reach = " Reaches outside the machine." if tool.open_world else " Stays on this machine."
    return kept + reach


def _arguments(schema: Mapping[str, Any], tool: Tool) -> str:
    required = schema.get("required", ())
    others = {names[0]: names[1:] for names in tool.args.names().values()}
    rows = [
        (
            code(name),
            _kind(field),
            _default(field, needed=name in required),
            _meaning(field, others.get(name, ())),
        )
        for name, field in schema["properties"].items()
    ]
    return table(("Argument", "Type", "Default", "Meaning"), rows)


def _kind(field: Mapping[str, Any]) -> str:
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {})) or 'values'}"
    return str(field.get("type", ""))


def _default(field: Mapping[str, Any], *, needed: bool) -> str:
    return "required" if needed else code(shown(field.get("default")))


def _meaning(field: Mapping[str, Any], aliases: Sequence[str]) -> str:
    said = field.get("description", "")
    bounds = [
        words.format(field[bound])
        for bound, words in _BOUNDS.items()
        if bound in field and str(field[bound]) not in said
    ]
    parts = [
        said,
        f"One of {codes(field['enum'])}." if "enum" in field else "",
        f"{', '.join(bounds).capitalize()}." if bounds else "",
        f"Also accepted as {codes(aliases)}." if aliases else "",
    ]
    return " ".join(part for part in parts if part)


def _result(tool: Tool) -> str:
    schema = output_schema(tool.result)
    rows = [(code(path), kind) for path, kind in _fields(schema)]
    return "Returns:\n\n" + table(("Field", "Type"), rows) if rows else ""


def _fields(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each field by its dotted path; lists of objects are followed into one of them."""
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path, listed = f"{prefix}{name}", field.get("type") == "array"
        yield path, _kind(field) + _presence(field, required=name in required)
        yield from _fields(
            field.get("items", {}) if listed else field, path + ("[]." if listed else ".")
        )


def _presence(field: Mapping[str, Any], *, required: bool) -> str:
    """An absent value is left out of the wire form; one with a default is always there."""
    if required or "default" in field:
        return ""
    return ", may be empty or absent" if field.get("type") == "array" else ", may be absent"
