"""`citewell consent`: lists, grants and withdraws the consents of one user."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.command_audit import record_command_event
from citewell.cli.running.shared_options import JsonOption
from citewell.cli.terminal import screen
from citewell.model.audit_event import AuditEventType
from citewell.services.people.consent_service import ConsentService
from citewell.services.subjects.subject_checks import require_subject

if TYPE_CHECKING:
    from citewell.tooling import Owner

CLI_CONSENT_SOURCE = "citewell consent"  # where these decisions were recorded

TenantArgument = Annotated[str, typer.Argument(help="The tenant of the user.")]
UserArgument = Annotated[str, typer.Argument(help="The user.")]
PurposeArgument = Annotated[str, typer.Argument(help="memory, analytics, workspace or monitoring.")]
TermsOption = Annotated[str, typer.Option(help="The version of the terms that were shown.")]


def list_consents(
    tenant: TenantArgument, user: UserArgument, *, as_json: JsonOption = False
) -> int:
    """List the decisions of one user."""
    found = asyncio.run(_load_consents(require_subject(tenant, user)))
    if as_json:
        screen.print_json(found)
    elif found:
        rows = [
            (one["purpose"], "granted" if one["granted"] else "withdrawn", one["decidedAt"])
            for one in found
        ]
        screen.print_table(("Purpose", "Decision", "When"), rows)
    return exit_codes.OK if found else exit_codes.NOTHING_FOUND


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


async def _load_consents(owner: Owner) -> list[dict[str, Any]]:
    async with open_command_app() as app:
        found = await app.require_service(ConsentService).list_consents(owner)
        return [record.to_json() for record in found]


SUBCOMMANDS = {"list": list_consents, "grant": grant_consent, "withdraw": withdraw_consent}
