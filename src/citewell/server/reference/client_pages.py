"""Renders the reference pages of what a client meets: tools, prompts and errors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewell.core import errors
from citewell.core import tooling as tools
from citewell.core.errors import CitewellError
from citewell.core.tooling import Tool
from citewell.core.values.counted_words import describe_duration, pluralize
from citewell.server.capabilities.prompts import PROMPTS, PromptTemplate
from citewell.server.capabilities.tool_schema import build_output_schema
from citewell.server.reference import MAX_ALL_TOKENS, MAX_DEFAULT_TOKENS, estimate_tool_tokens
from citewell.server.reference.page_markdown import (
    format_code,
    format_code_list,
    format_default,
    join_page_parts,
    render_reference_table,
)

_ERRORS_INTRO = (
    "A failed call has `isError` set. Its text is one plain sentence, a blank line, and a JSON object "
    '`{"error": {"kind", "retryable", "retryAfterSeconds", "suggestedAction", "provider", "alternatives"}}`; what is '
    "not known is left out. The errors of deep research (those with a code) are one JSON object "
    '`{"error": CODE, "message", "kind", "retryable", …}` with the fields their tool promises. '
    "An empty result is no error: it carries `hints` that say why nothing came."
)

_PROMPTS_INTRO = (
    "A prompt leads a model through the tools for one kind of task. Clients show them as commands. "
    "It is offered only where all the tools that it needs are."
)

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
        *(_render_tool_section(entry, tools.load_tool(entry["name"])) for entry in entries),
    )


def _render_tool_section(entry: Mapping[str, Any], tool: Tool) -> str:
    wire = entry["wire"]
    schema = build_output_schema(tool.result)
    fields = [(format_code(path), kind) for path, kind in _list_schema_fields(schema)]
    parts = [
        f"## {entry['name']}",
        wire["description"],
        _describe_tool_reach(tool),
        _render_arguments_table(wire["inputSchema"], tool),
        "Returns:\n\n" + render_reference_table(("Field", "Type"), fields) if fields else "",
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
            "required" if name in required else format_code(format_default(field.get("default"))),
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


def _describe_tool_argument(field: Mapping[str, Any], aliases: Sequence[str]) -> str:
    meaning = field.get("description", "")
    bounds = [
        words.format(field[bound])
        for bound, words in _SCHEMA_BOUND_PHRASES.items()
        if bound in field and str(field[bound]) not in meaning
    ]
    parts = [
        meaning,
        f"One of {format_code_list(field['enum'])}." if "enum" in field else "",
        f"{', '.join(bounds).capitalize()}." if bounds else "",
        f"Also accepted as {format_code_list(aliases)}." if aliases else "",
    ]
    return " ".join(part for part in parts if part)


def _list_schema_fields(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each field's dotted path and type, including the fields of objects inside lists."""
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path, listed = f"{prefix}{name}", "items" in field
        presence = ""  # a field with a default is always present in the wire form
        if name not in required and "default" not in field:
            presence = ", may be empty or absent" if listed else ", may be absent"
        yield path, _describe_schema_type(field) + presence
        yield from _list_schema_fields(
            field.get("items", {}) if listed else field, path + ("[]." if listed else ".")
        )


# Renders the reference page of prompts.


def render_prompts_page() -> str:
    return join_page_parts("Prompts", _PROMPTS_INTRO, *map(_render_prompt_section, PROMPTS))


def _render_prompt_section(prompt: PromptTemplate) -> str:
    rows = [
        (
            format_code(item.name),
            "required" if item.required else format_code(item.default),
            f"{item.description}."
            + (f" One of {format_code_list(item.choices)}." if item.choices else ""),
        )
        for item in prompt.arguments
    ]
    needs = f"Needs {format_code_list(prompt.tools)}."
    return f"## {prompt.name}\n\n{prompt.description} {needs}\n\n{render_reference_table(('Argument', 'Default', 'Meaning'), rows)}"


# Renders the reference page of errors: each kind, whether to retry, and what to do.


def render_errors_page() -> str:
    classes = sorted(list_error_classes(), key=lambda cls: (cls.kind, cls.__name__))
    overview = render_reference_table(
        ("Kind", "Error", "When", "Retry", "Suggested action", "Code"),
        [
            (
                format_code(cls.kind),
                cls.__name__,
                " ".join((cls.__dict__.get("__doc__") or "").split()),
                _describe_retry(cls),
                format_code(cls.action),
                format_code(cls.code) if cls.code else "",
            )
            for cls in classes
        ],
    )
    kinds = format_code_list(sorted({cls.kind for cls in classes}))
    actions = format_code_list(sorted({cls.action for cls in classes}))
    return join_page_parts(
        "Errors", _ERRORS_INTRO, overview, f"Kinds: {kinds}.", f"Actions: {actions}."
    )


def list_error_classes() -> Iterator[type[CitewellError]]:
    """All error classes that can reach a caller, which leaves out the two base classes."""
    for cls in vars(errors).values():
        if (
            inspect.isclass(cls)
            and issubclass(cls, CitewellError)
            and cls not in {CitewellError, errors.UpstreamError}
        ):
            yield cls


def _describe_retry(cls: type[CitewellError]) -> str:
    if not cls.retryable:
        return "no"
    return (
        f"yes, after {cls.default_delay:g} s unless it says otherwise"
        if cls.default_delay
        else "yes"
    )
