"""The page of providers: what each offers, needs and asks of its users."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.ports import Offer, Spec
from citewell.server.reference import settings
from citewell.server.reference.markdown import codes, document, table

_INTRO = (
    "Without any setting the providers that need no key are asked, in the order of this table. A filter that a provider "
    "does not apply itself is applied to its results afterwards, and the answer says so."
)


def page(specs: Sequence[Spec]) -> str:
    ordered = sorted(specs, key=lambda spec: (not spec.general, spec.rank, spec.name))
    overview = table(
        ("Provider", "Offers", "Needs", "Filters it applies itself", "Most results"),
        [
            (
                f"[{spec.name}](#{spec.name})",
                ", ".join(sorted(spec.offers)),
                needs(spec),
                ", ".join(sorted(spec.filters)) or "none",
                str(spec.max_results),
            )
            for spec in ordered
        ],
    )
    return document("Providers", _INTRO, overview, *map(_section, ordered))


def needs(spec: Spec) -> str:
    """What has to be set before it can be used."""
    required = [option.env for option in spec.options if option.required]
    if required:
        return codes(required)
    if spec.requires_any:
        return " or ".join(f"`{env}`" for env in spec.requires_any)
    return "nothing"


def _scope(spec: Spec) -> str:
    if Offer.WEB not in spec.offers:
        return ""
    if spec.general:
        return "Searches the whole web."
    return "Searches less than the whole web; asked after the others."


def _section(spec: Spec) -> str:
    heading = f"[{spec.title}]({spec.home})" if spec.home else spec.title
    scope = _scope(spec)
    parts = [
        f"## {spec.name}",
        f"{heading}. {scope} {_pace(spec)}".strip(),
        _asks(spec),
        settings.listed(settings.of(spec)),
    ]
    return "\n\n".join(part for part in parts if part)


def _pace(spec: Spec) -> str:
    if spec.per_second is None:
        return ""
    return f"Pace: {spec.per_second:g} a second, unless its answers say otherwise."


def _asks(spec: Spec) -> str:
    terms = f"Terms: {spec.terms}" if spec.terms else ""
    return f"{terms} Tested against: {spec.evidence.rstrip('.')}.".strip()
