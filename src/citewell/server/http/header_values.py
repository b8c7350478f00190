"""The headers of a request by name, sorted once for all layers that ask."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from citewell.server.http.refusals import RawHeader

_SCOPE_KEY = "citewell.headers"  # where the sorted headers stand in the ASGI scope of a request

_SortedHeaders = dict[bytes, tuple[bytes, ...]]


def find_header_values(scope: MutableMapping[str, Any], name: bytes) -> tuple[bytes, ...]:
    """All values of a header in their order; `name` is in lower case, as ASGI servers give names."""
    headers, known = scope["headers"], scope.get(_SCOPE_KEY)
    if known is None or known[0] is not headers:  # a layer may have replaced them
        known = scope[_SCOPE_KEY] = (headers, _sort_headers(headers))
    found: tuple[bytes, ...] = known[1].get(name, ())
    return found


def _sort_headers(headers: Sequence[RawHeader]) -> _SortedHeaders:
    known: _SortedHeaders = {name: (value,) for name, value in headers}
    if len(known) == len(headers):
        return known
    return {name: tuple(value for key, value in headers if key == name) for name in known}
