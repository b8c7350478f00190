"""The headers of every request, with an honest User-Agent."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError

import citewell
from citewell.net.http.content_decoding import ACCEPT_ENCODING

USER_AGENT_PRODUCT = "citewell"  # the user-agent token for rules in robots.txt


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
