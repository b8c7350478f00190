"""Reading the audit log back: decrypted rows, and the filter that chooses them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from citewell.model.audit_event import AuditEvent
from citewell.store.audit.audit_entries import AuditEntry, MalformedSegment, decrypt_event
from citewell.store.audit.audit_segments import AuditSegment
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain


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
        self._chains: dict[str, OwnerKeychain | None] = {}

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
