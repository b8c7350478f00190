"""Renders the reference page of providers: what each offers, its required settings and its terms."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.ports import Offer, ProviderSpec
from citewell.server.reference import settings_page
from citewell.server.reference.page_markdown import (
    format_code_list,
    join_page_parts,
    render_reference_table,
)

_PROVIDERS_INTRO = (
    "Without any setting the providers that need no key are asked, in the order of this table. A filter that a provider "
    "does not apply itself is applied to its results afterwards, and the answer says so."
)


def render_providers_page(specs: Sequence[ProviderSpec]) -> str:
    ordered = sorted(specs, key=lambda spec: (not spec.covers_whole_web, spec.rank, spec.name))
    overview = render_reference_table(
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
    return join_page_parts(
        "Providers", _PROVIDERS_INTRO, overview, *map(_render_provider_section, ordered)
    )


def describe_required_settings(spec: ProviderSpec) -> str:
    """The settings without which the provider cannot be used."""
    required = [option.env for option in spec.options if option.required]
    if required:
        return format_code_list(required)
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
    scope = _describe_search_scope(spec)
    parts = [
        f"## {spec.name}",
        f"{heading}. {scope} {_describe_provider_pace(spec)}".strip(),
        _describe_provider_terms(spec),
        settings_page.render_settings_table(settings_page.list_provider_entries(spec)),
    ]
    return "\n\n".join(part for part in parts if part)


def _describe_provider_pace(spec: ProviderSpec) -> str:
    if spec.per_second is None:
        return ""
    return f"Pace: {spec.per_second:g} a second, unless its answers say otherwise."


def _describe_provider_terms(spec: ProviderSpec) -> str:
    terms = f"Terms: {spec.terms}" if spec.terms else ""
    return f"{terms} Tested against: {spec.test_evidence.rstrip('.')}.".strip()
