"""API tokens: made for one owner, shown once, kept as hashes, and revocable.

A token is `cwt_<id>_<secret>`. The id finds the row; of the secret only a SHA-256 hash is kept, which
is enough, because 256 random bits cannot be guessed. Whose token it is, its name and its scopes are
encrypted with the owner's keys.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from citewell.store.failures import BatchRolledBack, DecryptionFailed, WriteContended
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.people.record_times import format_utc_time
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

API_TOKEN_PREFIX = "cwt_"  # noqa: S105 - how a token begins
REMEMBERED_SECONDS = 5.0  # within which a token that another process revoked may still be accepted
_TABLE = "api_token"
_ID_BYTES, _SECRET_BYTES = 10, 32
_MAX_REMEMBERED_TOKENS = 4096
_MAX_WRITE_ATTEMPTS = 3  # a further attempt is needed only if the owner's keys were just erased
_KEPT_SECONDS = 90 * 86400.0  # for which a token is still listed after it has ended
_TOKEN_PATTERN = re.compile(rf"{API_TOKEN_PREFIX}([a-z2-7]{{16}})_([A-Za-z0-9_-]{{43}})")
_NO_DIGEST = bytes(32)

_INSERT_ROW = """
INSERT INTO api_token (id, owner, digest, created, expires, revoked, body)
VALUES (:id, :owner, :digest, :created, :expires, NULL, :body)
"""
_DELETE_ENDED = "DELETE FROM api_token WHERE expires < :before OR revoked < :before"
_COLUMNS = "id, owner, digest, created, expires, revoked, body"
_SELECT_ROW = f"SELECT {_COLUMNS} FROM api_token WHERE id = :id"  # noqa: S608 - constants
_SELECT_ALL = f"SELECT {_COLUMNS} FROM api_token ORDER BY created, id"  # noqa: S608 - constants
_SELECT_OWN = f"SELECT {_COLUMNS} FROM api_token WHERE owner = :owner ORDER BY created, id"  # noqa: S608 - constants
_REVOKE_ROW = "UPDATE api_token SET revoked = :now WHERE id = :id AND revoked IS NULL"
_DELETE_OWNER_TOKENS = "DELETE FROM api_token WHERE owner = :owner"


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


class SqlTokenStore:
    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        clock: Callable[[], float],
        randomness: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock
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
        await self._insert_token(record, _hash_secret(secret))
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
            rows = await self._database.select_rows(_SELECT_ALL)
        else:
            tag = await self._vault.hash_owner_tag(owner)
            rows = await self._database.select_rows(_SELECT_OWN, {"owner": tag})
        found = [await self._read_row(row) for row in rows]
        return tuple(stored.record for stored in found if stored is not None)

    async def revoke_token(self, token_id: str) -> bool:
        """End a token at once; False if no valid token has this id."""
        params: dict[str, SqlScalar] = {"id": token_id, "now": self._clock()}
        (outcome,) = await self._database.execute_batch(
            [SqlStatement(sql=_REVOKE_ROW, params=params)]
        )
        self._remembered.pop(token_id, None)
        return bool(outcome.changed_rows)

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        """The statements that remove all of the owner's tokens."""
        for token_id, stored in list(self._remembered.items()):
            if stored.record.owner == owner:
                del self._remembered[token_id]
        tag = await self._vault.hash_owner_tag(owner)
        return [SqlStatement(sql=_DELETE_OWNER_TOKENS, params={"owner": tag})]

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """All tokens of the owner as JSON values, without anything that could be used as one."""
        return [record.to_json() for record in await self.list_tokens(owner)]

    async def _insert_token(self, record: ApiTokenRecord, digest: bytes) -> None:
        ended = SqlStatement(sql=_DELETE_ENDED, params={"before": record.created - _KEPT_SECONDS})
        for _ in range(_MAX_WRITE_ATTEMPTS):
            chain = await self._vault.ensure_keychain(record.owner)
            params: dict[str, SqlScalar] = {
                "id": record.id,
                "owner": chain.tag,
                "digest": digest,
                "created": record.created,
                "expires": record.expires,
                "body": chain.encrypt_row(_TABLE, record.id, _encode_token_record(record)),
            }
            inserted = SqlStatement(sql=_INSERT_ROW, params=params, expected_rows=1)
            try:
                await self._database.execute_batch(
                    [self._vault.build_owner_guard(chain), ended, inserted]
                )
            except BatchRolledBack:
                self._vault.forget_keychain(record.owner)  # erased in the meantime
            else:
                return
        raise WriteContended("The user's keys kept changing. Try again.")

    async def _find_stored_token(self, token_id: str) -> _StoredToken | None:
        known = self._remembered.get(token_id)
        if known is not None and 0 <= self._clock() - known.read_at < REMEMBERED_SECONDS:
            return known
        self._remembered.pop(token_id, None)
        rows = await self._database.select_rows(_SELECT_ROW, {"id": token_id})
        stored = await self._read_row(rows[0]) if rows else None
        if stored is not None:
            self._remembered[token_id] = stored
            if len(self._remembered) > _MAX_REMEMBERED_TOKENS:
                self._remembered.popitem(last=False)
        return stored

    async def _read_row(self, row: SqlRow) -> _StoredToken | None:
        """The token of a row; None if its owner's keys are gone, so that it is nobody's."""
        token_id, tag, digest, created, expires, revoked, body = row
        chain = await self._vault.load_tagged_keychain(tag)
        try:
            plain = _decode_token_body(chain, token_id, bytes(body))
        except DecryptionFailed:
            return None
        record = ApiTokenRecord(
            id=token_id,
            owner=plain["owner"],
            name=plain["name"],
            scopes=None if plain["scopes"] is None else tuple(plain["scopes"]),
            created=created,
            expires=expires,
            revoked=revoked,
        )
        return _StoredToken(record=record, digest=bytes(digest), read_at=self._clock())


def _hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()


def _encode_token_record(record: ApiTokenRecord) -> bytes:
    scopes = None if record.scopes is None else list(record.scopes)
    return json.dumps({"owner": record.owner, "name": record.name, "scopes": scopes}).encode()


def _decode_token_body(chain: OwnerKeychain | None, token_id: str, body: bytes) -> dict[str, Any]:
    if chain is None:
        raise DecryptionFailed("The keys of the owner were erased.")
    plain: dict[str, Any] = json.loads(chain.decrypt_row(_TABLE, token_id, body))
    return plain
