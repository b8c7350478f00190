"""MCP sessions that every instance on a database can serve, and the messages that instances pass on.

A session of the handshake era is what its client said when it opened it. The rows hold that,
encrypted, and who may use it; an instance that does not know the session opens it again from there.
Times are those of the database server, so the clocks of the instances may differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.store.coordination.change_notices import ChangeNotices
from citewell.store.encryption import EncryptionKeyring, RowPlace
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable, OwnerStore
from citewell.store.sql.database import (
    SqlDatabase,
    SqlScalar,
    SqlStatement,
    StatementOutcome,
)

MESSAGE_TOPIC = "mcp_session"
BUSY_SECONDS = 25.0  # a session used within this time is not ended to make room for another one
MESSAGE_SECONDS = 60.0  # for which a message waits for the instance that it is meant for
_TABLE, _MESSAGE_TABLE = "mcp_session", "mcp_session_message"
_SECRET_PURPOSE = "mcp sessions"  # noqa: S105 - what the secret is for
_NAME_KIND = "mcp session"
_HOLDER_KIND = "mcp session holder"

_INSERT_SESSION = """
INSERT INTO mcp_session (id, owner, holder, used, body) VALUES (:id, :owner, :holder, {now}, :body)
"""
_USE_SESSION = """
UPDATE mcp_session SET used = {now}
WHERE id = :id AND owner = :owner AND used > {now} - :idle RETURNING body
"""
_KEEP_SESSION = "UPDATE mcp_session SET used = {now} WHERE id = :id AND used > {now} - :idle"
_DELETE_SESSION = "DELETE FROM mcp_session WHERE id = :id AND owner = :owner"
_DELETE_EXPIRED = "DELETE FROM mcp_session WHERE used <= {now} - :idle"
_DELETE_OLD_MESSAGES = "DELETE FROM mcp_session_message WHERE sent <= {now} - :kept"
_COUNT_HELD = "SELECT COUNT(*) FROM mcp_session WHERE holder = :holder AND used > {now} - :idle"
_DELETE_LEAST_USED = """
DELETE FROM mcp_session WHERE id IN (
    SELECT id FROM mcp_session WHERE holder = :holder AND used <= {now} - :busy
    ORDER BY used, id LIMIT :count
)
"""
_INSERT_MESSAGE = """
INSERT INTO mcp_session_message (session, owner, sender, sent, body)
SELECT id, owner, CAST(:sender AS TEXT), {now}, CAST(:body AS {bytes}) FROM mcp_session
WHERE id = :session AND owner = :owner
"""
_SELECT_MESSAGES = """
SELECT number, session, body FROM mcp_session_message
WHERE sent > {now} - :kept AND sender <> :sender ORDER BY number
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSession:
    """What opens a session on another instance: its path, the client and its `initialize` request."""

    path: str
    client_id: str | None
    opening: str  # the body of the request, as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMessage:
    """A message of a client that reached another instance than the one that waits for it."""

    number: int
    session: str  # the name of the session's row, see `hash_session_name`
    content: str | None  # the JSON-RPC message; None if the session was ended


class SqlMcpSessionStore(OwnerStore):
    tables = (OwnedTable(name=_MESSAGE_TABLE), OwnedTable(name=_TABLE))

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        notices: ChangeNotices,
        *,
        idle_seconds: float,
        sender: str,
        clock: Callable[[], float],
    ) -> None:
        """`sender` names this process among those that exchange messages."""
        super().__init__(database, vault, clock=clock)
        self.notices = notices
        self._idle_seconds = float(idle_seconds)
        self._sender = sender
        self._ring: EncryptionKeyring | None = None

    async def open_session(
        self, owner: str, session_id: str, session: SharedSession, *, holder: str
    ) -> None:
        """Keep a session that was just opened; any instance can serve it once this returns."""
        name = await self.hash_session_name(session_id)
        body = {"path": session.path, "client": session.client_id, "opening": session.opening}
        params: dict[str, SqlScalar] = {
            "id": name,
            "owner": await self._vault.hash_owner_tag(owner),
            "holder": await self._vault.hash_shared_name(_HOLDER_KIND, holder),
            "body": await self._encrypt_body(_TABLE, name, json.dumps(body).encode()),
        }
        await self._execute([(_INSERT_SESSION, params)])

    async def use_session(self, owner: str, session_id: str) -> SharedSession | None:
        """The session, whose idle time begins again; None if it ended or is not the owner's."""
        name = await self.hash_session_name(session_id)
        params: dict[str, SqlScalar] = {
            "id": name,
            "owner": await self._vault.hash_owner_tag(owner),
        }
        (outcome,) = await self._execute([(_USE_SESSION, params)])
        if not outcome.rows:
            return None
        found: dict[str, Any] = json.loads(
            await self._decrypt_body(_TABLE, name, outcome.rows[0][0])
        )
        return SharedSession(
            path=found["path"], client_id=found["client"], opening=found["opening"]
        )

    async def keep_sessions(self, names: Collection[str]) -> None:
        """Begin the idle time of these rows again, because requests of them are running."""
        if names:
            await self._execute([(_KEEP_SESSION, {"id": name}) for name in sorted(names)])

    async def close_session(self, owner: str, session_id: str) -> bool:
        """End a session on every instance; False if there is none of this owner."""
        name = await self.hash_session_name(session_id)
        tag = await self._vault.hash_owner_tag(owner)
        message = await self._build_message(name, tag, None)
        outcomes = await self._execute(
            [message, (_DELETE_SESSION, {"id": name, "owner": tag})], notice=name
        )
        return bool(outcomes[1].changed_rows)

    async def make_room(self, holder: str, max_sessions: int) -> bool:
        """Whether the holder may open one more; its least recently used sessions are ended for it.

        Sessions that were used a moment ago are left alone.
        """
        tag = await self._vault.hash_shared_name(_HOLDER_KIND, holder)
        await self._execute([(_DELETE_EXPIRED, {}), (_DELETE_OLD_MESSAGES, {})])
        excess = await self._count_held(tag) - max_sessions + 1
        if excess <= 0:
            return True
        await self._execute([(_DELETE_LEAST_USED, {"holder": tag, "count": excess})])
        return await self._count_held(tag) < max_sessions

    async def send_message(self, owner: str, session_id: str, content: str) -> None:
        """Pass a message of the session's client on to the other instances."""
        name = await self.hash_session_name(session_id)
        message = await self._build_message(name, await self._vault.hash_owner_tag(owner), content)
        await self._execute([message], notice=name)

    async def list_messages(self, names: Collection[str]) -> tuple[SessionMessage, ...]:
        """What other instances have passed on in the last minute for sessions with these rows."""
        rows = await self._database.select_rows(
            self._write_sql(_SELECT_MESSAGES), self._fill_params({})
        )
        messages = []
        for number, name, sealed in rows:
            if name in names:
                plain = json.loads(await self._decrypt_body(_MESSAGE_TABLE, name, sealed))
                messages.append(
                    SessionMessage(number=number, session=name, content=plain["content"])
                )
        return tuple(messages)

    async def hash_session_name(self, session_id: str) -> str:
        """The name of the row of a session; nobody can tell the id from it."""
        return await self._vault.hash_shared_name(_NAME_KIND, session_id)

    async def _build_message(
        self, name: str, tag: str, content: str | None
    ) -> tuple[str, dict[str, SqlScalar]]:
        plain = json.dumps({"content": content}).encode()
        body = await self._encrypt_body(_MESSAGE_TABLE, name, plain)
        return _INSERT_MESSAGE, {"session": name, "owner": tag, "body": body}

    async def _count_held(self, tag: str) -> int:
        ((count,),) = await self._database.select_rows(
            self._write_sql(_COUNT_HELD), self._fill_params({"holder": tag})
        )
        return int(count)

    async def _execute(
        self, batch: list[tuple[str, dict[str, SqlScalar]]], *, notice: str | None = None
    ) -> Sequence[StatementOutcome]:
        statements = [
            SqlStatement(sql=self._write_sql(sql), params=self._fill_params(params))
            for sql, params in batch
        ]
        if notice is not None:
            statements += self.notices.build_notice(MESSAGE_TOPIC, notice)
        outcomes = await self._database.execute_batch(statements)
        if notice is not None:
            self.notices.notify_here(MESSAGE_TOPIC, notice)
        return outcomes

    def _write_sql(self, sql: str) -> str:
        dialect = self._database.dialect
        return sql.format(now=dialect.now_expression, bytes=dialect.bytes_type)

    def _fill_params(self, params: dict[str, SqlScalar]) -> dict[str, SqlScalar]:
        return {
            "now": self._clock(),
            "idle": self._idle_seconds,
            "busy": min(BUSY_SECONDS, self._idle_seconds),
            "kept": MESSAGE_SECONDS,
            "sender": self._sender,
            **params,
        }

    async def _encrypt_body(self, table: str, name: str, plain: bytes) -> bytes:
        ring = await self._load_ring()
        return ring.encrypt_bytes(RowPlace(owner="", table=table, row=name), plain)

    async def _decrypt_body(self, table: str, name: str, sealed: bytes) -> bytes:
        ring = await self._load_ring()
        return ring.decrypt_bytes(RowPlace(owner="", table=table, row=name), bytes(sealed))

    async def _load_ring(self) -> EncryptionKeyring:
        """A key of the whole store: a session begins before its owner stores anything."""
        if self._ring is None:
            secret = await self._vault.derive_store_secret(_SECRET_PURPOSE)
            self._ring = EncryptionKeyring([secret])
        return self._ring
