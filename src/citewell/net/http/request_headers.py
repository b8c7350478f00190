"""The headers of every request, with an honest User-Agent."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError

import citewell
from citewell.net.http.content_decoding import ACCEPT_ENCODING

USER_AGENT_PRODUCT = "citewell"  # the user-agent token for rules in robots.txt


# Sites that refuse pages to clients whose User-Agent names nobody to write to.
_CONTACT_SITES = ("sec.gov",)
_CONTACT_SETTINGS = ("EDGAR_CONTACT_EMAIL", "OPENALEX_EMAIL")  # also given for such sites


def find_operator_contact(contact: str | None, raw: Mapping[str, str]) -> str | None:
    """The operator's contact: CITEWELL_CONTACT, or a mail address given for one service."""
    given = (raw.get(name, "") for name in _CONTACT_SETTINGS)
    return contact or next((mail for mail in given if "@" in mail), None)


def build_contact_headers(host: str, contact: str | None) -> Mapping[str, str]:
    """The User-Agent with the contact, for a page of a site that wants one; else no header."""
    asks = any(host == site or host.endswith(f".{site}") for site in _CONTACT_SITES)
    return {"user-agent": build_user_agent(contact)} if asks and contact else {}


def build_default_headers(user_agent: str | None) -> Mapping[str, str]:
    """Headers for any request; `user_agent` replaces our own if it is given."""
    return {
        "user-agent": user_agent or build_user_agent(),
        "accept": "*/*",
        "accept-language": "en;q=0.9, *;q=0.5",
        "accept-encoding": ACCEPT_ENCODING,
    }


def build_user_agent(contact: str | None = None) -> str:
    """Our User-Agent; `contact` is the operator's mail address or page."""
    try:
        version = citewell.__version__
    except PackageNotFoundError:  # running from a source tree that is not installed
        version = "dev"
    about = f"+{contact.strip()}" if contact and contact.isprintable() else "research server"
    return f"{USER_AGENT_PRODUCT}/{version} ({about})"
