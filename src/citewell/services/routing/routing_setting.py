"""What the settings say of providers: their order, and who alone may see a query."""

from __future__ import annotations

import json

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.ports import LIBRARY_PROVIDER

ROUTED_CAPABILITIES = ("web", "images", "news", "academic", "patents", "default")
ROUTING_SETTING = "SEARCH_ROUTING"


def find_query_receivers(settings: Settings) -> frozenset[str] | None:
    """The providers that may see a query; None if every configured one may.

    The profile searxng allows SearXNG and whom the routing settings name, unless a list is set.
    Raises Misconfigured if SEARCH_ROUTING is invalid.
    """
    if not settings.is_sealed:
        return None
    listed = {name.lower() for name in settings.query_providers}
    return frozenset(listed or {settings.profile, *_list_named_providers(settings)})


def is_library_routed_alone(settings: Settings) -> bool:
    """Whether SEARCH_ROUTING names nothing but the library; raises Misconfigured if it is invalid."""
    routed = bool((settings.search_routing or "").strip())
    return routed and _list_named_providers(settings) == {LIBRARY_PROVIDER}


def parse_routing_lists(text: str) -> dict[str, tuple[str, ...]]:
    if text[0] not in "{[":
        return {"default": _parse_provider_names("the list", text.split(","))}
    try:
        body = json.loads(text)
    except ValueError as error:
        raise _build_routing_error(f"it is not JSON ({error})") from None
    if isinstance(body, list):
        return {"default": _parse_provider_names("the list", body)}
    unknown = sorted(set(body) - set(ROUTED_CAPABILITIES))
    if unknown:
        raise _build_routing_error(
            f"{', '.join(map(repr, unknown))} is not a capability; {_describe_capabilities()}"
        )
    return {
        capability: _parse_provider_names(repr(capability), given)
        for capability, given in body.items()
    }


def _parse_provider_names(place: str, given: object) -> tuple[str, ...]:
    items = given.split(",") if isinstance(given, str) else given
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise _build_routing_error(f"{place} must hold provider names")
    names = keep_distinct_names(*(item.strip().lower() for item in items if item.strip()))
    if not names:
        raise _build_routing_error(f"{place} is empty")
    return names


def _build_routing_error(problem: str) -> Misconfigured:
    return Misconfigured(
        f"{ROUTING_SETTING} cannot be used: {problem}. Write a comma list such as brave,duckduckgo, or"
        ' JSON such as {"web": ["brave"], "default": ["duckduckgo"]}.',
        action="inform_user",
    )


def _describe_capabilities() -> str:
    return f"it takes {', '.join(ROUTED_CAPABILITIES)}"


def keep_distinct_names(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _list_named_providers(settings: Settings) -> set[str]:
    """Every provider that SEARCH_PROVIDER and SEARCH_ROUTING name."""
    first = (settings.search_provider or "").strip().lower()
    text = (settings.search_routing or "").strip()
    lists = parse_routing_lists(text) if text else {}
    return {first, *(name for names in lists.values() for name in names)} - {""}
