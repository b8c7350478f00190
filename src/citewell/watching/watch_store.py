"""Watched bibliographies and saved searches: what is known of each, and the news of later checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from citewell.people.consent_service import ConsentPurpose, build_consent_guard
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnerStore, RecordTable
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement
from citewell.text.calendar_dates import format_utc_time

WatchKind = Literal["references", "query"]
_MAX_WRITE_ATTEMPTS = 3  # a further attempt is needed only if the owner's keys were just erased
MAX_NEWS = 5000  # of one owner; beyond that the oldest is deleted

# Changes nothing, and rolls the batch back if the owner has too many.
_CONFIRM_NUMBER = """
UPDATE watch SET revision = 1 WHERE id = :id AND (
    SELECT COUNT(*) FROM watch AS other WHERE other.owner = :owner AND other.kind = :kind
    AND (other.expires IS NULL OR other.expires > :now)
) <= :most
"""
_UPDATE_WATCH = """
UPDATE watch SET due = :due, revision = revision + 1, body = :body
WHERE id = :id AND owner = :owner AND revision = :revision
"""
_POSTPONE_WATCH = "UPDATE watch SET due = :due WHERE id = :id AND owner = :owner"
_DELETE_WATCH = "DELETE FROM watch WHERE id = :id AND owner = :owner"
_DELETE_EXPIRED = "DELETE FROM watch WHERE expires <= :now"
_MARK_TOLD = "UPDATE watch_news SET is_told = 1 WHERE id = :id"


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
        fields = {
            "id": self.id,
            "kind": self.kind,
            **self.definition,
            "state": self.state,
            "createdAt": format_utc_time(self.created),
            "expiresAt": format_utc_time(self.expires) if self.expires else None,
            "dueAt": format_utc_time(self.due),
        }
        return {key: value for key, value in fields.items() if value is not None}


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


WATCHES = RecordTable(
    name="watch",
    counted_as="watches",
    record=WatchRecord,
    columns=("id", "kind", "created", "expires", "due", "revision"),
    encrypted=("owner", "definition", "state"),
    left_out="A watch",
)
NEWS = RecordTable(
    name="watch_news",
    counted_as="watch_news",
    record=WatchNewsItem,
    columns=("id", "watch", "found", "is_told"),
    encrypted=("content",),
    body_shape="value",
    left_out="A piece of news",
)


class SqlWatchStore(OwnerStore):
    """Every call names an owner (tenant/user), except those of the process that checks what is due."""

    tables = (WATCHES, NEWS)

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
        super().__init__(database, vault, clock=clock)
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
        rest = "AND (expires IS NULL OR expires > :now) ORDER BY created, id"
        found = await self._read_own(WATCHES, owner, rest, now=self._clock())
        return tuple(replace(record, owner=owner) for record in found)

    async def list_due_watches(self, *, limit: int) -> tuple[WatchRecord, ...]:
        """The watches of all owners that should be checked now, the longest due first."""
        rest = """
WHERE due <= :now AND (expires IS NULL OR expires > :now) ORDER BY due, id LIMIT :limit
"""
        return await self._read_all(WATCHES, rest, now=self._clock(), limit=limit)

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
        checked = replace(record, owner=owner, state=state)
        params: dict[str, SqlScalar] = {
            "id": record.id,
            "owner": chain.tag,
            "due": due,
            "revision": record.revision,
            "body": WATCHES.encrypt_record(chain, checked, {"id": record.id}),
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
        await self._change_rows(_POSTPONE_WATCH, id=watch_id, owner=tag, due=due)

    async def remove_watch(self, owner: str, watch_id: str) -> bool:
        """Delete a watch with its news; False if the owner has no such watch."""
        tag = await self._vault.hash_owner_tag(owner)
        return await self._change_rows(_DELETE_WATCH, id=watch_id, owner=tag) > 0

    async def list_news(
        self, owner: str, *, since: float = 0.0, limit: int = MAX_NEWS
    ) -> tuple[WatchNewsItem, ...]:
        """What was found after `since`, the newest first."""
        rest = "AND found > :since ORDER BY found DESC, id LIMIT :limit"
        return await self._read_own(NEWS, owner, rest, since=since, limit=limit)

    async def list_untold_news(self, *, limit: int) -> tuple[WatchNewsItem, ...]:
        """News of all owners that the webhook has not taken yet, the oldest first."""
        rest = "WHERE is_told = 0 ORDER BY found, id LIMIT :limit"
        return await self._read_all(NEWS, rest, limit=limit)

    async def mark_news_told(self, news_ids: Sequence[str]) -> None:
        """The webhook has taken these."""
        await self._database.execute_batch(
            [SqlStatement(sql=_MARK_TOLD, params={"id": item}) for item in news_ids]
        )

    async def delete_expired(self) -> int:
        """Delete watches past their time, and return their number."""
        return await self._change_rows(_DELETE_EXPIRED, now=self._clock())

    async def export_owner(self, owner: str) -> dict[str, list[dict[str, Any]]]:
        """All watches and news of the owner as JSON values."""
        return {
            "watches": [watch.to_json() for watch in await self.list_watches(owner)],
            "news": [item.to_json() for item in await self.list_news(owner)],
        }

    def _build_watch_inserts(
        self, chain: OwnerKeychain, record: WatchRecord, most: int
    ) -> list[SqlStatement]:
        now = self._clock()
        params: dict[str, SqlScalar] = {
            "id": record.id,
            "owner": chain.tag,
            "kind": record.kind,
            "now": now,
            "most": most,
        }
        return [
            WATCHES.build_insert(chain, record, created=now, revision=1),
            SqlStatement(sql=_CONFIRM_NUMBER, params=params, expected_rows=1),
        ]

    def _build_news_inserts(
        self, chain: OwnerKeychain, watch_id: str, news: Sequence[WatchNewsItem]
    ) -> list[SqlStatement]:
        now = self._clock()
        rows = [
            NEWS.build_insert(chain, item, watch=watch_id, found=now, is_told=self._is_told)
            for item in news
        ]
        if rows:
            limit: dict[str, SqlScalar] = {"owner": chain.tag, "most": self._max_news}
            rows.append(NEWS.build_eviction(limit, group="owner = :owner", order="found, id"))
        return rows
