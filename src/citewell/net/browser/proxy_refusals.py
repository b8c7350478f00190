"""Detects error responses of our own proxy, which look like the site's over plain HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.errors import CitewellError, FailureReason, NetworkFailed, RefusedByPolicy

# Error types of the Proxy-Status header (RFC 9209).
PROHIBITED_ERROR_TYPE = "destination_ip_prohibited"
UNAVAILABLE_ERROR_TYPE = "destination_unavailable"
_REASONS_BY_ERROR_TYPE = {
    "dns_error": FailureReason.DNS,
    "connection_timeout": FailureReason.TIMEOUT,
    UNAVAILABLE_ERROR_TYPE: FailureReason.CONNECT,
}

_PROXY_STATUS_PREFIX = "citewell;"


def choose_error_type(error: CitewellError | TimeoutError) -> str:
    """The type under which the proxy reports that it could not connect."""
    reason = error.reason if isinstance(error, CitewellError) else FailureReason.TIMEOUT
    found = (kind for kind, known in _REASONS_BY_ERROR_TYPE.items() if known is reason)
    return next(found, UNAVAILABLE_ERROR_TYPE)


def check_proxy_status(host: str, headers: Mapping[str, str]) -> None:
    """Raise the error that our proxy reported; do nothing for a response from the site."""
    said = headers.get("proxy-status", "")
    if not said.startswith(_PROXY_STATUS_PREFIX):
        return
    kind = said.partition("error=")[2].strip()
    if kind == PROHIBITED_ERROR_TYPE:
        raise RefusedByPolicy(f"{host} does not lead to a public address.")
    reason = _REASONS_BY_ERROR_TYPE.get(kind, FailureReason.PROXY)
    raise NetworkFailed(f"The connection to {host} failed.", reason=reason)
