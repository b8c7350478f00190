"""Copies of pages that the Internet Archive has: the nearest one, and the newest of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citewell.errors import BadShape
from citewell.net.message import Response
from citewell.net.network import Network

PUBLIC = "https://web.archive.org"
_MEMENTO = re.compile(r"/web/(\d{4,14})[a-z_]*/(.+)", re.DOTALL)
_STAMP = re.compile(r"\d{14}")
_PATIENCE = 8.0  # seconds for the index, which is slow on a bad day
_COLUMNS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    url: str
    timestamp: str  # fourteen digits, or the first of them

    @property
    def taken(self) -> datetime | None:
        return moment(self.timestamp)


class Wayback:
    def __init__(self, network: Network, *, availability: str, archive: str = PUBLIC) -> None:
        self._archive = archive.rstrip("/")
        self._available = network.upstream(
            "wayback", base_url=availability, per_second=2.0, burst=4
        )
        self._captures = network.upstream(
            "archive", base_url=self._archive, per_second=0.5, burst=2
        )

    async def nearest(self, url: str) -> Snapshot | None:
        """The copy the archive offers first; None when it has none."""
        answer: Any = (await self._available.get(params={"url": url})).parsed()
        return self._closest(answer)

    async def newest(self, url: str) -> Snapshot | None:
        """The latest good capture by the archive's index, which knows more than its first answer."""
        params = {
            "url": url,
            "output": "json",
            "fl": "original,timestamp,statuscode,mimetype",
            "filter": "!statuscode:[45]..",
            "limit": "-1",
        }
        response = await self._captures.get(
            "/cdx/search/cdx", params=params, timeout=_PATIENCE, retry=False
        )
        rows = [row for row in captures(response) if _STAMP.fullmatch(row.get("timestamp", ""))]
        best = max(rows, key=lambda row: row["timestamp"], default=None)
        return None if best is None else self.at(best["timestamp"], best.get("original") or url)

    def at(self, timestamp: str, url: str) -> Snapshot:
        return Snapshot(url=f"{self._archive}/web/{timestamp}/{url}", timestamp=timestamp)

    def read(self, address: str) -> Snapshot | None:
        """The snapshot that an address of the archive stands for; None for any other address."""
        for root in (self._archive, PUBLIC, PUBLIC.replace("https", "http")):
            match = _MEMENTO.fullmatch(address.removeprefix(root))
            if address.startswith(root) and match:
                shown = PUBLIC if root.startswith("http://web.archive") else root
                return Snapshot(url=f"{shown}/web/{match[1]}/{match[2]}", timestamp=match[1])
        return None

    def _closest(self, answer: Any) -> Snapshot | None:
        """Tolerant of every shape the archive has answered in."""
        snapshots = answer.get("archived_snapshots") if isinstance(answer, dict) else None
        closest = snapshots.get("closest") if isinstance(snapshots, dict) else None
        if not isinstance(closest, dict) or not closest.get("available"):
            return None
        address = closest.get("url")
        return self.read(address) if isinstance(address, str) else None


def captures(response: Response) -> list[Mapping[str, str]]:
    """The rows of the index, whether it answered in JSON or in lines of words."""
    text = response.text().strip()
    if not text:
        return []
    if text.startswith("["):
        return _listed(response.parsed())
    lines = (line.split(" ") for line in text.splitlines())
    rows = [line for line in lines if len(line) == len(_COLUMNS) and _STAMP.fullmatch(line[1])]
    if not rows:
        raise BadShape("The archive's index answered in another form.", provider=response.provider)
    return [dict(zip(_COLUMNS, line, strict=True)) for line in rows]


def _listed(table: Any) -> list[Mapping[str, str]]:
    rows: Iterable[Any] = table if isinstance(table, list) else ()
    lists = [row for row in rows if isinstance(row, list)]
    if not lists:
        return []
    names = [str(name) for name in lists[0]]
    return [
        dict(zip(names, map(str, row), strict=True)) for row in lists[1:] if len(row) == len(names)
    ]


def moment(timestamp: str) -> datetime | None:
    """When a whole timestamp was; None for what is none."""
    try:
        return datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
