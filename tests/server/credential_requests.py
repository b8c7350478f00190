"""Requests with credentials, for tests."""

from __future__ import annotations

from typing import Any

Headers = list[tuple[str, str]]


def build_scope(
    headers: Headers | None = None, *, query: str = "", client: Any = ("10.0.0.1", 5000)
) -> dict[str, Any]:
    return {
        "type": "http",
        "query_string": query.encode(),
        "client": client,
        "headers": [(name.encode(), value.encode()) for name, value in headers or []],
    }
