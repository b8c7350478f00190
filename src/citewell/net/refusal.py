"""Tells an answer of our own proxy from a site's: to a client that speaks plain HTTP both look alike."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.errors import NetworkFailed, Refused

_OURS = "citewell;"


def check(host: str, headers: Mapping[str, str]) -> None:
    """Raise what our proxy said in the site's place; do nothing for the site's own answer."""
    said = headers.get("proxy-status", "")
    if not said.startswith(_OURS):
        return
    if said.endswith("prohibited"):
        raise Refused(f"{host} does not lead to a public address.")
    raise NetworkFailed(f"The connection to {host} failed.")
