"""Decides whether something may be kept or read for a caller, and says why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from citewell.services.people.consent_service import ConsentService
from citewell.store.people.consent_store import ConsentPurpose
from citewell.tooling import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRefusal:
    """Why a call stores and returns nothing, as the status and reason of its answer."""

    status: Literal["no_consent", "unavailable"]
    reason: str


class ConsentGate:
    """Asks for a named user and recorded consent to one purpose."""

    def __init__(self, consents: ConsentService, purpose: ConsentPurpose) -> None:
        self._consents = consents
        self._purpose = purpose

    async def find_refusal(self, owner: Owner) -> ConsentRefusal | None:
        """None if the caller is named and has consented."""
        if owner.is_anonymous:
            return ConsentRefusal(
                status="unavailable",
                reason=(
                    f"{self._purpose.capitalize()} belongs to a user, and this call names none. "
                    "On stdio set STDIO_USER_ID; over HTTP the operator configures authentication."
                ),
            )
        if not await self._consents.has_consent(owner, self._purpose):
            return self.build_consent_refusal(owner)
        return None

    def build_consent_refusal(self, owner: Owner) -> ConsentRefusal:
        return ConsentRefusal(
            status="no_consent",
            reason=(
                f"User {owner.user} has not consented to {self._purpose}, so nothing is kept. With "
                "the user's agreement the operator records it: POST /admin/consent, or "
                "`citewell consent grant`."
            ),
        )
