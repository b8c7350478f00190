"""Research sessions: an encrypted head row and one encrypted row per step, written immediately.

Bodies are opaque bytes here. Row names are hashed with the owner's key, so a session of another
owner looks as if it did not exist.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from citewell.core.errors import SessionNotFound
from citewell.sessions import session_rows as rows
from citewell.sessions.session_rows import SessionHead, StoredSession
from citewell.store.cache.tiered_cache import RecentValues
from citewell.store.encryption import OwnerKeychain, run_off_loop_if_large
from citewell.store.failures import BatchRolledBack, DecryptionFailed, StoreError, WriteContended
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnerStore
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)
_MAX_EDIT_ATTEMPTS = 200  # every conflict means another writer succeeded, so this ends
_MAX_REMEMBERED_BYTES = 16 * 2**20
_MAX_RETRY_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """A change of a session: its new body, appended steps, and replaced steps by number from 1."""

    body: bytes
    appended: tuple[bytes, ...] = ()
    replaced: Mapping[int, bytes] = field(default_factory=dict)


class SqlSessionStore(OwnerStore):
    """Every call names an owner; raises SessionNotFound for a missing, expired or foreign session."""

    tables = (rows.HEADS, rows.STEPS)

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        ttl: float,
        max_sessions: int,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(database, vault, clock=clock)
        self._ttl = ttl
        self._most = max(1, max_sessions)
        self._pause = pause
        # Sessions as this process last saw them; the version check detects stale ones.
        self._recent: RecentValues[tuple[str, str], StoredSession] = RecentValues(
            _MAX_REMEMBERED_BYTES
        )
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def create_session(
        self, owner: str, session_id: str, body: bytes, steps: Sequence[bytes] = ()
    ) -> StoredSession:
        """Create a session; if the owner has too many, the least recently used one is deleted.

        Raises WriteContended if the owner already has a session of this id.
        """
        now = self._clock()
        head = SessionHead(
            id=session_id,
            created=now,
            updated=now,
            expires=now + self._ttl,
            version=1,
            steps=len(steps),
            body=body,
        )
        session = StoredSession(head=head, steps=tuple(steps))
        try:
            await self._insert_session(owner, session)
        except BatchRolledBack:
            # The owner's keys may have been erased by another process: try once with new keys.
            self._vault.forget_keychain(owner)
            try:
                await self._insert_session(owner, session)
            except BatchRolledBack:
                raise WriteContended("This session already exists.") from None
        self._remember_session(owner, session)
        return session

    async def append_step(
        self, owner: str, session_id: str, step: bytes, *, body: bytes, version: int
    ) -> SessionHead:
        """Add one step and replace the head; durable once this returns.

        Raises WriteContended if `version` is no longer the newest.
        """
        chain = await self._require_session_keychain(owner)
        async with self._choose_session_lock(owner, session_id):
            known = self._recent.find_recent_value((owner, session_id))
            if known is None or known.head.version != version:
                known = await self._read_session(owner, session_id, touch=False)
            if known.head.version != version:
                raise WriteContended("The session has changed in the meantime. Load it again.")
            change = SessionChange(body=body, appended=(step,))
            try:
                return (await self._write_change(chain, known, change)).head
            except BatchRolledBack:
                await self._read_session(owner, session_id, touch=False)  # raises if it is gone
                raise WriteContended(
                    "The session has changed in the meantime. Load it again."
                ) from None

    async def edit_session(
        self, owner: str, session_id: str, change: Callable[[StoredSession], SessionChange]
    ) -> StoredSession:
        """Change a session; `change` is called again with the newer session after a conflict."""
        async with self._choose_session_lock(owner, session_id):
            for attempt in range(_MAX_EDIT_ATTEMPTS):
                chain = await self._require_session_keychain(owner)
                known = self._recent.find_recent_value((owner, session_id))
                session = known or await self._read_session(owner, session_id, touch=False)
                try:
                    return await self._write_change(chain, session, change(session))
                except BatchRolledBack:
                    self._recent.drop_value((owner, session_id))
                    longest = min(_MAX_RETRY_PAUSE_SECONDS, 0.001 * attempt)
                    await self._pause(random.uniform(0, longest))  # noqa: S311 - spreads retries
        raise WriteContended("Other writers kept changing the session. Try again.")

    async def load_session(self, owner: str, session_id: str) -> StoredSession:
        """The whole session; restarts its time to live."""
        return await self._read_session(owner, session_id, touch=True)

    async def list_heads(self, owner: str) -> tuple[SessionHead, ...]:
        """All sessions of the owner without their steps, most recently changed first."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        params: dict[str, SqlScalar] = {"owner": chain.tag, "now": self._clock()}
        found = await self._database.select_rows(rows.SELECT_HEADS, params)
        chain = await self._vault.find_covering_keychain(owner, [row[-1] for row in found]) or chain
        return tuple(
            head for row in found if (head := _decrypt_listed_head(chain, row)) is not None
        )

    async def delete_session(self, owner: str, session_id: str) -> None:
        chain = await self._require_session_keychain(owner)
        self._recent.drop_value((owner, session_id))
        name = rows.hash_session_name(chain, session_id)
        if not await self._change_rows(rows.DELETE_SESSION, id=name, now=self._clock()):
            raise _build_session_not_found()

    async def delete_expired(self) -> int:
        """Delete expired sessions, and return their number."""
        return await self._change_rows(rows.DELETE_EXPIRED, now=self._clock())

    async def delete_all(self, owner: str) -> int:
        """Delete all sessions of the owner, and return their number."""
        self.forget_owner(owner)
        erasure = rows.HEADS.build_owner_erasure(await self._vault.hash_owner_tag(owner))
        (gone,) = await self._database.execute_batch([erasure])
        return gone.changed_rows

    async def iterate_sessions(self, owner: str) -> AsyncIterator[StoredSession]:
        """All sessions of the owner with their steps, for an export; their time to live goes on."""
        for head in await self.list_heads(owner):
            with contextlib.suppress(SessionNotFound):  # it has just ended
                yield await self._read_session(owner, head.id, touch=False)

    async def forget_tagged_owner(self, tag: str) -> None:
        """Drop from memory what another process has erased."""
        for owner in {owner for owner, _ in self._recent.list_keys()}:
            if await self._vault.hash_owner_tag(owner) == tag:
                self.forget_owner(owner)

    def forget_owner(self, owner: str) -> None:
        self._recent.drop_matching_values(lambda key: key[0] == owner)

    async def _insert_session(self, owner: str, session: StoredSession) -> None:
        chain = await self._vault.ensure_keychain(owner)
        size = len(session.head.body) + sum(map(len, session.steps))
        sealed = await run_off_loop_if_large(
            size, lambda: rows.build_session_insert(chain, session)
        )
        room: dict[str, SqlScalar] = {
            "owner": chain.tag,
            "id": rows.hash_session_name(chain, session.head.id),
            "most": self._most,
            "now": self._clock(),
        }
        # An expired session of the same id must not block the insert.
        expired = SqlStatement(sql=rows.DELETE_OWNER_EXPIRED, params=room)
        evicted = SqlStatement(sql=rows.EVICT_OLDEST, params=room)
        await self._database.execute_batch(
            [self._vault.build_owner_guard(chain), expired, *sealed, evicted]
        )

    async def _write_change(
        self, chain: OwnerKeychain, session: StoredSession, change: SessionChange
    ) -> StoredSession:
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
        batch = await run_off_loop_if_large(
            size, lambda: self._build_change_batch(chain, head, now, change)
        )
        await self._database.execute_batch(batch)
        written = StoredSession(head=head, steps=(*steps, *change.appended))
        self._remember_session(chain.owner, written)
        return written

    def _build_change_batch(
        self, chain: OwnerKeychain, head: SessionHead, now: float, change: SessionChange
    ) -> list[SqlStatement]:
        common = len(change.appended) == 1 and not change.replaced
        if common and self._database.dialect.name == "postgres":
            return rows.build_step_append(chain, head, now, change.appended[0])
        first = head.steps - len(change.appended) + 1
        added = dict(enumerate(change.appended, start=first))
        return rows.build_session_update(chain, head, now, added=added, replaced=change.replaced)

    async def _read_session(self, owner: str, session_id: str, *, touch: bool) -> StoredSession:
        chain = await self._require_session_keychain(owner)
        head, steps = await self._select_session_rows(
            rows.hash_session_name(chain, session_id), touch=touch
        )
        bodies = [head[-1], *(body for _, body in steps)]
        # Steps encrypted before and after a key rotation can be in one session.
        covering = await self._vault.find_covering_keychain(owner, bodies)
        if covering is None:
            raise _build_session_not_found()
        opened = await run_off_loop_if_large(
            sum(map(len, bodies)), lambda: rows.decrypt_session(covering, head, steps)
        )
        self._remember_session(owner, opened)
        return opened

    async def _select_session_rows(
        self, name: str, *, touch: bool
    ) -> tuple[SqlRow, Sequence[SqlRow]]:
        now = self._clock()
        params: dict[str, SqlScalar] = {"id": name, "now": now, "expires": now + self._ttl}
        found: Sequence[SqlRow]
        steps: Sequence[SqlRow]
        if touch:
            try:
                found, steps = await self._extend_and_select(params)
            except StoreError:
                # On a full disk the session is still readable; only its time to live is not extended.
                return await self._select_session_rows(name, touch=False)
        else:
            both = await self._database.select_rows(rows.SELECT_SESSION, params)
            found = [row[:-2] for row in both[:1]]
            steps = [row[-2:] for row in both if row[-2] is not None]
        if not found:
            raise _build_session_not_found()
        return found[0], steps

    async def _extend_and_select(
        self, params: Mapping[str, SqlScalar]
    ) -> tuple[Sequence[SqlRow], Sequence[SqlRow]]:
        touched, steps = await self._database.execute_batch(
            [
                SqlStatement(sql=rows.EXTEND_SESSION, params=params),
                SqlStatement(sql=rows.SELECT_STEPS, params=params),
            ]
        )
        return touched.rows, steps.rows

    async def _require_session_keychain(self, owner: str) -> OwnerKeychain:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            raise _build_session_not_found()
        return chain

    def _remember_session(self, owner: str, session: StoredSession) -> None:
        size = len(session.head.body) + sum(map(len, session.steps))
        self._recent.add_recent_value((owner, session.head.id), session, size)

    def _choose_session_lock(self, owner: str, session_id: str) -> asyncio.Lock:
        """A lock for changes of one session in this process; other processes meet the version check."""
        return self._turns.setdefault((owner, session_id), asyncio.Lock())


def _decrypt_listed_head(chain: OwnerKeychain, row: SqlRow) -> SessionHead | None:
    """None, with a warning, if the row cannot be decrypted: it must not hide the other rows."""
    try:
        return rows.decrypt_head(chain, row)
    except DecryptionFailed as error:
        logger.warning("A session is left out of the list. %s", error.message)
        return None


def _build_session_not_found() -> SessionNotFound:
    return SessionNotFound("No research session has this id, or it has ended.")
