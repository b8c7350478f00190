"""The chain of the audit log: each row's link covers the row and the link before it; the head is signed.

All of it is HMAC-SHA256 with keys derived from the store's own key, which the master key encrypts.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from citewell.store.audit.audit_entries import AuditEntry
from citewell.store.keys.encryption import derive_key

FIRST_LINK = bytes(32)  # stands before the first row


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
        self._link_key = derive_key(secret, b"audit link")
        self._row_key = derive_key(secret, b"audit row")
        self._head_key = derive_key(secret, b"audit head")

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
