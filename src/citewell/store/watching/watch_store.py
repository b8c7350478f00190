"""Watched bibliographies and saved searches: what is known of each, and the news of later checks."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from citewell.store.failures import BatchRolledBack, DecryptionFailed, WriteContended
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.people.consent_store import ConsentPurpose, build_consent_guard
from citewell.store.people.record_times import format_utc_time
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)
WatchKind = Literal["references", "query"]
_WATCH_TABLE, _NEWS_TABLE = "watch", "watch_news"
_MAX_WRITE_ATTEMPTS = 3  # a further attempt is needed only if the owner's keys were just erased
MAX_NEWS = 5000  # of one owner; beyond that the oldest is deleted

_INSERT_WATCH = """
INSERT INTO watch (id, owner, kind, created, expires, due, revision, body)
VALUES (:id, :owner, :kind, :now, :expires, :due, 1, :body)
"""
# Changes nothing, and rolls the batch back if the owner has too many.
_CONFIRM_NUMBER = """
UPDATE watch SET revision = 1 WHERE id = :id AND (
    SELECT COUNT(*) FROM watch AS other WHERE other.owner = :owner AND other.kind = :kind
    AND (other.expires IS NULL OR other.expires > :now)
) <= :most
"""
_COLUMNS = "id, owner, kind, created, expires, due, revision, body"
_SELECT_WATCHES = f"""
SELECT {_COLUMNS} FROM watch
WHERE owner = :owner AND (expires IS NULL OR expires > :now) ORDER BY created, id
"""  # noqa: S608 - our own names
_SELECT_DUE = f"""
SELECT {_COLUMNS} FROM watch
WHERE due <= :now AND (expires IS NULL OR expires > :now) ORDER BY due, id LIMIT :limit
"""  # noqa: S608 - our own names
_UPDATE_WATCH = """
UPDATE watch SET due = :due, revision = revision + 1, body = :body
WHERE id = :id AND owner = :owner AND revision = :revision
"""
_POSTPONE_WATCH = "UPDATE watch SET due = :due WHERE id = :id AND owner = :owner"
_DELETE_WATCH = "DELETE FROM watch WHERE id = :id AND owner = :owner"
_DELETE_EXPIRED = "DELETE FROM watch WHERE expires <= :now"
_INSERT_NEWS = """
INSERT INTO watch_news (id, owner, watch, found, is_told, body)
VALUES (:id, :owner, :watch, :now, :told, :body)
"""
_EVICT_NEWS = """
DELETE FROM watch_news WHERE id IN (
    SELECT id FROM watch_news WHERE owner = :owner ORDER BY found, id
    LIMIT (
        SELECT CASE WHEN COUNT(*) > :most THEN COUNT(*) - :most ELSE 0 END
        FROM watch_news WHERE owner = :owner
    )
)
"""
_SELECT_NEWS = """
SELECT id, watch, found, body FROM watch_news
WHERE owner = :owner AND found > :since ORDER BY found DESC, id LIMIT :limit
"""
_SELECT_UNTOLD_NEWS = """
SELECT id, watch, found, body, owner FROM watch_news WHERE is_told = 0 ORDER BY found, id LIMIT :limit
"""
_MARK_TOLD = "UPDATE watch_news SET is_told = 1 WHERE id = :id"
_DELETE_OWNER_WATCHES = "DELETE FROM watch WHERE owner = :owner"
_DELETE_OWNER_NEWS = "DELETE FROM watch_news WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRecord:
    """`definition` says what is watched, `state` what was known of it at the last check."""

    id: str
    owner: str
    kind: WatchKind
    definition: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)
    created: float = 0.0  # seconds since the epoch; set by the store
    expires: float | None = None
    due: float = 0.0
    revision: int = 0

    def to_json(self) -> dict[str, Any]:
        told = {
            "id": self.id,
            "kind": self.kind,
            **self.definition,
            "state": self.state,
            "createdAt": format_utc_time(self.created),
            "expiresAt": format_utc_time(self.expires) if self.expires else None,
            "dueAt": format_utc_time(self.due),
        }
        return {key: value for key, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchNewsItem:
    """One change that a check found."""

    id: str
    watch: str
    content: dict[str, Any]
    found: float = 0.0  # seconds since the epoch; set by the store

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "watch": self.watch,
            "foundAt": format_utc_time(self.found),
            **self.content,
        }


class SqlWatchStore:
    """Every call names an owner (tenant/user), except those of the process that checks what is due."""

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        clock: Callable[[], float],
        has_receiver: bool = False,
        max_news: int = MAX_NEWS,
    ) -> None:
        """`has_receiver` is whether a webhook is to be told of news."""
        self._database = database
        self._vault = vault
        self._clock = clock
        self._is_told = 0 if has_receiver else 1
        self._max_news = max_news

    async def add_watch(
        self,
        owner: str,
        record: WatchRecord,
        *,
        most: int,
        news: Sequence[WatchNewsItem] = (),
        purpose: ConsentPurpose | None = None,
    ) -> bool:
        """Store a new watch with its first news; False if the owner has `most` of its kind already.

        With a `purpose` it is stored only while the owner consents to it; else False.
        """
        for _ in range(_MAX_WRITE_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            guards = [self._vault.build_owner_guard(chain)]
            consent = [build_consent_guard(chain, purpose)] if purpose else []
            inserts = self._build_watch_inserts(chain, record, most)
            rows = self._build_news_inserts(chain, record.id, news)
            try:
                await self._database.execute_batch([*guards, *consent, *inserts, *rows])
            except BatchRolledBack:
                if await self._vault.reload_keychain(owner) is not None:
                    return False
                self._vault.forget_keychain(owner)
            else:
                return True
        raise WriteContended("The watch was not stored, because others kept writing. Try again.")

    async def list_watches(self, owner: str) -> tuple[WatchRecord, ...]:
        """All watches that have not expired, the oldest first."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        params: dict[str, SqlScalar] = {"owner": chain.tag, "now": self._clock()}
        found = await self._database.select_rows(_SELECT_WATCHES, params)
        covering = await self._vault.find_covering_keychain(owner, [row[7] for row in found])
        return tuple(_open_watches(covering, owner, found)) if covering else ()

    async def list_due_watches(self, *, limit: int) -> tuple[WatchRecord, ...]:
        """The watches of all owners that should be checked now, the longest due first."""
        params: dict[str, SqlScalar] = {"now": self._clock(), "limit": limit}
        found = await self._database.select_rows(_SELECT_DUE, params)
        opened: list[WatchRecord] = []
        for row in found:
            chain = await self._vault.load_tagged_keychain(row[1])
            opened += _open_watches(chain, "", [row]) if chain else ()
        return tuple(opened)

    async def save_check(
        self,
        owner: str,
        record: WatchRecord,
        *,
        state: dict[str, Any],
        due: float,
        news: Sequence[WatchNewsItem],
    ) -> bool:
        """Store what a check found; False if another check or a removal was faster."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return False
        body = _encode_watch(owner, record.definition, state)
        params: dict[str, SqlScalar] = {
            "id": record.id,
            "owner": chain.tag,
            "due": due,
            "revision": record.revision,
            "body": chain.encrypt_row(_WATCH_TABLE, record.id, body),
        }
        changed = SqlStatement(sql=_UPDATE_WATCH, params=params, expected_rows=1)
        rows = self._build_news_inserts(chain, record.id, news)
        try:
            await self._database.execute_batch(
                [self._vault.build_owner_guard(chain), changed, *rows]
            )
        except BatchRolledBack:
            return False
        return True

    async def postpone_watch(self, owner: str, watch_id: str, *, due: float) -> None:
        """Check it again at another time, such as after a failure."""
        tag = await self._vault.hash_owner_tag(owner)
        params: dict[str, SqlScalar] = {"id": watch_id, "owner": tag, "due": due}
        await self._database.execute_batch([SqlStatement(sql=_POSTPONE_WATCH, params=params)])

    async def remove_watch(self, owner: str, watch_id: str) -> bool:
        """Delete a watch with its news; False if the owner has no such watch."""
        tag = await self._vault.hash_owner_tag(owner)
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_WATCH, params={"id": watch_id, "owner": tag})]
        )
        return gone.changed_rows > 0

    async def list_news(
        self, owner: str, *, since: float = 0.0, limit: int = MAX_NEWS
    ) -> tuple[WatchNewsItem, ...]:
        """What was found after `since`, the newest first."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        params: dict[str, SqlScalar] = {"owner": chain.tag, "since": since, "limit": limit}
        found = await self._database.select_rows(_SELECT_NEWS, params)
        covering = await self._vault.find_covering_keychain(owner, [row[3] for row in found])
        return tuple(_open_news(covering, found)) if covering else ()

    async def list_untold_news(self, *, limit: int) -> tuple[WatchNewsItem, ...]:
        """News of all owners that the webhook has not taken yet, the oldest first."""
        found = await self._database.select_rows(_SELECT_UNTOLD_NEWS, {"limit": limit})
        opened: list[WatchNewsItem] = []
        for *row, tag in found:
            chain = await self._vault.load_tagged_keychain(tag)
            opened += _open_news(chain, [tuple(row)]) if chain else ()
        return tuple(opened)

    async def mark_news_told(self, news_ids: Sequence[str]) -> None:
        """The webhook has taken these."""
        await self._database.execute_batch(
            [SqlStatement(sql=_MARK_TOLD, params={"id": one}) for one in news_ids]
        )

    async def delete_expired(self) -> int:
        """Delete watches past their time, and return their number."""
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_EXPIRED, params={"now": self._clock()})]
        )
        return gone.changed_rows

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        """The statements that remove all of the owner's watches and news."""
        params: dict[str, SqlScalar] = {"owner": await self._vault.hash_owner_tag(owner)}
        return [
            SqlStatement(sql=_DELETE_OWNER_NEWS, params=params),
            SqlStatement(sql=_DELETE_OWNER_WATCHES, params=params),
        ]

    async def export_owner(self, owner: str) -> dict[str, list[dict[str, Any]]]:
        """All watches and news of the owner as JSON values."""
        return {
            "watches": [one.to_json() for one in await self.list_watches(owner)],
            "news": [one.to_json() for one in await self.list_news(owner)],
        }

    def _build_watch_inserts(
        self, chain: OwnerKeychain, record: WatchRecord, most: int
    ) -> list[SqlStatement]:
        body = _encode_watch(record.owner, record.definition, record.state)
        params: dict[str, SqlScalar] = {
            "id": record.id,
            "owner": chain.tag,
            "kind": record.kind,
            "now": self._clock(),
            "expires": record.expires,
            "due": record.due,
            "most": most,
            "body": chain.encrypt_row(_WATCH_TABLE, record.id, body),
        }
        return [
            SqlStatement(sql=_INSERT_WATCH, params=params, expected_rows=1),
            SqlStatement(sql=_CONFIRM_NUMBER, params=params, expected_rows=1),
        ]

    def _build_news_inserts(
        self, chain: OwnerKeychain, watch_id: str, news: Sequence[WatchNewsItem]
    ) -> list[SqlStatement]:
        now = self._clock()
        rows: list[SqlStatement] = []
        for item in news:
            body = chain.encrypt_row(_NEWS_TABLE, item.id, json.dumps(item.content).encode())
            params: dict[str, SqlScalar] = {
                "id": item.id,
                "owner": chain.tag,
                "watch": watch_id,
                "now": now,
                "told": self._is_told,
                "body": body,
            }
            rows.append(SqlStatement(sql=_INSERT_NEWS, params=params, expected_rows=1))
        if rows:
            limit: dict[str, SqlScalar] = {"owner": chain.tag, "most": self._max_news}
            rows.append(SqlStatement(sql=_EVICT_NEWS, params=limit))
        return rows


def _encode_watch(owner: str, definition: dict[str, Any], state: dict[str, Any]) -> bytes:
    return json.dumps([owner, definition, state]).encode()


def _open_watches(
    chain: OwnerKeychain, owner: str, rows: Iterable[SqlRow]
) -> Iterable[WatchRecord]:
    """The rows that can be decrypted; the others are left out, with a warning."""
    for watch_id, _, kind, created, expires, due, revision, body in rows:
        try:
            plain = chain.decrypt_row(_WATCH_TABLE, watch_id, body)
        except DecryptionFailed as error:
            logger.warning("A watch is left out. %s", error.message)
            continue
        stored_owner, definition, state = json.loads(plain)
        yield WatchRecord(
            id=watch_id,
            owner=owner or stored_owner,
            kind=kind,
            definition=definition,
            state=state,
            created=float(created),
            expires=None if expires is None else float(expires),
            due=float(due),
            revision=int(revision),
        )


def _open_news(chain: OwnerKeychain, rows: Iterable[SqlRow]) -> Iterable[WatchNewsItem]:
    for news_id, watch, found, body in rows:
        try:
            plain = chain.decrypt_row(_NEWS_TABLE, news_id, body)
        except DecryptionFailed as error:
            logger.warning("A piece of news is left out. %s", error.message)
            continue
        yield WatchNewsItem(id=news_id, watch=watch, content=json.loads(plain), found=float(found))
