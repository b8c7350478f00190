"""Detects error responses of our own proxy, which look like the site's over plain HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.errors import NetworkFailed, RefusedByPolicy

_PROXY_STATUS_PREFIX = "citewell;"


def check_proxy_status(host: str, headers: Mapping[str, str]) -> None:
    """Raise the error that our proxy reported; do nothing for a response from the site."""
    said = headers.get("proxy-status", "")
    if not said.startswith(_PROXY_STATUS_PREFIX):
        return
    if said.endswith("prohibited"):
        raise RefusedByPolicy(f"{host} does not lead to a public address.")
    raise NetworkFailed(f"The connection to {host} failed.")
