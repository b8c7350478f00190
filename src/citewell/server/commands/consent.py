"""List, grant or withdraw the consents of one user.

The purposes are memory, analytics, workspace and monitoring.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.audit.audit_recorder import record_command_event
from citewell.audit.audit_segments import AuditEventType
from citewell.cli import exit_codes, screen
from citewell.cli.command_app import (
    JsonOption,
    TenantArgument,
    UserArgument,
    call_with_app,
    open_command_app,
)
from citewell.people.consent_service import ConsentService
from citewell.people.subject_archive import require_subject

if TYPE_CHECKING:
    from citewell.core.tooling import Owner

CLI_CONSENT_SOURCE = "citewell consent"  # where these decisions were recorded

PurposeArgument = Annotated[str, typer.Argument(help="memory, analytics, workspace or monitoring.")]
TermsOption = Annotated[str, typer.Option(help="The version of the terms that were shown.")]


def list_consents(
    tenant: TenantArgument, user: UserArgument, *, as_json: JsonOption = False
) -> int:
    """List the decisions of one user."""
    owner = require_subject(tenant, user)
    records = call_with_app(lambda app: app.require_service(ConsentService).list_consents(owner))
    consents = [record.to_json() for record in records]
    if as_json:
        screen.print_json(consents)
    elif consents:
        rows = [
            (
                consent["purpose"],
                "granted" if consent["granted"] else "withdrawn",
                consent["decidedAt"],
            )
            for consent in consents
        ]
        screen.print_table(("Purpose", "Decision", "When"), rows)
    return exit_codes.OK if consents else exit_codes.NOTHING_FOUND


def grant_consent(
    tenant: TenantArgument, user: UserArgument, purpose: PurposeArgument, *, terms: TermsOption = ""
) -> int:
    """Record that the user consents to a purpose."""
    return _record_decision(require_subject(tenant, user), purpose, terms, granted=True)


def withdraw_consent(
    tenant: TenantArgument, user: UserArgument, purpose: PurposeArgument, *, terms: TermsOption = ""
) -> int:
    """Record that the user does not consent to a purpose."""
    return _record_decision(require_subject(tenant, user), purpose, terms, granted=False)


def _record_decision(owner: Owner, purpose: str, terms: str, *, granted: bool) -> int:
    screen.print_json(asyncio.run(_decide(owner, purpose, terms, granted=granted)))
    return exit_codes.OK


async def _decide(owner: Owner, purpose: str, terms: str, *, granted: bool) -> dict[str, Any]:
    async with open_command_app() as app:
        consents = app.require_service(ConsentService)
        decide = consents.grant_consent if granted else consents.withdraw_consent
        record = await decide(owner, purpose, terms_version=terms, decided_from=CLI_CONSENT_SOURCE)
        await record_command_event(
            app.open_state(),
            AuditEventType.ADMIN_ACTION,
            owner=owner,
            metadata={"action": "consent", "purpose": purpose, "granted": granted},
        )
        return record.to_json()


SUBCOMMANDS = {"list": list_consents, "grant": grant_consent, "withdraw": withdraw_consent}
