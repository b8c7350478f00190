"""Renders the reference page that says, for each tool and provider, who applies which filter."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.ports import ProviderSpec
from citewell.server.reference.page_markdown import join_page_parts, render_reference_table
from citewell.server.reference.providers_page import describe_required_settings
from citewell.services.routing.tool_providers import TOOL_PROVIDERS, ToolProviders

_FILTERS_INTRO = (
    "Who serves each search tool, what that provider needs, and how each argument that narrows a search takes effect: "
    "*native* means that the provider applies it itself, *afterwards* that we apply it to its results and the answer "
    "says so, *not possible* that it has no effect with this provider, which the answer says as well."
)


def render_filters_page(specs: Sequence[ProviderSpec]) -> str:
    return join_page_parts(
        "Tools, providers and filters",
        _FILTERS_INTRO,
        *(_render_tool_section(tool, served, specs) for tool, served in TOOL_PROVIDERS.items()),
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
            render_reference_table(headings, rows),
            *([last] if served.without_provider else []),
        )
    )
