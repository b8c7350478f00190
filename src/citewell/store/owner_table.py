"""Tables whose rows belong to owners: how a row is encrypted, written, read, counted and erased.

A store declares its tables and inherits `OwnerStore`. An owner appears in the tables only as a keyed
hash, the tag; what a row says is encrypted with the owner's keys under the names of table and row.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from citewell.store.encryption import compress_body, decompress_body
from citewell.store.failures import BatchRolledBack, DecryptionFailed, WriteContended
from citewell.store.sql.database import (
    SqlDatabase,
    SqlRow,
    SqlScalar,
    SqlStatement,
    StatementOutcome,
    change_rows,
)

if TYPE_CHECKING:
    from citewell.store.encryption import OwnerKeychain
    from citewell.store.key_vault import KeyVault

logger = logging.getLogger(__name__)
Record = TypeVar("Record")
_MAX_WRITE_ATTEMPTS = 3  # a further attempt is needed only if the owner's keys were just erased


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedTable:
    """A table with a column `owner`, or one whose rows go with the row of an owned `parent`."""

    name: str
    counted_as: str = ""  # the namespace under which a receipt of an erasure counts the rows
    parent: str = ""  # the column that refers to the parent's key, named like the parent
    parent_key: str = "id"
    kept_because: str = ""  # why an erasure leaves the rows; without it they are deleted
    is_compressed: bool = False

    @property
    def is_erased(self) -> bool:
        return not self.parent and not self.kept_because

    def encrypt_body(self, chain: OwnerKeychain, row: str, plain: bytes) -> bytes:
        return chain.encrypt_row(
            self.name, row, compress_body(plain) if self.is_compressed else plain
        )

    def decrypt_body(self, chain: OwnerKeychain, row: str, sealed: bytes) -> bytes:
        """Raises DecryptionFailed."""
        plain = chain.decrypt_row(self.name, row, sealed)
        return decompress_body(plain) if self.is_compressed else plain

    def build_owner_count(self, tag: str) -> SqlStatement:
        """How many rows the owner has."""
        condition = "owner = :owner"
        if self.parent:
            condition = (
                f"{self.parent} IN (SELECT {self.parent_key} FROM {self.parent} WHERE {condition})"  # noqa: S608 - our own names
            )
        sql = f"SELECT COUNT(*) FROM {self.name} WHERE {condition}"  # noqa: S608 - our own names
        return SqlStatement(sql=sql, params={"owner": tag})

    def build_owner_erasure(self, tag: str) -> SqlStatement:
        """Deletes the owner's rows; rows of other tables that refer to them go too."""
        sql = f"DELETE FROM {self.name} WHERE owner = :owner"  # noqa: S608 - our own names
        return SqlStatement(sql=sql, params={"owner": tag})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTable(OwnedTable, Generic[Record]):
    """A table of which each row is a `record`: some fields are columns, the others are encrypted."""

    record: type[Record]
    columns: tuple[str, ...]  # beside `owner` and `body`; a field unless it is encrypted too
    encrypted: tuple[str, ...]
    body_shape: Literal["list", "object", "value"] = "list"
    row_name: str = "{id}"  # the name under which a row is encrypted, made of its columns
    converters: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    left_out: str = ""  # what a row is called that cannot be decrypted; without it that is an error

    def build_select(self, rest: str, *, first: str = "") -> str:
        """The query for `decrypt_rows`, with `rest` from WHERE on; `first` precedes the columns."""
        names = ", ".join(f"{self.name}.{name}" for name in (*self.columns, "owner", "body"))
        return f"SELECT {first}{names} FROM {self.name} {rest}"  # noqa: S608 - our own names

    def build_insert(
        self,
        chain: OwnerKeychain,
        record: Record,
        *,
        on_conflict: str = "",
        **columns: SqlScalar,
    ) -> SqlStatement:
        """Inserts a record; `columns` are those that are not fields of it, or differ from them."""
        values: dict[str, Any] = {
            name: columns[name] if name in columns else getattr(record, name)
            for name in self.columns
        }
        for name in self.converters:
            values[name] = int(values[name])
        values |= {"owner": chain.tag, "body": self.encrypt_record(chain, record, values)}
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        sql = f"INSERT INTO {self.name} ({names}) VALUES ({marks}) {on_conflict}"  # noqa: S608 - our own names
        return SqlStatement(sql=sql, params=values, expected_rows=None if on_conflict else 1)

    def encrypt_record(
        self, chain: OwnerKeychain, record: Record, values: Mapping[str, SqlScalar]
    ) -> bytes:
        """The body of a record whose row has these values in the columns of its name."""
        parts = {name: getattr(record, name) for name in self.encrypted}
        shapes = {"list": list(parts.values()), "object": parts}
        plain = shapes.get(self.body_shape, next(iter(parts.values())))
        return self.encrypt_body(
            chain, self.row_name.format_map(values), json.dumps(plain).encode()
        )

    def decrypt_rows(self, chain: OwnerKeychain, rows: Sequence[SqlRow]) -> Iterator[Record]:
        """The records of rows of `build_select`, without those that cannot be decrypted."""
        for row in rows:
            values = dict(zip((*self.columns, "owner", "body"), row, strict=True))
            try:
                plain = self.decrypt_body(chain, self.row_name.format_map(values), values["body"])
            except DecryptionFailed as error:
                if not self.left_out:
                    raise
                logger.warning("%s is left out. %s", self.left_out, error.message)
            else:
                yield self._build_record(values, json.loads(plain))

    def build_eviction(
        self, params: Mapping[str, SqlScalar], *, group: str, among: str = "", order: str
    ) -> SqlStatement:
        """Deletes the first rows in `order` beyond `:most` of a group; only rows `among` them go."""
        sql = f"""
DELETE FROM {self.name} WHERE id IN (
    SELECT id FROM {self.name} WHERE {group} {among} ORDER BY {order}
    LIMIT (
        SELECT CASE WHEN COUNT(*) > :most THEN COUNT(*) - :most ELSE 0 END
        FROM {self.name} WHERE {group}
    )
)
"""  # noqa: S608 - our own names
        return SqlStatement(sql=sql, params=params)

    def _build_record(self, values: Mapping[str, Any], plain: Any) -> Record:
        assert is_dataclass(self.record)  # noqa: S101 - every record is
        known = {field_.name for field_ in fields(self.record)} & set(self.columns)
        found = {name: values[name] for name in known.difference(self.encrypted)}
        if self.body_shape == "object":
            found |= plain
        else:
            parts = plain if self.body_shape == "list" else [plain]
            found |= zip(self.encrypted, parts, strict=True)
        found |= {name: convert(found[name]) for name, convert in self.converters.items()}
        return self.record(
            **{
                name: tuple(value) if isinstance(value, list) else value
                for name, value in found.items()
            }
        )


KEY_TABLE = "dek"
# Without their keys an owner's rows say nothing, so these are deleted last.
KEY_TABLES = (OwnedTable(name="owner_name"), OwnedTable(name=KEY_TABLE, counted_as="keys"))


class OwnerStore:
    """What the stores of owners' rows share; every public method names the owner."""

    tables: ClassVar[tuple[OwnedTable, ...]] = ()

    def __init__(
        self, database: SqlDatabase, vault: KeyVault, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock

    def forget_owner(self, owner: str) -> None:
        """Drop from memory what is remembered of an owner who is being erased."""

    async def _read_own(
        self, table: RecordTable[Record], owner: str, rest: str = "", **params: SqlScalar
    ) -> tuple[Record, ...]:
        """The owner's records; `rest` follows the condition on the owner."""
        tag = await self._vault.hash_owner_tag(owner)
        sql = table.build_select(f"WHERE owner = :owner {rest}")
        found = await self._database.select_rows(sql, {"owner": tag, **params})
        return await self._decrypt_own(table, owner, found)

    async def _decrypt_own(
        self, table: RecordTable[Record], owner: str, found: Sequence[SqlRow]
    ) -> tuple[Record, ...]:
        bodies = [row[-1] for row in found]
        chain = await self._vault.find_covering_keychain(owner, bodies) if found else None
        return tuple(table.decrypt_rows(chain, found)) if chain else ()

    async def _decrypt_all(
        self, table: RecordTable[Record], found: Sequence[SqlRow]
    ) -> tuple[Record, ...]:
        """The records of any owners; those of erased owners are left out."""
        tags = dict.fromkeys(row[-2] for row in found)
        chains = {tag: await self._vault.load_tagged_keychain(tag) for tag in tags}
        return tuple(
            record
            for row in found
            if (chain := chains[row[-2]]) is not None
            for record in table.decrypt_rows(chain, [row])
        )

    async def _read_all(
        self, table: RecordTable[Record], rest: str, **params: SqlScalar
    ) -> tuple[Record, ...]:
        """Like `_decrypt_all`, with a query whose `rest` begins with WHERE or ORDER."""
        found = await self._database.select_rows(table.build_select(rest), params)
        return await self._decrypt_all(table, found)

    async def _change_rows(self, sql: str, **params: SqlScalar) -> int:
        return await change_rows(self._database, sql, **params)

    async def _write_as_owner(
        self, owner: str, build: Callable[[OwnerKeychain], Sequence[SqlStatement]]
    ) -> Sequence[StatementOutcome]:
        """Commit what `build` makes with the owner's keys, which are created if there are none.

        It is built again with new keys if another process has just erased them.
        """
        for _ in range(_MAX_WRITE_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            batch = [self._vault.build_owner_guard(chain), *build(chain)]
            try:
                return (await self._database.execute_batch(batch))[1:]
            except BatchRolledBack:
                self._vault.forget_keychain(owner)
        raise WriteContended("The user's keys kept changing. Try again.")
