"""The country of a host by its top-level domain, where that says something."""

from __future__ import annotations

from citewell.text.language.locale_codes import is_country_code

# Country domains that anybody registers for their sound: they say nothing about the publisher.
_GENERIC_COUNTRY_DOMAINS = frozenset(
    [
        "ac",
        "ad",
        "ag",
        "ai",
        "am",
        "as",
        "bz",
        "cc",
        "cd",
        "co",
        "dj",
        "fm",
        "gg",
        "gl",
        "gs",
        "im",
        "io",
        "la",
        "ly",
        "me",
        "ml",
        "ms",
        "mu",
        "nu",
        "pw",
        "sc",
        "sh",
        "so",
        "st",
        "tf",
        "tk",
        "to",
        "tv",
        "vc",
        "ws",
    ]
)
_UNITED_KINGDOM_DOMAIN = "uk"


def find_host_country(host: str) -> str | None:
    """ISO 3166-1 alpha-2 in upper case; None for .com and the like, and for domains used by all."""
    last = host.rpartition(".")[2].lower()
    if last == _UNITED_KINGDOM_DOMAIN:
        return "GB"
    code = last.upper()
    return code if last not in _GENERIC_COUNTRY_DOMAINS and is_country_code(code) else None
