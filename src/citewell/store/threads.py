"""Threads of research: every question and answer under one subject, in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from citewell.model.thread import Message, Thread
from citewell.store import thread_rows as rows
from citewell.store.failures import GuardFailed
from citewell.store.job_failures import ThreadBusy, ThreadNotFound
from citewell.store.keychain import Keychain
from citewell.store.sql import Database, Scalar, Statement
from citewell.store.vault import Vault


class ThreadStore(Protocol):
    """Every call names an owner; raises ThreadNotFound for what is not there or not theirs."""

    async def thread(self, owner: str, thread_id: str) -> Thread: ...

    async def threads(self, owner: str, *, limit: int = 20, offset: int = 0) -> tuple[Thread, ...]:
        """The most recently changed first."""
        ...

    async def messages(self, owner: str, thread_id: str) -> tuple[Message, ...]:
        """In the order they were said."""
        ...

    async def say(
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
        """Add a message; saying it again under the same id changes nothing."""
        ...

    async def erase(self, owner: str, thread_id: str) -> None:
        """Let go of a thread and all its jobs found; raises ThreadBusy while one is at work."""
        ...


class SqlThreads:
    def __init__(self, database: Database, vault: Vault, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock

    async def thread(self, owner: str, thread_id: str) -> Thread:
        chain = await self._chain(owner)
        found = await self._database.fetch(rows.ONE, {"id": thread_id, "owner": chain.tag})
        if not found:
            raise ThreadNotFound
        covering = await self._vault.covering(owner, [found[0][-1]])
        return rows.open_thread(covering or chain, found[0])

    async def threads(self, owner: str, *, limit: int = 20, offset: int = 0) -> tuple[Thread, ...]:
        chain = await self._vault.find(owner)
        if chain is None:
            return ()
        params: dict[str, Scalar] = {"owner": chain.tag, "limit": limit, "offset": offset}
        found = await self._database.fetch(rows.LISTED, params)
        covering = await self._vault.covering(owner, [row[-1] for row in found])
        return tuple(rows.open_thread(covering or chain, row) for row in found)

    async def messages(self, owner: str, thread_id: str) -> tuple[Message, ...]:
        chain = await self._chain(owner)
        found = await self._database.fetch(rows.MESSAGES, {"id": thread_id, "owner": chain.tag})
        if not found:
            await self.thread(owner, thread_id)
        covering = await self._vault.covering(owner, [row[-1] for row in found])
        return tuple(rows.open_message(covering or chain, row) for row in found)

    async def say(
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
        chain = await self._chain(owner)
        message = Message(
            id=message_id, role=role, content=content, created=self._clock(), cost=cost, job=job
        )
        try:
            await self._database.execute(rows.said(chain, thread_id, message, once=True))
        except GuardFailed:
            raise ThreadNotFound from None

    async def erase(self, owner: str, thread_id: str) -> None:
        chain = await self._chain(owner)
        params: dict[str, Scalar] = {"id": thread_id, "owner": chain.tag}
        (gone,) = await self._database.execute([Statement(sql=rows.DELETE, params=params)])
        if not gone.changed:
            await self.thread(owner, thread_id)  # or there is none
            raise ThreadBusy

    async def erasing(self, owner: str) -> list[Statement]:
        tag = await self._vault.tag(owner)
        return [Statement(sql=rows.DELETE_OWNER, params={"owner": tag})]

    async def _chain(self, owner: str) -> Keychain:
        chain = await self._vault.find(owner)
        if chain is None:
            raise ThreadNotFound
        return chain
