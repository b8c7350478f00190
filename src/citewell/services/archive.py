"""Has the Internet Archive take a copy of a page, and says honestly what came of it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urljoin

from citewell.errors import CitewellError, NetworkFailed, RateLimited
from citewell.model.archive import Archived
from citewell.net.guard import Guard, Rules
from citewell.net.message import Redirects, Request, Response
from citewell.net.network import Network
from citewell.services.wayback import PUBLIC, Snapshot, Wayback
from citewell.text.markup import clean

BUDGET = 25.0  # seconds for the capture, waits included
WAITS = (3.0, 7.0)  # before the second and the third attempt
SOURCE = "web.archive.org Save Page Now"
_ENOUGH = 64 * 1024
_SKEW = timedelta(minutes=2)  # that our clock may be ahead of the archive's
_SAFE = "%/:?&=+,;@!$'()*~[]"
_JOB = re.compile(r"spn2-[0-9a-f]{8,64}")
_EVERY = range(300, 600)  # its statuses are judged here, and trip no breaker

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class _Attempt:
    """What is known while the capture is under way."""

    url: str
    until: float
    since: datetime
    status: int | None = None
    job: str | None = None
    reason: str = "the archive did not answer in time"
    reached: bool = False  # the archive has the request, and may yet act on it
    final: bool = False  # it said no, and would again
    steps: list[str] = field(default_factory=list)


class Archive:
    def __init__(
        self,
        network: Network,
        *,
        availability: str,
        archive: str = PUBLIC,
        keys: tuple[str, str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`keys` are an account's access and secret key, which raise the limits."""
        self._guard = network.guard
        self._root = archive.rstrip("/")
        self._copies = Wayback(network, availability=availability, archive=archive)
        secret: Mapping[str, str] = {"authorization": f"LOW {':'.join(keys)}"} if keys else {}
        self._upstream = network.upstream(
            "savepagenow", base_url=self._root, secret_headers=secret, timeout=BUDGET
        )
        self._now, self._clock, self._sleep = now, clock, sleep

    async def capture(self, url: str, *, progress: Progress) -> Archived:
        """The copy, an older one, or where to look later; Refused for an address nobody may have.

        A slow, throttled or failing archive is an answer and never an error.
        """
        address = await self._public(url)
        attempt = _Attempt(url=address, until=self._clock() + BUDGET, since=self._now())
        snapshot = await self._captured(attempt, progress)
        if snapshot is None:
            await progress(len(WAITS) + 1, len(WAITS) + 2, "looking for an older copy")
            snapshot = await self._older(attempt)
        return self._found(url, attempt, snapshot)

    async def _public(self, url: str) -> str:
        """The address as it is handed on; what is private to this machine is not told to anybody."""
        target = Guard(Rules()).target(url.strip())
        with suppress(NetworkFailed):  # the archive may know a name that we cannot resolve
            await self._guard.addresses(target.host, target.port)
        return target.url

    async def _captured(self, attempt: _Attempt, progress: Progress) -> Snapshot | None:
        for number, wait in enumerate((0.0, *WAITS), start=1):
            if self._clock() + wait >= attempt.until or attempt.final:
                return None
            await self._sleep(wait)
            await progress(number - 1, len(WAITS) + 2, f"attempt {number} to capture the page")
            snapshot = await self._attempted(attempt)
            if snapshot is not None:
                return snapshot
        return None

    async def _attempted(self, attempt: _Attempt) -> Snapshot | None:
        """One request: for the capture itself, or for the job that an earlier one began."""
        try:
            if attempt.job is not None:
                return await self._job(attempt)
            response = await self._ask(f"/save/{quote(attempt.url, safe=_SAFE)}", attempt)
        except RateLimited:
            attempt.reason = "the archive asks for a pause"
            return None
        except CitewellError as error:
            slow = "No whole answer" in error.message
            attempt.reached = attempt.reached or slow
            attempt.reason = "the archive did not answer in time" if slow else "the archive is out of reach"  # fmt: skip
            attempt.steps.append(f"Save Page Now: {error.kind}")
            return None
        attempt.reached, attempt.status = True, response.status
        attempt.steps.append(f"Save Page Now: HTTP {response.status}")
        return self._read(response, attempt)

    def _read(self, response: Response, attempt: _Attempt) -> Snapshot | None:
        shown = response.headers.get("content-location", "")
        for address in (response.url, urljoin(f"{self._root}/", shown) if shown else ""):
            if snapshot := self._copies.read(address):
                return snapshot
        job = _JOB.search(response.text()) if response.status < 300 else None
        attempt.job = job[0] if job else None
        attempt.final = 400 <= response.status < 500 and response.status not in {408, 425, 429}
        attempt.reason = _reason(response.status)
        return None

    async def _job(self, attempt: _Attempt) -> Snapshot | None:
        response = await self._ask(f"/save/status/{attempt.job}", attempt)
        told = response.parsed() if response.status < 300 else {}
        told = told if isinstance(told, dict) else {}
        attempt.steps.append(f"capture job: {clean(str(told.get('status') or response.status))}")
        if told.get("status") == "success" and re.fullmatch(r"\d{14}", str(told.get("timestamp"))):
            return self._copies.at(str(told["timestamp"]), attempt.url)
        if told.get("status") == "error":
            attempt.final = True
            message = clean(str(told.get("message") or "no reason given"))[:200]
            attempt.reason = f"the archive could not capture the page: {message}"
        return None

    async def _ask(self, path: str, attempt: _Attempt) -> Response:
        request = Request(
            url=self._root + path,
            timeout=max(0.5, attempt.until - self._clock()),
            beginning=_ENOUGH,
            redirects=Redirects.SAME_ORIGIN,
        )
        return await self._upstream.send(request, accept=_EVERY, retry=False)

    async def _older(self, attempt: _Attempt) -> Snapshot | None:
        """The newest copy there is, by the index and, where that is busy, by the first answer."""
        looks: dict[str, Callable[[str], Awaitable[Snapshot | None]]] = {
            "capture index": self._copies.newest,
            "availability": self._copies.nearest,
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

    def _found(self, url: str, attempt: _Attempt, snapshot: Snapshot | None) -> Archived:
        """What is said of it: a copy from before this call is an existing one, whoever shows it."""
        asked = {"requested_url": url, "http_status": attempt.status, "source": SOURCE}
        told = {**asked, "provenance": tuple(attempt.steps), "reason": attempt.reason}
        if snapshot is None:
            pending = attempt.reached and not attempt.final
            return Archived(
                **told,
                captured=False,
                status="pending" if pending else "unavailable",
                poll_url=f"{self._root}/web/*/{attempt.url}" if pending else None,
            )
        taken = snapshot.taken
        if taken is None or taken < attempt.since - _SKEW:
            return Archived(**told, captured=False, status="existing", snapshot_url=snapshot.url)
        return Archived(
            **{**told, "reason": None},
            captured=True,
            status="archived",
            snapshot_url=snapshot.url,
            archived_at=taken.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )


def _reason(status: int) -> str:
    if status == 429:
        return "the archive asks for a pause"
    if status >= 500:
        return f"the archive is failing (HTTP {status})"
    if status >= 400:
        return f"the archive refuses to capture this page (HTTP {status})"
    return "the capture was begun and not finished in time"
