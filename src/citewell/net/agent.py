"""Who we say we are: an honest name, and the headers every request carries."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError

import citewell
from citewell.net.inflate import ACCEPT

PRODUCT = "citewell"  # the token that robots.txt files can address


def default_headers(user_agent: str | None) -> Mapping[str, str]:
    """Headers for any request; `user_agent` takes the place of our own name."""
    return {
        "user-agent": user_agent or _own_name(),
        "accept": "*/*",
        "accept-language": "en;q=0.9, *;q=0.5",
        "accept-encoding": ACCEPT,
    }


def _own_name() -> str:
    try:
        version = citewell.__version__
    except PackageNotFoundError:  # run from a source tree that is not installed
        version = "dev"
    return f"{PRODUCT}/{version} (research server)"
