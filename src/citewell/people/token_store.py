"""API tokens: made for one owner, shown once, kept as hashes, and revocable.

A token is `cwt_<id>_<secret>`. The id finds the row; of the secret only a SHA-256 hash is kept, which
is enough, because 256 random bits cannot be guessed. Whose token it is, its name and its scopes are
encrypted with the owner's keys.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnerStore, RecordTable
from citewell.store.sql.database import SqlDatabase, SqlStatement
from citewell.text.calendar_dates import format_utc_time

API_TOKEN_PREFIX = "cwt_"  # noqa: S105 - how a token begins
REMEMBERED_SECONDS = 5.0  # within which a token that another process revoked may still be accepted
_ID_BYTES, _SECRET_BYTES = 10, 32
_MAX_REMEMBERED_TOKENS = 4096
_KEPT_SECONDS = 90 * 86400.0  # for which a token is still listed after it has ended
_TOKEN_PATTERN = re.compile(rf"{API_TOKEN_PREFIX}([a-z2-7]{{16}})_([A-Za-z0-9_-]{{43}})")
_NO_DIGEST = bytes(32)

_DELETE_ENDED = "DELETE FROM api_token WHERE expires < :before OR revoked < :before"
_REVOKE_ROW = "UPDATE api_token SET revoked = :now WHERE id = :id AND revoked IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiTokenRecord:
    """What is known about a token; nothing in it lets anyone use the token."""

    id: str
    owner: str
    name: str
    scopes: tuple[str, ...] | None  # None if the token may call every tool
    created: float
    expires: float | None
    revoked: float | None

    def is_valid_at(self, now: float) -> bool:
        return self.revoked is None and (self.expires is None or now < self.expires)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "owner": self.owner,
            "name": self.name,
            "scopes": None if self.scopes is None else list(self.scopes),
            "createdAt": format_utc_time(self.created),
            "expiresAt": None if self.expires is None else format_utc_time(self.expires),
            "revokedAt": None if self.revoked is None else format_utc_time(self.revoked),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedToken:
    """A token that was just made; `secret_text` is not kept anywhere."""

    secret_text: str = field(repr=False)
    record: ApiTokenRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredToken:
    record: ApiTokenRecord
    digest: bytes = field(repr=False)
    read_at: float


TOKENS = RecordTable(
    name="api_token",
    counted_as="api_tokens",
    record=ApiTokenRecord,
    columns=("id", "digest", "created", "expires", "revoked"),
    encrypted=("owner", "name", "scopes"),
    body_shape="object",
    left_out="An API token",
)


class SqlTokenStore(OwnerStore):
    tables = (TOKENS,)

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        clock: Callable[[], float],
        randomness: Callable[[int], bytes] = os.urandom,
    ) -> None:
        super().__init__(database, vault, clock=clock)
        self._randomness = randomness
        self._remembered: OrderedDict[str, _StoredToken] = OrderedDict()

    async def create_token(
        self,
        owner: str,
        *,
        name: str = "",
        scopes: Collection[str] | None = None,
        lifetime: float | None = None,
    ) -> CreatedToken:
        """Make a token for `owner` that ends after `lifetime` seconds, or never."""
        now = self._clock()
        secret = base64.urlsafe_b64encode(self._randomness(_SECRET_BYTES)).decode().rstrip("=")
        record = ApiTokenRecord(
            id=base64.b32encode(self._randomness(_ID_BYTES)).decode().lower(),
            owner=owner,
            name=name,
            scopes=None if scopes is None else tuple(sorted(set(scopes))),
            created=now,
            expires=None if lifetime is None else now + lifetime,
            revoked=None,
        )
        digest = _hash_secret(secret)
        ended = SqlStatement(sql=_DELETE_ENDED, params={"before": now - _KEPT_SECONDS})
        await self._write_as_owner(
            owner, lambda chain: [ended, TOKENS.build_insert(chain, record, digest=digest)]
        )
        return CreatedToken(secret_text=f"{API_TOKEN_PREFIX}{record.id}_{secret}", record=record)

    async def find_token(self, secret_text: str) -> ApiTokenRecord | None:
        """The record of this token, valid or not; None if there is no such token.

        The secret is compared in a time that tells nothing about it. A token that was read is
        remembered for `REMEMBERED_SECONDS`.
        """
        parsed = _TOKEN_PATTERN.fullmatch(secret_text)
        if parsed is None:
            return None
        token_id, secret = parsed.groups()
        stored = await self._find_stored_token(token_id)
        is_same = hmac.compare_digest(
            _hash_secret(secret), _NO_DIGEST if stored is None else stored.digest
        )
        return stored.record if stored is not None and is_same else None

    async def list_tokens(self, owner: str | None = None) -> tuple[ApiTokenRecord, ...]:
        """The tokens of `owner`, or of all, oldest first; ended ones are listed for 90 days."""
        if owner is None:
            return await self._read_all(TOKENS, "ORDER BY created, id")
        tag = await self._vault.hash_owner_tag(owner)
        return await self._read_all(TOKENS, "WHERE owner = :owner ORDER BY created, id", owner=tag)

    async def revoke_token(self, token_id: str) -> bool:
        """End a token at once; False if no valid token has this id."""
        revoked = await self._change_rows(_REVOKE_ROW, id=token_id, now=self._clock())
        self._remembered.pop(token_id, None)
        return bool(revoked)

    def forget_owner(self, owner: str) -> None:
        for token_id, stored in list(self._remembered.items()):
            if stored.record.owner == owner:
                del self._remembered[token_id]

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """All tokens of the owner as JSON values, without anything that could be used as one."""
        return [record.to_json() for record in await self.list_tokens(owner)]

    async def _find_stored_token(self, token_id: str) -> _StoredToken | None:
        known = self._remembered.get(token_id)
        if known is not None and 0 <= self._clock() - known.read_at < REMEMBERED_SECONDS:
            return known
        self._remembered.pop(token_id, None)
        sql = TOKENS.build_select("WHERE id = :id")
        rows = await self._database.select_rows(sql, {"id": token_id})
        # None are left if the keys of its owner are gone, so that it is nobody's.
        for record in await self._decrypt_all(TOKENS, rows):
            stored = _StoredToken(record=record, digest=bytes(rows[0][1]), read_at=self._clock())
            self._remembered[token_id] = stored
            if len(self._remembered) > _MAX_REMEMBERED_TOKENS:
                self._remembered.popitem(last=False)
            return stored
        return None


def _hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()
