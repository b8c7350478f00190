"""Notices that something stored has changed, for callers that wait for it in this or another process.

A notice has a topic and a key, such as "job" and the id of the job, and never any content. It is a
reason to look, not a proof of a change: notices are repeated, joined and, after a failure, replaced
by looking at intervals.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from citewell.core.errors import InternalError
from citewell.store.sql.database import SqlStatement

POLL_SECONDS = 0.5  # between looks while notices of other processes cannot be heard
SAFETY_POLL_SECONDS = 5.0  # between looks while they can be heard: nobody tells of a worker's death
MAX_KEY_BYTES = 1000  # PostgreSQL refuses a payload of 8000

# The database itself tells of these, whoever makes the change: triggers publish them.
JOB_TOPIC = "job"  # the id of a job that has advanced, or whose cancellation was requested
JOB_QUEUE_TOPIC = "job_queue"  # the id of a job that can be claimed
JOB_CANCEL_TOPIC = "job_cancel"  # the id of a job whose cancellation was requested
ERASURE_TOPIC = "erasure"  # the id of an erasure that has begun or advanced

_CHANNEL_PREFIX = "citewell_"
_TOPIC_PATTERN = re.compile(r"[a-z][a-z_]{0,40}")
_NOTIFY = "SELECT pg_notify(:channel, :key)"


class ChangeWatch:
    """Belongs to the event loop that opened it; it can be woken from any thread."""

    def __init__(self, *, poll_seconds: float, can_hear_others: Callable[[], bool]) -> None:
        self._poll_seconds = poll_seconds
        self._can_hear_others = can_hear_others
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    async def wait(self, timeout_seconds: float) -> bool:
        """True as soon as there is a reason to look again, False if `timeout_seconds` pass before.

        A notice that came between two calls, or since the watch was opened, counts. While notices
        of other processes cannot be heard, the answer is True after each polling interval.
        """
        interval = SAFETY_POLL_SECONDS if self._can_hear_others() else self._poll_seconds
        try:
            async with asyncio.timeout(min(timeout_seconds, interval)):
                await self._event.wait()
        except TimeoutError:
            return interval < timeout_seconds
        self._event.clear()
        return True

    def wake_waiter(self) -> None:
        try:
            is_own_loop = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_own_loop = False
        if is_own_loop:
            self._event.set()
        else:
            with suppress(RuntimeError):  # its loop has been closed
                self._loop.call_soon_threadsafe(self._event.set)


class WatchRegistry:
    """The open watches of this process, by topic and key."""

    def __init__(self) -> None:
        self._watches: dict[tuple[str, str | None], set[ChangeWatch]] = {}
        self._lock = threading.Lock()  # watches may be opened on several event loops

    def add_watch(self, topic: str, key: str | None, watch: ChangeWatch) -> None:
        with self._lock:
            self._watches.setdefault((topic, key), set()).add(watch)

    def remove_watch(self, topic: str, key: str | None, watch: ChangeWatch) -> None:
        with self._lock:
            group = self._watches[topic, key]
            group.discard(watch)
            if not group:
                del self._watches[topic, key]

    def wake_watches(self, topic: str, key: str) -> None:
        with self._lock:
            found = [
                *self._watches.get((topic, key), ()),
                *self._watches.get((topic, None), ()),
            ]
        for watch in found:
            watch.wake_waiter()

    def wake_topics(self, topics: frozenset[str]) -> None:
        """Wake everybody who watches one of `topics`, because notices may have been missed."""
        with self._lock:
            found = [
                watch
                for (topic, _), group in self._watches.items()
                if topic in topics
                for watch in group
            ]
        for watch in found:
            watch.wake_waiter()


class ChangeNotices:
    """Notices within this process; what other processes change is found by looking at intervals."""

    def __init__(self) -> None:
        self._registry = WatchRegistry()

    def build_notice(self, topic: str, key: str) -> Sequence[SqlStatement]:
        """Statements for the batch that makes the change; they tell other processes once it commits."""
        _check_names(topic, key)
        return ()

    def notify_here(self, topic: str, key: str) -> None:
        """Tell those who watch in this process at once, after a batch with a notice has committed."""
        _check_names(topic, key)
        self._registry.wake_watches(topic, key)

    @asynccontextmanager
    async def watch(
        self, topic: str, key: str | None = None, *, poll_seconds: float = POLL_SECONDS
    ) -> AsyncIterator[ChangeWatch]:
        """Hear of changes of one key, or of all keys of the topic, while the block runs.

        Open it before reading what is stored, so that no change falls between.
        """
        _check_names(topic, key)
        watch = ChangeWatch(
            poll_seconds=poll_seconds, can_hear_others=lambda: self.hears_others(topic)
        )
        self._registry.add_watch(topic, key, watch)
        try:
            self._listen_to_others(topic)
            yield watch
        finally:
            self._registry.remove_watch(topic, key, watch)

    def hears_others(self, topic: str) -> bool:
        """Whether notices of other processes reach this one now; else it looks at intervals."""
        _check_names(topic, None)
        return False

    async def aclose(self) -> None: ...

    def _listen_to_others(self, topic: str) -> None: ...


class PostgresNotices(ChangeNotices):
    """Notices through LISTEN and NOTIFY: one direct connection of this process, opened by the first watch.

    A notice is a statement of the batch that makes the change, whose connection may be pooled.
    """

    def __init__(self, direct_url: str) -> None:
        from citewell.store.sql.postgres_listener import PostgresListener

        super().__init__()
        self._listener = PostgresListener(
            direct_url,
            hear=lambda channel, key: self._registry.wake_watches(
                channel.removeprefix(_CHANNEL_PREFIX), key
            ),
            change=lambda channels: self._registry.wake_topics(
                frozenset(name.removeprefix(_CHANNEL_PREFIX) for name in channels)
            ),
        )

    def build_notice(self, topic: str, key: str) -> Sequence[SqlStatement]:
        _check_names(topic, key)
        return (SqlStatement(sql=_NOTIFY, params={"channel": _CHANNEL_PREFIX + topic, "key": key}),)

    def hears_others(self, topic: str) -> bool:
        return _CHANNEL_PREFIX + topic in self._listener.heard

    async def aclose(self) -> None:
        await self._listener.aclose()

    def _listen_to_others(self, topic: str) -> None:
        self._listener.add_channel(_CHANNEL_PREFIX + topic)


def _check_names(topic: str, key: str | None) -> None:
    if not _TOPIC_PATTERN.fullmatch(topic):
        raise InternalError(f"{topic!r} is not the name of a topic.")
    if key is not None and len(key.encode()) > MAX_KEY_BYTES:
        raise InternalError("The key of a notice is longer than an id.")
