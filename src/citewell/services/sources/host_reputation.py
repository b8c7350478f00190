"""The reliability of hosts, from a dated table; nothing is said about a host not in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

from citewell.model.search_results import SourceReputation


class HostReputations:
    """The reputation table, loaded on first use."""

    def __init__(self, table: Mapping[str, Any] | None = None) -> None:
        self._table = table
        self._known: dict[str, SourceReputation] | None = None

    def find_reputation(self, host: str) -> SourceReputation | None:
        """The entry of the host or of its nearest parent domain; None if there is none."""
        known = self._load_reputations()
        return next((known[name] for name in _iterate_parent_hosts(host) if name in known), None)

    def _load_reputations(self) -> dict[str, SourceReputation]:
        if self._known is None:
            table = _load_bundled_table() if self._table is None else self._table
            self._known = {
                host: SourceReputation(**entry, as_of=table["version"])
                for host, entry in table["domains"].items()
            }
        return self._known


def _load_bundled_table() -> Mapping[str, Any]:
    file = resources.files(__package__) / "reputation.json"
    table: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


def _iterate_parent_hosts(host: str) -> Iterator[str]:
    while host:
        yield host
        host = host.partition(".")[2]
