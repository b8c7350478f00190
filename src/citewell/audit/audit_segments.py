"""Audit rows as they are stored: encrypted events, the chain that links them, sealed segments, and reading back."""

from __future__ import annotations

import hmac
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from citewell.store import encryption
from citewell.store.failures import DecryptionFailed
from citewell.store.key_vault import KeyVault
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement


class AuditEventType(StrEnum):
    TOOL_CALL = "tool_call"
    AUTH_REFUSED = "auth_refused"
    ADMIN_ACTION = "admin_action"
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of an event
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - the name of an event


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """What happened, when, to whom and with which outcome. `user_id` is None if nobody was verified."""

    happened_at: float  # seconds since the epoch
    event_type: str = AuditEventType.TOOL_CALL
    tenant_id: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    tool_name: str | None = None
    request_id: str | None = None
    pod_id: str | None = None
    source_ip: str | None = None
    duration_ms: int | None = None
    success: bool = True
    error_code: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def build_line(self) -> dict[str, Any]:
        """The event as a JSON object in the specification's order; unknown fields are left out."""
        moment = datetime.fromtimestamp(self.happened_at, UTC)
        line: dict[str, Any] = {
            "timestamp": moment.isoformat(timespec="milliseconds"),
            "event_type": str(self.event_type),
        }
        for name in _LINE_FIELDS:
            if (value := getattr(self, name)) is not None:
                line[name] = value
        return line | {"metadata": dict(self.metadata)}


# Those of a line that are written as they are, in the order of the specification.
_LINE_FIELDS = tuple(
    field.name
    for field in fields(AuditEvent)
    if field.name not in {"happened_at", "event_type", "metadata"}
)
PERSONAL_FIELDS = ("user_id", "session_id", "request_id", "source_ip", "metadata")
_FACT_FIELDS = tuple(
    field.name for field in fields(AuditEvent) if field.name not in PERSONAL_FIELDS
)
_TABLE = "audit_event"
_ENCODER = json.JSONEncoder(separators=(",", ":"))

FIRST_LINK = bytes(32)  # stands before the first row

_SEGMENT_FIELDS = ("number", "first_row", "row_count", "opened", "closed", "body")
SEGMENT_COLUMNS = ", ".join(_SEGMENT_FIELDS)
_INSERT_SEGMENT = f"""
INSERT INTO audit_segment ({SEGMENT_COLUMNS})
VALUES (:number, :first_row, :row_count, :opened, :closed, :body)
"""  # noqa: S608 - constants
_INSERT_SEGMENT_OWNER = "INSERT INTO audit_owner (owner, segment) VALUES (:owner, :segment)"
_DELETE_WAITING_RUN = "DELETE FROM audit_waiting WHERE number BETWEEN :first AND :last"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """A row as it is read back; `number` is None until it is sealed."""

    number: int | None
    id: str
    event: AuditEvent
    is_readable: bool  # False if the key of the personal parts was erased

    def build_line(self) -> dict[str, Any]:
        """The row as a JSON object, with its number and id."""
        line: dict[str, Any] = {"row": self.number, "id": self.id, **self.event.build_line()}
        return line if self.is_readable else line | {"erased": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which rows to read; None matches everything. Times are seconds since the epoch."""

    tenant: str | None = None
    user: str | None = None
    tool: str | None = None
    event_type: str | None = None
    since: float | None = None
    until: float | None = None

    def is_match(self, event: AuditEvent) -> bool:
        wanted = (
            (self.tenant, event.tenant_id),
            (self.user, event.user_id),
            (self.tool, event.tool_name),
            (self.event_type, event.event_type),
        )
        return (
            all(want is None or want == found for want, found in wanted)
            and (self.since is None or event.happened_at >= self.since)
            and (self.until is None or event.happened_at < self.until)
        )


class AuditRowReader:
    """Decrypts rows, with the keychain of each owner loaded once."""

    def __init__(self, vault: KeyVault) -> None:
        self._vault = vault
        self._chains: dict[str, encryption.OwnerKeychain | None] = {}

    async def read_entry(self, number: int | None, entry: AuditEntry) -> AuditRow:
        if entry.owner not in self._chains:
            self._chains[entry.owner] = await self._vault.load_tagged_keychain(entry.owner)
        event, is_readable = decrypt_event(self._chains[entry.owner], entry)
        return AuditRow(number=number, id=entry.id, event=event, is_readable=is_readable)

    async def read_segment(
        self, segment: AuditSegment, after_row: int, owner: str | None = None
    ) -> list[AuditRow]:
        """The rows of a segment above `after_row`, of one owner if given; a damaged segment has none."""
        try:
            entries = segment.unpack_rows()
        except MalformedSegment:
            return []
        return [
            await self.read_entry(number, entry)
            for number, (entry, _) in enumerate(entries, start=segment.first_row)
            if number > after_row and (owner is None or entry.owner == owner)
        ]


# Segments: batches of audit rows as they are sealed and read back.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSegment:
    """A sealed batch; `opened` and `closed` are the times of its earliest and latest row."""

    number: int
    first_row: int
    row_count: int
    opened: float
    closed: float
    body: bytes

    def unpack_rows(self) -> list[tuple[AuditEntry, bytes]]:
        """The rows with their links; raises MalformedSegment if the body was damaged."""
        try:
            return list(unpack_entries(encryption.decompress_body(self.body)))
        except zlib.error as error:
            raise MalformedSegment("it cannot be decompressed") from error


def build_segment(row: SqlRow) -> AuditSegment:
    return AuditSegment(**dict(zip(_SEGMENT_FIELDS, row, strict=True)))


def seal_entries(
    chain: AuditChain, head: AuditHead, entries: Sequence[AuditEntry], now: float
) -> tuple[AuditHead, list[SqlStatement]]:
    """The head after `entries` were appended, and the statements that store them as one segment."""
    first = head.rows + 1
    links = chain.compute_links(bytes.fromhex(head.link), first, entries)
    times = [entry.happened_at for entry in entries]
    number = head.segments + 1
    params: dict[str, SqlScalar] = {
        "number": number,
        "first_row": first,
        "row_count": len(entries),
        "opened": min(times),
        "closed": max(times),
        "body": encryption.compress_body(pack_entries(entries, links)),
    }
    after = replace(
        head,
        rows=head.rows + len(entries),
        link=links[-1].hex(),
        segments=number,
        sealed_at=now,
    )
    owners = [
        SqlStatement(sql=_INSERT_SEGMENT_OWNER, params={"owner": owner, "segment": number})
        for owner in sorted({entry.owner for entry in entries})
    ]
    return after, [SqlStatement(sql=_INSERT_SEGMENT, params=params, expected_rows=1), *owners]


def build_waiting_deletes(numbers: Sequence[int]) -> list[SqlStatement]:
    """Statements that delete exactly these rows: one for each run of consecutive numbers.

    A row that another process commits late has a number between two runs, and stays.
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] + 1 == number:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [
        SqlStatement(
            sql=_DELETE_WAITING_RUN,
            params={"first": first, "last": last},
            expected_rows=last - first + 1,
        )
        for first, last in runs
    ]


# The chain of the audit log: each row's link covers the row and the link before it; the head is signed.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHead:
    """How far the chain reaches, and where it starts after older rows were removed."""

    rows: int = 0  # sealed since the log began, including the removed ones
    link: str = FIRST_LINK.hex()  # of the last row
    segments: int = 0  # the number of the last segment
    removed_rows: int = 0
    removed_link: str = FIRST_LINK.hex()  # of the last removed row
    removed_segments: int = 0
    sealed_at: float = 0.0

    @property
    def anchor(self) -> str:
        """What an operator keeps elsewhere: the count of rows and the link of the last one."""
        return f"{self.rows}:{self.link}"

    def encode_head(self) -> bytes:
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True).encode()


class AuditChain:
    """Computes links, row macs and head signatures."""

    def __init__(self, secret: bytes) -> None:
        self._link_key = encryption.derive_key(secret, b"audit link")
        self._row_key = encryption.derive_key(secret, b"audit row")
        self._head_key = encryption.derive_key(secret, b"audit head")

    def sign_entry(self, entry: AuditEntry) -> bytes:
        return hmac.digest(self._row_key, entry.encode_content(), "sha256")

    def is_signed(self, entry: AuditEntry) -> bool:
        return hmac.compare_digest(self.sign_entry(entry), entry.mac)

    def compute_link(self, before: bytes, number: int, entry: AuditEntry) -> bytes:
        """The link of the row with this number, counted from 1."""
        covered = b"".join((before, number.to_bytes(8, "big"), entry.mac, entry.encode_content()))
        return hmac.digest(self._link_key, covered, "sha256")

    def compute_links(
        self, before: bytes, first: int, entries: Sequence[AuditEntry]
    ) -> list[bytes]:
        links = []
        for number, entry in enumerate(entries, start=first):
            before = self.compute_link(before, number, entry)
            links.append(before)
        return links

    def sign_head(self, facts: bytes) -> bytes:
        return hmac.digest(self._head_key, facts, "sha256")

    def open_head(self, facts: bytes, mac: bytes) -> AuditHead | None:
        """The head; None if its signature is not ours."""
        if not hmac.compare_digest(self.sign_head(facts), mac):
            return None
        return AuditHead(**json.loads(facts))


# The stored form of an audit event: plain facts, and personal parts encrypted with the owner's key.


class MalformedSegment(ValueError):
    """The bytes of a segment were not written by this module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One row. `owner` is the hashed tag of the owner whose key encrypts `personal`."""

    id: str
    owner: str
    facts: bytes
    personal: bytes
    mac: bytes = b""  # proves that a process with the key wrote the row, before it is sealed

    def encode_content(self) -> bytes:
        """Everything but the mac, as the bytes that the mac covers."""
        return encryption.join_length_prefixed(
            (self.id.encode(), self.owner.encode(), self.facts, self.personal)
        )

    @property
    def happened_at(self) -> float:
        return float(self.load_facts().get("happened_at", 0.0))

    def load_facts(self) -> dict[str, Any]:
        """The plain facts; empty if the bytes are not ours."""
        try:
            found = json.loads(self.facts)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def encrypt_event(chain: encryption.OwnerKeychain, entry_id: str, event: AuditEvent) -> AuditEntry:
    facts = {name: getattr(event, name) for name in _FACT_FIELDS}
    personal = {name: getattr(event, name) for name in PERSONAL_FIELDS}
    return AuditEntry(
        id=entry_id,
        owner=chain.tag,
        facts=_encode_known_values(facts),
        personal=chain.encrypt_row(_TABLE, entry_id, _encode_known_values(personal)),
    )


def decrypt_event(
    chain: encryption.OwnerKeychain | None, entry: AuditEntry
) -> tuple[AuditEvent, bool]:
    """The event, and whether its personal parts could be read; they cannot once the key is erased."""
    values, is_readable = entry.load_facts(), False
    if chain is not None:
        try:
            plain = chain.decrypt_row(_TABLE, entry.id, entry.personal)
        except DecryptionFailed:
            plain = b"{}"
        else:
            is_readable = True
        values |= json.loads(plain)
    known = {name: value for name, value in values.items() if name in _EVENT_FIELDS}
    return AuditEvent(**({"happened_at": 0.0} | known)), is_readable


def pack_entries(entries: Sequence[AuditEntry], links: Sequence[bytes]) -> bytes:
    """The body of a segment: each entry with its link of the chain."""
    return encryption.join_length_prefixed(
        part
        for entry, link in zip(entries, links, strict=True)
        for part in (
            entry.id.encode(), entry.owner.encode(), entry.facts, entry.personal, entry.mac, link,
        )
    )  # fmt: skip


def unpack_entries(packed: bytes) -> Iterator[tuple[AuditEntry, bytes]]:
    """The entries of a segment with their links; raises MalformedSegment for foreign bytes."""
    parts = list(_split_length_prefixed(packed))
    if len(parts) % 6:
        raise MalformedSegment("a row is incomplete")
    for start in range(0, len(parts), 6):
        entry_id, owner, facts, personal, mac, link = parts[start : start + 6]
        try:
            entry = AuditEntry(
                id=entry_id.decode(),
                owner=owner.decode(),
                facts=facts,
                personal=personal,
                mac=mac,
            )
        except UnicodeDecodeError as error:
            raise MalformedSegment("a name is not text") from error
        yield entry, link


_EVENT_FIELDS = frozenset(_FACT_FIELDS + PERSONAL_FIELDS)


def _encode_known_values(values: dict[str, Any]) -> bytes:
    known = {name: value for name, value in values.items() if value is not None}
    return _ENCODER.encode(known).encode()


def _split_length_prefixed(packed: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(packed):
        end = place + 4 + int.from_bytes(packed[place : place + 4], "big")
        if end > len(packed) or place + 4 > len(packed):
            raise MalformedSegment("it ends too early")
        yield packed[place + 4 : end]
        place = end
