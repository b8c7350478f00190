"""Verify the audit log, export it, or print its head.

Servers may keep running. `verify` finds rows that were edited, deleted, moved, inserted or cut off,
names the first bad one and exits with 1. `head` prints what to keep elsewhere, so that a log that is
replaced as a whole is noticed too (`verify --anchor`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, TypeVar

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import JsonOption, load_command_settings
from citewell.core.errors import InvalidInput, NotFound
from citewell.core.values.counted_words import pluralize
from citewell.server.state.state_store import StateStore, has_stored_state
from citewell.store.settings import StoreSettings

if TYPE_CHECKING:
    from citewell.audit.audit_segments import AuditFilter
    from citewell.audit.audit_store import SqlAuditStore
    from citewell.audit.audit_verification import AuditAnchor

T = TypeVar("T")
_ANCHOR_PATTERN = re.compile(r"(\d{1,18}):([0-9a-f]{64})")


def verify_log(
    *,
    anchor: Annotated[
        str | None,
        typer.Option(
            metavar="ROWS:HASH", help="A head that you kept elsewhere; the log must continue it."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check that no row was edited, deleted, moved, inserted or cut off; exits with 1 otherwise."""
    from citewell.audit.audit_verification import verify_audit_log

    known = _parse_anchor(anchor)
    outcome = asyncio.run(_read_stored_log(lambda log: verify_audit_log(log, known)))
    head, waiting = outcome.head, outcome.waiting
    if as_json:
        screen.print_json(
            {
                "intact": outcome.is_intact,
                "message": outcome.message,
                "fault": outcome.fault,
                "row": outcome.row,
                "rows": head.rows if head else 0,
                "removedRows": head.removed_rows if head else 0,
                "waitingRows": waiting,
                "head": head.anchor if head else None,
            }
        )
    else:
        screen.print_text(outcome.message, style="" if outcome.is_intact else "red")
        if waiting:
            screen.print_text(
                f"{waiting} {pluralize(waiting, 'row is', 'rows are')} not sealed yet."
            )
        if outcome.is_intact and head:
            screen.print_text(f"Head: {head.anchor}", unwrapped=True)
    return exit_codes.OK if outcome.is_intact else exit_codes.NOTHING_FOUND


def show_head(*, as_json: JsonOption = False) -> int:
    """Print the number of sealed rows and the hash of the last one, to keep them elsewhere."""
    head = asyncio.run(_read_stored_log(lambda log: log.load_head()))
    if as_json:
        screen.print_json({"rows": head.rows, "hash": head.link})
    else:
        screen.print_text(head.anchor, unwrapped=True)
    return exit_codes.OK


def export_log(
    *,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this user.")] = None,
    tool: Annotated[str | None, typer.Option(help="Only this tool.")] = None,
    event: Annotated[
        str | None, typer.Option(help="Only this event_type, such as tool_call or auth_refused.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="From this time on, such as 2026-11-17 or 2026-11-17T09:30Z.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Before this time.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> int:
    """Print rows as JSON lines, oldest first; exits with 1 if there are none."""
    from citewell.audit.audit_segments import AuditFilter

    wanted = AuditFilter(
        tenant=tenant,
        user=user,
        tool=tool,
        event_type=event,
        since=_parse_time_filter("--since", since),
        until=_parse_time_filter("--until", until),
    )
    with _open_output(out) as file:
        count = asyncio.run(_read_stored_log(lambda log: _write_rows(log, wanted, file)))
    if out is not None:
        screen.print_text(f"Wrote {count} {pluralize(count, 'row')} to {out}.")
    return exit_codes.OK if count else exit_codes.NOTHING_FOUND


async def _read_stored_log(read: Callable[[SqlAuditStore], Awaitable[T]]) -> T:
    """What `read` returns for the log; raises NotFound if there is none."""
    settings = load_command_settings()
    if not has_stored_state(settings):
        raise NotFound(f"There is no audit log in {settings[StoreSettings].data_path}.")
    async with contextlib.aclosing(StateStore(settings)) as state:
        return await read(state.audit)


async def _write_rows(log: SqlAuditStore, wanted: AuditFilter, file: IO[str]) -> int:
    count = 0
    async for row in log.iterate_rows(wanted):
        # Escaped, so that a recorded text cannot control the terminal.
        file.write(json.dumps(row.build_line(), separators=(",", ":")) + "\n")
        count += 1
    return count


@contextlib.contextmanager
def _open_output(out: Path | None) -> Iterator[IO[str]]:
    if out is None:
        yield sys.stdout
        return
    out.touch(mode=0o600)
    with out.open("w", encoding="utf-8") as file:
        yield file


def _parse_anchor(text: str | None) -> AuditAnchor | None:
    from citewell.audit.audit_verification import AuditAnchor

    if text is None:
        return None
    found = _ANCHOR_PATTERN.fullmatch(text.strip())
    if found is None:
        raise InvalidInput("--anchor must be what `citewell audit-log head` prints, ROWS:HASH.")
    return AuditAnchor(rows=int(found[1]), link=found[2])


def _parse_time_filter(option: str, text: str | None) -> float | None:
    """Seconds since the epoch; a time without a zone is in UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInput(f"{option} must be a date or time such as 2026-11-17T09:30Z.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


SUBCOMMANDS = {"verify": verify_log, "export": export_log, "head": show_head}
