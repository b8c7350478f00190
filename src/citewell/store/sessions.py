"""Research sessions: a sealed head and one sealed row a step, written through before any answer.

The bodies are opaque here. A session that another owner began cannot be told from one that never
was, for its row is named under the owner's own key.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from weakref import WeakValueDictionary

from citewell.errors import SessionNotFound
from citewell.store import session_rows as rows
from citewell.store.failures import Contended, GuardFailed, StoreError, Unreadable
from citewell.store.keychain import Keychain
from citewell.store.packing import maybe_off_loop
from citewell.store.recent import Recent
from citewell.store.session_rows import Head, Session
from citewell.store.sql import Database, Row, Scalar, Statement
from citewell.store.vault import Vault

_log = logging.getLogger(__name__)
_ATTEMPTS = 200  # others who change the same session each make headway, so this ends
_KEPT_BYTES = 16 * 2**20
_LONGEST_PAUSE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of a session: its new head, further steps, and steps written anew by number."""

    body: bytes
    appended: tuple[bytes, ...] = ()
    replaced: Mapping[int, bytes] = field(default_factory=dict)


class SessionStore(Protocol):
    """Every call names an owner; raises SessionNotFound for what is not there, expired or not theirs."""

    async def create(
        self, owner: str, session_id: str, body: bytes, steps: Sequence[bytes] = ()
    ) -> Session:
        """Begin a session; beyond the bound, the owner's least recently used one makes room.

        Raises Contended when the owner has one of this id.
        """
        ...

    async def append_step(
        self, owner: str, session_id: str, step: bytes, *, body: bytes, version: int
    ) -> Head:
        """Add one step and replace the head; durable once this returns.

        Raises Contended when `version` is not the newest any more.
        """
        ...

    async def edit(
        self, owner: str, session_id: str, change: Callable[[Session], Change]
    ) -> Session:
        """Change a session; `change` is called again with the newer one if others were faster."""
        ...

    async def load(self, owner: str, session_id: str) -> Session:
        """The whole session; its time to live begins again."""
        ...

    async def heads(self, owner: str) -> tuple[Head, ...]:
        """Every session of the owner without its steps, the most recently changed first."""
        ...

    async def delete(self, owner: str, session_id: str) -> None: ...

    async def sweep(self) -> int:
        """Let go of what has expired; how many there were."""
        ...


class SqlSessions:
    def __init__(
        self,
        database: Database,
        vault: Vault,
        *,
        ttl: float,
        most: int,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._database = database
        self._vault = vault
        self._ttl = ttl
        self._most = max(1, most)
        self._clock = clock
        self._pause = pause
        # What this process saw last: the fence tells when it is stale.
        self._recent: Recent[tuple[str, str], Session] = Recent(_KEPT_BYTES)
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def create(
        self, owner: str, session_id: str, body: bytes, steps: Sequence[bytes] = ()
    ) -> Session:
        now = self._clock()
        head = Head(
            id=session_id,
            created=now,
            updated=now,
            expires=now + self._ttl,
            version=1,
            steps=len(steps),
            body=body,
        )
        session = Session(head=head, steps=tuple(steps))
        try:
            await self._insert(owner, session)
        except GuardFailed:
            # The owner's keys were erased behind our back: what begins now begins afresh.
            self._vault.forget(owner)
            try:
                await self._insert(owner, session)
            except GuardFailed:
                raise Contended("This session exists already.") from None
        self._remember(owner, session)
        return session

    async def append_step(
        self, owner: str, session_id: str, step: bytes, *, body: bytes, version: int
    ) -> Head:
        chain = await self._chain(owner)
        async with self._turn(owner, session_id):
            known = self._recent.get((owner, session_id))
            if known is None or known.head.version != version:
                known = await self._read(owner, session_id, touch=False)
            if known.head.version != version:
                raise Contended("The session was changed meanwhile. Load it again.")
            change = Change(body=body, appended=(step,))
            try:
                return (await self._write(chain, known, change)).head
            except GuardFailed:
                await self._read(owner, session_id, touch=False)  # or it is gone
                raise Contended("The session was changed meanwhile. Load it again.") from None

    async def edit(
        self, owner: str, session_id: str, change: Callable[[Session], Change]
    ) -> Session:
        async with self._turn(owner, session_id):
            for attempt in range(_ATTEMPTS):
                chain = await self._chain(owner)
                known = self._recent.get((owner, session_id))
                session = known or await self._read(owner, session_id, touch=False)
                try:
                    return await self._write(chain, session, change(session))
                except GuardFailed:
                    self._recent.drop((owner, session_id))
                    await self._pause(random.uniform(0, min(_LONGEST_PAUSE, 0.001 * attempt)))  # noqa: S311 - spreads retries
        raise Contended("The session kept changing under other writers. Try again.")

    async def load(self, owner: str, session_id: str) -> Session:
        return await self._read(owner, session_id, touch=True)

    async def heads(self, owner: str) -> tuple[Head, ...]:
        chain = await self._vault.find(owner)
        if chain is None:
            return ()
        params: dict[str, Scalar] = {"owner": chain.tag, "now": self._clock()}
        found = await self._database.fetch(rows.HEADS, params)
        chain = await self._vault.covering(owner, [row[-1] for row in found]) or chain
        return tuple(head for row in found if (head := _opened(chain, row)) is not None)

    async def delete(self, owner: str, session_id: str) -> None:
        chain = await self._chain(owner)
        self._recent.drop((owner, session_id))
        params: dict[str, Scalar] = {"id": rows.name(chain, session_id), "now": self._clock()}
        (gone,) = await self._database.execute([Statement(sql=rows.DELETE, params=params)])
        if not gone.changed:
            raise _absent()

    async def sweep(self) -> int:
        now = {"now": self._clock()}
        (gone,) = await self._database.execute([Statement(sql=rows.EXPIRE, params=now)])
        return gone.changed

    async def erasing(self, owner: str) -> list[Statement]:
        """The statements that remove all of the owner's sessions."""
        self._recent.drop_if(lambda key: key[0] == owner)
        tag = await self._vault.tag(owner)
        return [Statement(sql=rows.DELETE_OWNER, params={"owner": tag})]

    async def _insert(self, owner: str, session: Session) -> None:
        chain = await self._vault.ensure(owner)
        size = len(session.head.body) + sum(map(len, session.steps))
        sealed = await maybe_off_loop(size, lambda: rows.insert(chain, session))
        room: dict[str, Scalar] = {
            "owner": chain.tag,
            "id": rows.name(chain, session.head.id),
            "most": self._most,
            "now": self._clock(),
        }
        # A session that has expired must not stand in the way of its own id.
        expired = Statement(sql=rows.EXPIRE_OWNER, params=room)
        evicted = Statement(sql=rows.EVICT, params=room)
        await self._database.execute([self._vault.guard(chain), expired, *sealed, evicted])

    async def _write(self, chain: Keychain, session: Session, change: Change) -> Session:
        now = self._clock()
        steps = list(session.steps)
        for number, step in change.replaced.items():
            steps[number - 1] = step
        head = replace(
            session.head,
            updated=now,
            expires=now + self._ttl,
            version=session.head.version + 1,
            steps=len(steps) + len(change.appended),
            body=change.body,
        )
        size = len(change.body) + sum(map(len, change.appended))
        batch = await maybe_off_loop(size, lambda: self._batch(chain, head, now, change))
        await self._database.execute(batch)
        written = Session(head=head, steps=(*steps, *change.appended))
        self._remember(chain.owner, written)
        return written

    def _batch(self, chain: Keychain, head: Head, now: float, change: Change) -> list[Statement]:
        common = len(change.appended) == 1 and not change.replaced
        if common and self._database.dialect.name == "postgres":
            return rows.append(chain, head, now, change.appended[0])
        first = head.steps - len(change.appended) + 1
        added = dict(enumerate(change.appended, start=first))
        return rows.update(chain, head, now, added=added, replaced=change.replaced)

    async def _read(self, owner: str, session_id: str, *, touch: bool) -> Session:
        chain = await self._chain(owner)
        head, steps = await self._rows(rows.name(chain, session_id), touch=touch)
        bodies = [head[-1], *(body for _, body in steps)]
        # Steps sealed before a rotation and after it may stand side by side.
        covering = await self._vault.covering(owner, bodies)
        if covering is None:
            raise _absent()
        opened = await maybe_off_loop(
            sum(map(len, bodies)), lambda: rows.open_session(covering, head, steps)
        )
        self._remember(owner, opened)
        return opened

    async def _rows(self, name: str, *, touch: bool) -> tuple[Row, Sequence[Row]]:
        now = self._clock()
        params: dict[str, Scalar] = {"id": name, "now": now, "expires": now + self._ttl}
        found: Sequence[Row]
        steps: Sequence[Row]
        if touch:
            try:
                found, steps = await self._touched(params)
            except StoreError:
                # A full disk must not hide what is there; only the time to live stays as it was.
                return await self._rows(name, touch=False)
        else:
            both = await self._database.fetch(rows.WHOLE, params)
            found = [row[:-2] for row in both[:1]]
            steps = [row[-2:] for row in both if row[-2] is not None]
        if not found:
            raise _absent()
        return found[0], steps

    async def _touched(self, params: Mapping[str, Scalar]) -> tuple[Sequence[Row], Sequence[Row]]:
        touched, steps = await self._database.execute(
            [
                Statement(sql=rows.TOUCH, params=params),
                Statement(sql=rows.STEPS, params=params),
            ]
        )
        return touched.rows, steps.rows

    async def _chain(self, owner: str) -> Keychain:
        chain = await self._vault.find(owner)
        if chain is None:
            raise _absent()
        return chain

    def _remember(self, owner: str, session: Session) -> None:
        size = len(session.head.body) + sum(map(len, session.steps))
        self._recent.put((owner, session.head.id), session, size)

    def _turn(self, owner: str, session_id: str) -> asyncio.Lock:
        """Steps of one session wait for one another here; other processes meet the fence."""
        return self._turns.setdefault((owner, session_id), asyncio.Lock())


def _opened(chain: Keychain, row: Row) -> Head | None:
    """One altered row must not hide the others."""
    try:
        return rows.open_head(chain, row)
    except Unreadable as error:
        _log.warning("A session is left out of the list. %s", error.message)
        return None


def _absent() -> SessionNotFound:
    return SessionNotFound("No research session has this id, or it has ended.")
