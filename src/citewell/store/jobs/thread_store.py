"""Research threads: the questions and answers of one conversation, in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from citewell.model.research_thread import ResearchThread, ThreadMessage
from citewell.store.failures import BatchRolledBack
from citewell.store.jobs import thread_rows as rows
from citewell.store.jobs.job_errors import ThreadInUse, UnknownThread
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement


class ThreadStore(Protocol):
    """Every call names an owner and raises UnknownThread for a missing thread or another owner's."""

    async def load_thread(self, owner: str, thread_id: str) -> ResearchThread: ...

    async def list_stored_threads(
        self, owner: str, *, limit: int = 20, offset: int = 0
    ) -> tuple[ResearchThread, ...]:
        """Most recently changed first."""
        ...

    async def list_messages(self, owner: str, thread_id: str) -> tuple[ThreadMessage, ...]:
        """In the order they were added."""
        ...

    async def add_message(
        self,
        owner: str,
        thread_id: str,
        message_id: str,
        content: str,
        *,
        role: str = "assistant",
        cost: int | None = None,
        job: str | None = None,
    ) -> None:
        """Add a message; if one of the same id exists, it stays unchanged."""
        ...

    async def erase_thread(self, owner: str, thread_id: str) -> None:
        """Delete a thread with its jobs and their findings; raises ThreadInUse if one is unfinished."""
        ...


class SqlThreadStore:
    def __init__(
        self, database: SqlDatabase, vault: KeyVault, *, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock

    async def load_thread(self, owner: str, thread_id: str) -> ResearchThread:
        chain = await self._require_thread_keychain(owner)
        found = await self._database.select_rows(
            rows.SELECT_THREAD, {"id": thread_id, "owner": chain.tag}
        )
        if not found:
            raise UnknownThread
        covering = await self._vault.find_covering_keychain(owner, [found[0][-1]])
        return rows.decrypt_thread(covering or chain, found[0])

    async def list_stored_threads(
        self, owner: str, *, limit: int = 20, offset: int = 0
    ) -> tuple[ResearchThread, ...]:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        params: dict[str, SqlScalar] = {"owner": chain.tag, "limit": limit, "offset": offset}
        found = await self._database.select_rows(rows.SELECT_OWNER_THREADS, params)
        covering = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return tuple(rows.decrypt_thread(covering or chain, row) for row in found)

    async def list_messages(self, owner: str, thread_id: str) -> tuple[ThreadMessage, ...]:
        chain = await self._require_thread_keychain(owner)
        found = await self._database.select_rows(
            rows.SELECT_MESSAGES, {"id": thread_id, "owner": chain.tag}
        )
        if not found:
            await self.load_thread(owner, thread_id)
        covering = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return tuple(rows.decrypt_message(covering or chain, row) for row in found)

    async def add_message(
        self,
        owner: str,
        thread_id: str,
        message_id: str,
        content: str,
        *,
        role: str = "assistant",
        cost: int | None = None,
        job: str | None = None,
    ) -> None:
        chain = await self._require_thread_keychain(owner)
        message = ThreadMessage(
            id=message_id, role=role, content=content, created=self._clock(), cost=cost, job=job
        )
        try:
            await self._database.execute_batch(
                rows.build_message_batch(chain, thread_id, message, once=True)
            )
        except BatchRolledBack:
            raise UnknownThread from None

    async def erase_thread(self, owner: str, thread_id: str) -> None:
        chain = await self._require_thread_keychain(owner)
        params: dict[str, SqlScalar] = {"id": thread_id, "owner": chain.tag}
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=rows.DELETE_IDLE_THREAD, params=params)]
        )
        if not gone.changed_rows:
            await self.load_thread(owner, thread_id)  # raises UnknownThread if it is missing
            raise ThreadInUse

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        tag = await self._vault.hash_owner_tag(owner)
        return [SqlStatement(sql=rows.DELETE_OWNER_THREADS, params={"owner": tag})]

    async def _require_thread_keychain(self, owner: str) -> OwnerKeychain:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            raise UnknownThread
        return chain
