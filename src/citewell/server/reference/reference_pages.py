"""Renders the reference pages: tools, prompts, errors, providers, the filters that they apply, lenses."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewell.core import errors, tooling
from citewell.core.values.counted_words import describe_duration, pluralize
from citewell.routing.ports import Offer, ProviderSpec, ToolProviders
from citewell.search.lenses import SearchLens
from citewell.server import reference
from citewell.server.capabilities.prompts import PROMPTS, PromptTemplate
from citewell.server.capabilities.tool_schema import build_output_schema
from citewell.server.reference import setting_files as settings_page

_FILTERS_INTRO = (
    "Who serves each search tool, what that provider needs, and how each argument that narrows a search takes effect: "
    "*native* means that the provider applies it itself, *afterwards* that we apply it to its results and the answer "
    "says so, *not possible* that it has no effect with this provider, which the answer says as well."
)

_LENSES_INTRO = (
    "A lens narrows a search to authoritative hosts of one field: `lens` of web_search, `--lens` on the command line. "
    "Own lenses are JSON files in the directory that `CUSTOM_LENSES_PATH` names; see [the guide](../lenses.md)."
)

_PROVIDERS_INTRO = (
    "Without any setting the providers that need no key are asked, in the order of this table. A filter that a provider "
    "does not apply itself is applied to its results afterwards, and the answer says so."
)


def render_providers_page(specs: Sequence[ProviderSpec]) -> str:
    ordered = sorted(specs, key=lambda spec: (not spec.covers_whole_web, spec.rank, spec.name))
    overview = reference.render_reference_table(
        ("Provider", "Offers", "Needs", "Filters it applies itself", "Most results"),
        [
            (
                f"[{spec.name}](#{spec.name})",
                ", ".join(sorted(spec.offers)),
                describe_required_settings(spec),
                ", ".join(sorted(spec.filters)) or "none",
                str(spec.max_results),
            )
            for spec in ordered
        ],
    )
    return reference.join_page_parts(
        "Providers", _PROVIDERS_INTRO, overview, *map(_render_provider_section, ordered)
    )


def describe_required_settings(spec: ProviderSpec) -> str:
    """The settings without which the provider cannot be used."""
    required = [option.env for option in spec.options if option.required]
    if required:
        return reference.format_code_list(required)
    if spec.requires_any:
        return " or ".join(f"`{env}`" for env in spec.requires_any)
    return "nothing"


def _describe_search_scope(spec: ProviderSpec) -> str:
    if Offer.WEB not in spec.offers:
        return ""
    if spec.covers_whole_web:
        return "Searches the whole web."
    return "Searches less than the whole web; asked after the others."


def _render_provider_section(spec: ProviderSpec) -> str:
    heading = f"[{spec.title}]({spec.homepage})" if spec.homepage else spec.title
    scope, pace = _describe_search_scope(spec), ""
    if spec.per_second is not None:
        pace = f"Pace: {spec.per_second:g} a second, unless its answers say otherwise."
    terms = f"Terms: {spec.terms}" if spec.terms else ""
    parts = [
        f"## {spec.name}",
        f"{heading}. {scope} {pace}".strip(),
        f"{terms} Tested against: {spec.test_evidence.rstrip('.')}.".strip(),
        settings_page.render_settings_table(settings_page.list_provider_entries(spec)),
    ]
    return "\n\n".join(part for part in parts if part)


# Renders the reference page of lenses: each with its hosts.


def render_lenses_page(lenses: Sequence[SearchLens]) -> str:
    overview = reference.render_reference_table(
        ("Lens", "Hosts", "Provider", "What it is for"),
        [
            (
                reference.format_code(lens.name),
                str(len(lens.domains)),
                lens.required_provider or "any",
                lens.description,
            )
            for lens in lenses
        ],
    )
    return reference.join_page_parts(
        "Lenses", _LENSES_INTRO, overview, *map(_render_lens_section, lenses)
    )


def _render_lens_section(lens: SearchLens) -> str:
    parts = [
        f"## {lens.name}",
        reference.format_code_list(lens.domains),
        f"Goggle: {reference.format_code(lens.goggle)}" if lens.goggle else "",
    ]
    return "\n\n".join(part for part in parts if part)


# Renders the reference page that says, for each tool and provider, who applies which filter.


def render_filters_page(specs: Sequence[ProviderSpec]) -> str:
    return reference.join_page_parts(
        "Tools, providers and filters",
        _FILTERS_INTRO,
        *(
            _render_tool_filters(tool, served, specs)
            for tool, served in tooling.load_tool_providers().items()
        ),
    )


def _render_tool_filters(tool: str, served: ToolProviders, specs: Sequence[ProviderSpec]) -> str:
    able = sorted(
        (spec for spec in specs if served.offer in spec.offers and spec.base_url),
        key=lambda spec: (not spec.covers_whole_web, spec.rank, spec.name),
    )
    rows = [
        (
            f"[{spec.name}](providers.md#{spec.name})",
            describe_required_settings(spec),
            *(served.describe_filter(spec, argument) for argument in served.filters),
        )
        for spec in able
    ]
    headings = ("Provider", "Needs", *(f"`{argument}`" for argument in served.filters))
    last = f"If none of them answers or is set up: {served.without_provider}."
    return "\n\n".join(
        (
            f"## {tool}",
            reference.render_reference_table(headings, rows),
            *([last] if served.without_provider else []),
        )
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
        reference.estimate_tool_tokens(entry["wire"])
        for entry in entries
        if entry["default"] and not entry["requiredSetting"]
    )
    every = sum(reference.estimate_tool_tokens(entry["wire"]) for entry in entries)
    intro = (
        f"The default profile costs a client {default} {pluralize(default, 'token')} of at most {reference.MAX_DEFAULT_TOKENS}, all tools {every} of at most "
        f"{reference.MAX_ALL_TOKENS}: name, description and input schema, four bytes to a token. An optional argument is left out "
        'or null; `"5"` for a number, `"true"` for a flag and a JSON string for a list are understood.'
    )
    overview = reference.render_reference_table(
        ("Tool", "Toolset", "Default", "Changes something", "Tokens"),
        [
            (
                f"[{entry['name']}](#{entry['name']})",
                entry["toolset"],
                describe_default(entry),
                "no" if entry["readOnly"] else "yes",
                str(reference.estimate_tool_tokens(entry["wire"])),
            )
            for entry in entries
        ],
    )
    return reference.join_page_parts(
        "Tools",
        intro,
        overview,
        *(_render_tool_section(entry, tooling.load_tool(entry["name"])) for entry in entries),
    )


def _render_tool_section(entry: Mapping[str, Any], tool: tooling.Tool) -> str:
    wire = entry["wire"]
    schema = build_output_schema(tool.result)
    fields = [(reference.format_code(path), kind) for path, kind in _list_schema_fields(schema)]
    parts = [
        f"## {entry['name']}",
        wire["description"],
        _describe_tool_reach(tool),
        _render_arguments_table(wire["inputSchema"], tool),
        "Returns:\n\n" + reference.render_reference_table(("Field", "Type"), fields)
        if fields
        else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _describe_tool_reach(tool: tooling.Tool) -> str:
    kept = (
        f"An answer may be reused for {describe_duration(tool.ttl_seconds)}."
        if tool.ttl_seconds
        else "Answers are not reused."
    )
    reach = " Reaches outside the machine." if tool.open_world else " Stays on this machine."
    return kept + reach


def _render_arguments_table(schema: Mapping[str, Any], tool: tooling.Tool) -> str:
    required = schema.get("required", ())
    others = {names[0]: names[1:] for names in tool.args.list_argument_names().values()}
    rows = [
        (
            reference.format_code(name),
            _describe_schema_type(field),
            "required"
            if name in required
            else reference.format_code(reference.format_default(field.get("default"))),
            _describe_tool_argument(field, others.get(name, ())),
        )
        for name, field in schema["properties"].items()
    ]
    return reference.render_reference_table(("Argument", "Type", "Default", "Meaning"), rows)


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
        f"One of {reference.format_code_list(field['enum'])}." if "enum" in field else "",
        f"{', '.join(bounds).capitalize()}." if bounds else "",
        f"Also accepted as {reference.format_code_list(aliases)}." if aliases else "",
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
    return reference.join_page_parts(
        "Prompts", _PROMPTS_INTRO, *map(_render_prompt_section, PROMPTS)
    )


def _render_prompt_section(prompt: PromptTemplate) -> str:
    rows = [
        (
            reference.format_code(item.name),
            "required" if item.required else reference.format_code(item.default),
            f"{item.description}."
            + (f" One of {reference.format_code_list(item.choices)}." if item.choices else ""),
        )
        for item in prompt.arguments
    ]
    needs = f"Needs {reference.format_code_list(prompt.tools)}."
    return f"## {prompt.name}\n\n{prompt.description} {needs}\n\n{reference.render_reference_table(('Argument', 'Default', 'Meaning'), rows)}"


# Renders the reference page of errors: each kind, whether to retry, and what to do.


def render_errors_page() -> str:
    classes = sorted(list_error_classes(), key=lambda cls: (cls.kind, cls.__name__))
    overview = reference.render_reference_table(
        ("Kind", "Error", "When", "Retry", "Suggested action", "Code"),
        [
            (
                reference.format_code(cls.kind),
                cls.__name__,
                " ".join((cls.__dict__.get("__doc__") or "").split()),
                _describe_retry(cls),
                reference.format_code(cls.action),
                reference.format_code(cls.code) if cls.code else "",
            )
            for cls in classes
        ],
    )
    kinds = reference.format_code_list(sorted({cls.kind for cls in classes}))
    actions = reference.format_code_list(sorted({cls.action for cls in classes}))
    return reference.join_page_parts(
        "Errors", _ERRORS_INTRO, overview, f"Kinds: {kinds}.", f"Actions: {actions}."
    )


def list_error_classes() -> Iterator[type[errors.CitewellError]]:
    """All error classes that can reach a caller, which leaves out the two base classes."""
    for cls in vars(errors).values():
        if (
            inspect.isclass(cls)
            and issubclass(cls, errors.CitewellError)
            and cls not in {errors.CitewellError, errors.UpstreamError}
        ):
            yield cls


def _describe_retry(cls: type[errors.CitewellError]) -> str:
    if not cls.retryable:
        return "no"
    return (
        f"yes, after {cls.default_delay:g} s unless it says otherwise"
        if cls.default_delay
        else "yes"
    )
