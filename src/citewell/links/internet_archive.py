"""The Internet Archive: copies of pages in its Wayback Machine, and requests to capture a page (Save Page Now)."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import quote, urljoin

from citewell.core.errors import CitewellError, FailureReason, MalformedResponse, RateLimited
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.citation_checks import ArchiveOutcome
from citewell.links.settings import LinksSettings
from citewell.net.address_guard import is_private_service
from citewell.net.http.messages import HttpRequest, HttpResponse, RedirectPolicy
from citewell.net.network import Network
from citewell.text.safety.text_cleaning import clean_markup

CAPTURE_SECONDS = 25.0  # seconds for the capture, waits included
RETRY_WAIT_SECONDS = (3.0, 7.0)  # before the second and the third attempt
ARCHIVE_SOURCE = "web.archive.org Save Page Now"
_MAX_RESPONSE_BYTES = 64 * 1024
_CLOCK_SKEW = timedelta(minutes=2)  # how far our clock may run ahead of the archive's
_UNQUOTED_CHARS = "%/:?&=+,;@!$'()*~[]"
_EARLIER_COPY_REASON = "the archive offered an earlier copy instead of making a new one"
_UNFINISHED_REASON = "the capture was begun and not finished in time"
_JOB_ID_PATTERN = re.compile(r"spn2-[0-9a-f]{8,64}")
_ACCEPTED_STATUSES = range(300, 600)  # error statuses are judged here and must not trip the breaker

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
        """The timestamp as a datetime; None if it has not all of its fourteen digits."""
        try:
            return datetime.strptime(self.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            return None


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

    def _read_closest_snapshot(self, answer: object) -> ArchiveSnapshot | None:
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


def _parse_capture_table(table: object) -> list[Mapping[str, str]]:
    rows: Iterable[Any] = table if isinstance(table, list) else ()
    lists = [row for row in rows if isinstance(row, list)]
    if not lists:
        return []
    names = [str(name) for name in lists[0]]
    return [
        dict(zip(names, map(str, row), strict=True)) for row in lists[1:] if len(row) == len(names)
    ]


# Asks the Internet Archive (Save Page Now) to capture a page, and reports the outcome.


@dataclass(slots=True, kw_only=True)
class _CaptureAttempt:
    """The state of one capture across its requests."""

    url: str
    deadline: float
    started_at: datetime
    status: int | None = None
    job_id: str | None = None
    reason: str = "the archive did not answer in time"
    request_received: bool = False  # the archive received the request and may still act on it
    is_final: bool = False  # the archive refused, and a retry would be refused too
    steps: list[str] = field(default_factory=list)


class PageArchive:
    def __init__(
        self,
        network: Network,
        *,
        availability: str,
        archive: str = PUBLIC_ARCHIVE_URL,
        keys: tuple[str, str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`keys` are the access key and secret key of an archive.org account, which has higher limits."""
        self._disclosure = network.disclosure
        self._root = archive.rstrip("/")
        self._copies = WaybackMachine(network, availability=availability, archive=archive)
        secret: Mapping[str, str] = {"authorization": f"LOW {':'.join(keys)}"} if keys else {}
        self._upstream = network.open_upstream(
            "savepagenow", base_url=self._root, secret_headers=secret, timeout=CAPTURE_SECONDS
        )
        self._now, self._clock, self._sleep = now, clock, sleep

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        settings = kit.settings
        links_settings = settings[LinksSettings]
        access, secret = (
            links_settings.ia_access_key,
            links_settings.ia_secret_key,
        )
        return cls(
            kit.network,
            availability=links_settings.wayback_url,
            archive=links_settings.archive_url,
            keys=(access, secret) if access and secret else None,
        )

    async def capture_page(self, url: str, *, progress: ProgressCallback) -> ArchiveOutcome:
        """The new copy, an older copy, or where to look later; raises Refused for a private address.

        A slow, throttled or failing archive is reported in the result and never raised.
        """
        # No private address is sent to the archive, which may resolve a name that we cannot.
        target = await self._disclosure.check_disclosable(url.strip(), is_public_lookup=True)
        address = target.url
        attempt = _CaptureAttempt(
            url=address, deadline=self._clock() + CAPTURE_SECONDS, started_at=self._now()
        )
        snapshot = await self._capture_with_retries(attempt, progress)
        if snapshot is None:
            await progress(
                len(RETRY_WAIT_SECONDS) + 1,
                len(RETRY_WAIT_SECONDS) + 2,
                "looking for an older copy",
            )
            snapshot = await self._find_older_snapshot(attempt)
        return self._build_archive_result(url, attempt, snapshot)

    async def _capture_with_retries(
        self, attempt: _CaptureAttempt, progress: ProgressCallback
    ) -> ArchiveSnapshot | None:
        for number, wait in enumerate((0.0, *RETRY_WAIT_SECONDS), start=1):
            if self._clock() + wait >= attempt.deadline or attempt.is_final:
                return None
            await self._sleep(wait)
            await progress(
                number - 1, len(RETRY_WAIT_SECONDS) + 2, f"attempt {number} to capture the page"
            )
            snapshot = await self._attempt_capture(attempt)
            if snapshot is not None:
                attempt.reason = _EARLIER_COPY_REASON  # counts only if the copy is not a new one
                return snapshot
        return None

    async def _attempt_capture(self, attempt: _CaptureAttempt) -> ArchiveSnapshot | None:
        """One request: for the capture itself, or for the status of the job an earlier request started."""
        try:
            if attempt.job_id is not None:
                return await self._poll_capture_job(attempt)
            response = await self._send_capture_request(
                f"/save/{quote(attempt.url, safe=_UNQUOTED_CHARS)}", attempt
            )
        except RateLimited:
            attempt.reason = "the archive asks for a pause"
            return None
        except CitewellError as error:
            slow = error.reason is FailureReason.TIMEOUT
            attempt.request_received = attempt.request_received or slow
            if attempt.job_id is None:
                attempt.reason = "the archive did not answer in time" if slow else "the archive is out of reach"  # fmt: skip
            attempt.steps.append(f"Save Page Now: {error.kind}")
            return None
        attempt.request_received, attempt.status = True, response.status
        attempt.steps.append(f"Save Page Now: HTTP {response.status}")
        return self._read_capture_response(response, attempt)

    def _read_capture_response(
        self, response: HttpResponse, attempt: _CaptureAttempt
    ) -> ArchiveSnapshot | None:
        shown = response.headers.get("content-location", "")
        for address in (response.url, urljoin(f"{self._root}/", shown) if shown else ""):
            if snapshot := self._copies.parse_snapshot_address(address):
                return snapshot
        job = _JOB_ID_PATTERN.search(response.decode_text()) if response.status < 300 else None
        attempt.job_id = job[0] if job else None
        attempt.is_final = 400 <= response.status < 500 and response.status not in {408, 425, 429}
        attempt.reason = _UNFINISHED_REASON if job else _describe_capture_status(response.status)
        return None

    async def _poll_capture_job(self, attempt: _CaptureAttempt) -> ArchiveSnapshot | None:
        response = await self._send_capture_request(f"/save/status/{attempt.job_id}", attempt)
        job = response.parse_json() if response.status < 300 else {}
        job = job if isinstance(job, dict) else {}
        attempt.steps.append(
            f"capture job: {clean_markup(str(job.get('status') or response.status))}"
        )
        if job.get("status") == "success" and re.fullmatch(r"\d{14}", str(job.get("timestamp"))):
            return self._copies.build_snapshot(str(job["timestamp"]), attempt.url)
        if job.get("status") == "error":
            attempt.is_final = True
            message = clean_markup(str(job.get("message") or "no reason given"))[:200]
            attempt.reason = f"the archive could not capture the page: {message}"
        return None

    async def _send_capture_request(self, path: str, attempt: _CaptureAttempt) -> HttpResponse:
        request = HttpRequest(
            url=self._root + path,
            timeout=max(0.5, attempt.deadline - self._clock()),
            first_bytes=_MAX_RESPONSE_BYTES,
            redirects=RedirectPolicy.SAME_ORIGIN,
        )
        return await self._upstream.send_request(request, accept=_ACCEPTED_STATUSES, retry=False)

    async def _find_older_snapshot(self, attempt: _CaptureAttempt) -> ArchiveSnapshot | None:
        """The newest copy in the capture index; if that fails or has none, the availability API's copy."""
        looks: dict[str, Callable[[str], Awaitable[ArchiveSnapshot | None]]] = {
            "capture index": self._copies.find_newest_snapshot,
            "availability": self._copies.find_nearest_snapshot,
        }
        for name, look in looks.items():
            try:
                found = await look(attempt.url)
            except CitewellError as error:
                attempt.steps.append(f"{name}: {error.kind}")
                continue
            attempt.steps.append(f"{name}: {'a copy' if found else 'no copy'}")
            if found is not None:
                return found
        return None

    def _build_archive_result(
        self, url: str, attempt: _CaptureAttempt, snapshot: ArchiveSnapshot | None
    ) -> ArchiveOutcome:
        """The result of the call; a copy taken before the call began has the status `existing`."""
        request = {"requested_url": url, "http_status": attempt.status, "source": ARCHIVE_SOURCE}
        facts = {**request, "provenance": tuple(attempt.steps), "reason": attempt.reason}
        if snapshot is None:
            pending = attempt.request_received and not attempt.is_final
            return ArchiveOutcome(
                **facts,
                captured=False,
                status="pending" if pending else "unavailable",
                poll_url=f"{self._root}/web/*/{attempt.url}" if pending else None,
            )
        taken = snapshot.taken_at
        if taken is None or taken < attempt.started_at - _CLOCK_SKEW:
            return ArchiveOutcome(
                **facts, captured=False, status="existing", snapshot_url=snapshot.url
            )
        return ArchiveOutcome(
            **{**facts, "reason": None},
            captured=True,
            status="archived",
            snapshot_url=snapshot.url,
            archived_at=taken.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )


def _describe_capture_status(status: int) -> str:
    if status == 429:
        return "the archive asks for a pause"
    if status >= 500:
        return f"the archive is failing (HTTP {status})"
    if status >= 400:
        return f"the archive refuses to capture this page (HTTP {status})"
    return f"the archive answered without naming a copy (HTTP {status})"
