"""Renders the reference pages of providers, of the filters that they apply, and of lenses."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.core.tooling import load_tool_providers
from citewell.routing.ports import Offer, ProviderSpec, ToolProviders
from citewell.search.lenses import SearchLens
from citewell.server.reference import page_markdown
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
    overview = page_markdown.render_reference_table(
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
    return page_markdown.join_page_parts(
        "Providers", _PROVIDERS_INTRO, overview, *map(_render_provider_section, ordered)
    )


def describe_required_settings(spec: ProviderSpec) -> str:
    """The settings without which the provider cannot be used."""
    required = [option.env for option in spec.options if option.required]
    if required:
        return page_markdown.format_code_list(required)
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
    overview = page_markdown.render_reference_table(
        ("Lens", "Hosts", "Provider", "What it is for"),
        [
            (
                page_markdown.format_code(lens.name),
                str(len(lens.domains)),
                lens.required_provider or "any",
                lens.description,
            )
            for lens in lenses
        ],
    )
    return page_markdown.join_page_parts(
        "Lenses", _LENSES_INTRO, overview, *map(_render_lens_section, lenses)
    )


def _render_lens_section(lens: SearchLens) -> str:
    parts = [
        f"## {lens.name}",
        page_markdown.format_code_list(lens.domains),
        f"Goggle: {page_markdown.format_code(lens.goggle)}" if lens.goggle else "",
    ]
    return "\n\n".join(part for part in parts if part)


# Renders the reference page that says, for each tool and provider, who applies which filter.


def render_filters_page(specs: Sequence[ProviderSpec]) -> str:
    return page_markdown.join_page_parts(
        "Tools, providers and filters",
        _FILTERS_INTRO,
        *(
            _render_tool_section(tool, served, specs)
            for tool, served in load_tool_providers().items()
        ),
    )


def _render_tool_section(tool: str, served: ToolProviders, specs: Sequence[ProviderSpec]) -> str:
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
            page_markdown.render_reference_table(headings, rows),
            *([last] if served.without_provider else []),
        )
    )
