"""Where an HTTP request came from, for the audit log."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from citewell.server.http.client_address import read_client_address
from citewell.server.http.header_values import find_header_values
from citewell.server.pipeline import CallOrigin


def find_call_origin(scope: MutableMapping[str, Any]) -> CallOrigin:
    """The address of the sender and the MCP session, as far as the request tells them."""
    address = read_client_address(scope)
    session = next(iter(find_header_values(scope, b"mcp-session-id")), b"")
    return CallOrigin(
        source_ip=str(address) if address else None,
        session_id=session.decode("latin-1")[:200] or None,
    )
