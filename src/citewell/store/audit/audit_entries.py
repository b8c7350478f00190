"""The stored form of an audit event: plain facts, and personal parts encrypted with the owner's key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from citewell.model.audit_event import AuditEvent
from citewell.store.failures import DecryptionFailed
from citewell.store.keys.encryption import join_length_prefixed
from citewell.store.keys.owner_keychain import OwnerKeychain

PERSONAL_FIELDS = ("user_id", "session_id", "request_id", "source_ip", "metadata")
_FACT_FIELDS = tuple(one.name for one in fields(AuditEvent) if one.name not in PERSONAL_FIELDS)
_TABLE = "audit_event"
_ENCODER = json.JSONEncoder(separators=(",", ":"))


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
        return join_length_prefixed(
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


def encrypt_event(chain: OwnerKeychain, entry_id: str, event: AuditEvent) -> AuditEntry:
    facts = {name: getattr(event, name) for name in _FACT_FIELDS}
    personal = {name: getattr(event, name) for name in PERSONAL_FIELDS}
    return AuditEntry(
        id=entry_id,
        owner=chain.tag,
        facts=_encode_known_values(facts),
        personal=chain.encrypt_row(_TABLE, entry_id, _encode_known_values(personal)),
    )


def decrypt_event(chain: OwnerKeychain | None, entry: AuditEntry) -> tuple[AuditEvent, bool]:
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
    return join_length_prefixed(
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
