"""The country of a host by its top-level domain, where that says something."""

from __future__ import annotations

from citewell.text.data_tables import load_table
from citewell.text.language.locale_codes import is_country_code

_UNITED_KINGDOM_DOMAIN = "uk"


def find_host_country(host: str) -> str | None:
    """ISO 3166-1 alpha-2 in upper case; None for .com and the like, and for domains used by all."""
    last = host.rpartition(".")[2].lower()
    if last == _UNITED_KINGDOM_DOMAIN:
        return "GB"
    # Country domains that anybody registers for their sound: they say nothing about the publisher.
    is_generic = last in load_table(__package__, "generic_country_domains")
    return None if is_generic or not is_country_code(last.upper()) else last.upper()
