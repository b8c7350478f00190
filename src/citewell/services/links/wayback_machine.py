"""Copies of pages in the Internet Archive's Wayback Machine: the nearest one and the newest one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citewell.errors import MalformedResponse
from citewell.net.guard.disclosure_rule import is_private_service
from citewell.net.http.messages import HttpResponse
from citewell.net.network import Network

PUBLIC_ARCHIVE_URL = "https://web.archive.org"
_SNAPSHOT_PATH_PATTERN = re.compile(r"/web/(\d{4,14})[a-z_]*/(.+)", re.DOTALL)
_TIMESTAMP_PATTERN = re.compile(r"\d{14}")
_INDEX_SECONDS = 8.0  # seconds for the index, which is often slow
_INDEX_COLUMNS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSnapshot:
    url: str
    timestamp: str  # fourteen digits (YYYYMMDDhhmmss), or the first few of them

    @property
    def taken_at(self) -> datetime | None:
        return parse_archive_timestamp(self.timestamp)


class WaybackMachine:
    def __init__(
        self, network: Network, *, availability: str, archive: str = PUBLIC_ARCHIVE_URL
    ) -> None:
        self._archive = archive.rstrip("/")
        self._network = network
        self._available = network.open_upstream(
            "wayback", base_url=availability, per_second=2.0, burst=4
        )
        self._captures = network.open_upstream(
            "archive", base_url=self._archive, per_second=0.5, burst=2
        )

    async def find_nearest_snapshot(self, url: str) -> ArchiveSnapshot | None:
        """The copy that the availability API offers; None if it has none.

        Raises RefusedByPolicy for a private page, unless the archive is in the private network too.
        """
        await self._check_page_address(url, self._available.base_url)
        answer: Any = (await self._available.send_get(params={"url": url})).parse_json()
        return self._read_closest_snapshot(answer)

    async def find_newest_snapshot(self, url: str) -> ArchiveSnapshot | None:
        """The latest capture without an error status in the index, which is more complete than the availability API.

        Raises RefusedByPolicy like `find_nearest_snapshot`.
        """
        await self._check_page_address(url, self._archive)
        params = {
            "url": url,
            "output": "json",
            "fl": "original,timestamp,statuscode,mimetype",
            "filter": "!statuscode:[45]..",
            "limit": "-1",
        }
        response = await self._captures.send_get(
            "/cdx/search/cdx", params=params, timeout=_INDEX_SECONDS, retry=False
        )
        rows = [
            row
            for row in parse_capture_index(response)
            if _TIMESTAMP_PATTERN.fullmatch(row.get("timestamp", ""))
        ]
        best = max(rows, key=lambda row: row["timestamp"], default=None)
        return (
            None
            if best is None
            else self.build_snapshot(best["timestamp"], best.get("original") or url)
        )

    async def _check_page_address(self, url: str, service: str) -> None:
        if is_private_service(service):
            self._network.disclosure.check_unsealed()
        else:
            await self._network.disclosure.check_disclosable(url, is_public_lookup=True)

    def build_snapshot(self, timestamp: str, url: str) -> ArchiveSnapshot:
        return ArchiveSnapshot(url=f"{self._archive}/web/{timestamp}/{url}", timestamp=timestamp)

    def parse_snapshot_address(self, address: str) -> ArchiveSnapshot | None:
        """The snapshot that a Wayback Machine address means; None for any other address."""
        for root in (
            self._archive,
            PUBLIC_ARCHIVE_URL,
            PUBLIC_ARCHIVE_URL.replace("https", "http"),
        ):
            match = _SNAPSHOT_PATH_PATTERN.fullmatch(address.removeprefix(root))
            if address.startswith(root) and match:
                shown = PUBLIC_ARCHIVE_URL if root.startswith("http://web.archive") else root
                return ArchiveSnapshot(url=f"{shown}/web/{match[1]}/{match[2]}", timestamp=match[1])
        return None

    def _read_closest_snapshot(self, answer: Any) -> ArchiveSnapshot | None:
        """The closest snapshot in the availability API's answer; None if the answer has another shape."""
        snapshots = answer.get("archived_snapshots") if isinstance(answer, dict) else None
        closest = snapshots.get("closest") if isinstance(snapshots, dict) else None
        if not isinstance(closest, dict) or not closest.get("available"):
            return None
        address = closest.get("url")
        return self.parse_snapshot_address(address) if isinstance(address, str) else None


def parse_capture_index(response: HttpResponse) -> list[Mapping[str, str]]:
    """The rows of an index response, in JSON or as space-separated lines; raises BadShape for anything else."""
    text = response.decode_text().strip()
    if not text:
        return []
    if text.startswith("["):
        return _parse_capture_table(response.parse_json())
    lines = (line.split(" ") for line in text.splitlines())
    rows = [
        line
        for line in lines
        if len(line) == len(_INDEX_COLUMNS) and _TIMESTAMP_PATTERN.fullmatch(line[1])
    ]
    if not rows:
        raise MalformedResponse(
            "The archive's index has an unknown format.", provider=response.provider
        )
    return [dict(zip(_INDEX_COLUMNS, line, strict=True)) for line in rows]


def _parse_capture_table(table: Any) -> list[Mapping[str, str]]:
    rows: Iterable[Any] = table if isinstance(table, list) else ()
    lists = [row for row in rows if isinstance(row, list)]
    if not lists:
        return []
    names = [str(name) for name in lists[0]]
    return [
        dict(zip(names, map(str, row), strict=True)) for row in lists[1:] if len(row) == len(names)
    ]


def parse_archive_timestamp(timestamp: str) -> datetime | None:
    """A fourteen-digit timestamp as a datetime; None if it is not one."""
    try:
        return datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
