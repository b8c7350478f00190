"""What is known of a host's reliability, from a dated table; an unlisted host is unknown, not bad."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

from citewell.model.source import Reputation


class Reputations:
    """The table, read on first use."""

    def __init__(self, table: Mapping[str, Any] | None = None) -> None:
        self._table = table
        self._known: dict[str, Reputation] | None = None

    def of(self, host: str) -> Reputation | None:
        """The entry of the host or of the nearest domain above it."""
        known = self._entries()
        return next((known[name] for name in _upwards(host) if name in known), None)

    def _entries(self) -> dict[str, Reputation]:
        if self._known is None:
            table = _bundled() if self._table is None else self._table
            self._known = {
                host: Reputation(**entry, as_of=table["version"])
                for host, entry in table["domains"].items()
            }
        return self._known


def _bundled() -> Mapping[str, Any]:
    file = resources.files("citewell.services") / "data" / "reputation.json"
    table: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


def _upwards(host: str) -> Iterator[str]:
    while host:
        yield host
        host = host.partition(".")[2]
