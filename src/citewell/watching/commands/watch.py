"""Watch bibliographies and searches, and report what changed.

A watched bibliography tells when something in it was retracted, corrected, moved or died; a saved search tells what it had not found before. `citewell worker` checks what is due while it runs; without it, let cron run `citewell watch check`, which exits with 1 if there is news and with 3 if something could not be checked.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from xml.sax.saxutils import escape

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import JsonOption, call_with_app, open_command_app
from citewell.cli.exit_codes import AllowUnchecked, choose_gate_exit
from citewell.core.errors import InvalidInput, NotFound
from citewell.core.values.counted_words import pluralize
from citewell.text.addresses import is_web_address
from citewell.text.calendar_dates import format_utc_time
from citewell.text.safety.text_cleaning import extract_visible_text
from citewell.trust.commands import reference_files
from citewell.watching.query_monitor import MonitorRequest, QueryMonitor
from citewell.watching.reference_watch import ReferenceWatch, WatchOutcome, encode_reference
from citewell.watching.watch_schedule import WatchSchedule
from citewell.watching.watch_store import WatchNewsItem, WatchRecord

if TYPE_CHECKING:
    from citewell.server.app import App

_DOI_ADDRESS = "https://doi.org/"
_FEED_TITLE = "Citewell: what changed"
_FEED_ABOUT = "Retractions, corrections, moved and dead links, and new results of saved searches."

_DAY_SECONDS = 86_400.0
_MAX_LISTED_CHARS = 60

WatchArgument = Annotated[
    str, typer.Argument(help="The id or the file's name; `citewell watch list` shows both.")
]
RssOption = Annotated[
    Path | None, typer.Option(help="Write all news of the last 90 days as an RSS feed.")
]
_FEED_DAYS = 90.0


def add_bibliography(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Bibliographies or manuscripts, as for audit."),
    ],
    *,
    as_json: JsonOption = False,
    allow_unchecked: AllowUnchecked = False,
) -> int:
    """Watch the references of a file; tells at once what is wrong already."""
    outcomes = asyncio.run(_add_files(files))
    if as_json:
        screen.print_json([_describe_outcome(item) for item in outcomes])
    else:
        for outcome in outcomes:
            name, count = (
                outcome.record.definition["name"],
                len(outcome.record.definition["references"]),
            )
            screen.print_text(
                f"Watching {count} {pluralize(count, 'reference')} of {name} ({outcome.record.id})."
            )
            _print_news(outcome.news)
            if outcome.unchecked:
                message = (
                    f"{outcome.unchecked} could not be checked now; the next check tries again."
                )
                screen.print_text(message, style="yellow")
    return choose_gate_exit(
        is_wrong=False,
        unchecked_count=sum(item.unchecked for item in outcomes),
        allow_unchecked=allow_unchecked,
    )


def save_search(
    query: Annotated[str, typer.Argument(help="What to search the web for.")],
    *,
    provider: Annotated[str | None, typer.Option(help="Use this provider and no other.")] = None,
    days: Annotated[int | None, typer.Option(min=1, max=90, help="How long it is kept.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Save a search; its results of today count as known."""
    search = MonitorRequest(query=query, provider=provider, ttl_days=days)
    saved = call_with_app(
        lambda app: app.require_service(QueryMonitor).save_query(
            app.local_owner, search, is_own=True
        )
    )
    if as_json:
        screen.print_json(saved.to_wire())
    elif saved.status == "ok":
        message = f"Saved as {saved.id}; {saved.known_results} {pluralize(saved.known_results or 0, 'result is', 'results are')} known. It is kept until {saved.expires_at}."
        screen.print_text(message)
        if saved.note:
            screen.print_text(saved.note, style="yellow")
    else:
        raise InvalidInput(saved.reason or "The search was not saved.")
    return exit_codes.OK


def list_watches(*, as_json: JsonOption = False) -> int:
    """List what is watched."""
    found = call_with_app(lambda app: app.open_state().watches.list_watches(str(app.local_owner)))
    if as_json:
        screen.print_json([_describe_watch(record) for record in found])
    elif found:
        rows = []
        for record in found:
            references = record.definition.get("references", ())
            subject = f"{len(references)} {pluralize(len(references), 'reference')}"
            subject += f" of {record.definition.get('name')}"
            if record.kind == "query":
                subject = f"search: {record.definition['query'][:_MAX_LISTED_CHARS]}"
            begun, due = format_utc_time(record.created), format_utc_time(record.due)
            rows.append((record.id, subject, begun, due))
        screen.print_table(("Id", "What", "Since", "Next check"), rows)
    else:
        screen.print_text("Nothing is watched. Add a bibliography: citewell watch add refs.bib")
    return exit_codes.OK if found else exit_codes.NOTHING_FOUND


def check_watches(
    watch_id: Annotated[
        str | None, typer.Argument(help="Check this one only, whether it is due or not.")
    ] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Check everything, whether it is due or not.")
    ] = False,
    rss: RssOption = None,
    as_json: JsonOption = False,
    allow_unchecked: AllowUnchecked = False,
) -> int:
    """Check what is due, and print what changed; exits with 1 if something did."""
    news, unchecked = asyncio.run(_check_again(watch_id, everything=everything, rss=rss))
    if as_json:
        screen.print_json([item.to_json() for item in news])
    elif news:
        _print_news(news)
    else:
        screen.print_text("Nothing changed." if not unchecked else "No change was found.")
    return choose_gate_exit(
        is_wrong=bool(news), unchecked_count=unchecked, allow_unchecked=allow_unchecked
    )


def show_news(
    *,
    days: Annotated[float, typer.Option(min=0.01, help="Of how many days.")] = 30.0,
    rss: RssOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print what earlier checks found."""
    news = asyncio.run(_load_news(days, rss))
    if as_json:
        screen.print_json([item.to_json() for item in news])
    elif news:
        _print_news(news)
    else:
        screen.print_text("No news.")
    return exit_codes.OK


def remove_watch(watch_id: WatchArgument) -> int:
    """Stop watching, and delete the news of it."""
    asyncio.run(_remove_named_watch(watch_id))
    screen.print_text("Removed.")
    return exit_codes.OK


async def _add_files(files: Sequence[Path]) -> list[WatchOutcome]:
    async with open_command_app(is_gate=True) as app:
        read = [await reference_files.read_reference_file(app, str(path)) for path in files]
        watch = app.require_service(ReferenceWatch)
        outcomes: list[WatchOutcome] = []
        for path, item in zip(files, read, strict=True):
            if item.document is None:
                raise InvalidInput(f"{path} is a brief without a list of references.")
            with screen.show_spinner(f"Checking {path.name}") as progress:
                outcomes.append(
                    await watch.add_bibliography(
                        str(app.local_owner),
                        str(await asyncio.to_thread(path.resolve)),
                        item.document,
                        progress=progress.update_progress,
                    )
                )
        await app.require_service(WatchSchedule).deliver_news()
        return outcomes


async def _check_again(
    watch_id: str | None, *, everything: bool, rss: Path | None
) -> tuple[tuple[WatchNewsItem, ...], int]:
    """The news, and how many references and searches could not be checked."""
    async with open_command_app(is_gate=True) as app:
        schedule = app.require_service(WatchSchedule)
        with screen.show_spinner("Checking what is watched"):
            changed, unchecked = await _read_changed_files(app)
            if watch_id is None and not everything:
                news = (*changed, *await schedule.run_due_checks())
            else:
                owner = str(app.local_owner)
                chosen = (
                    await app.open_state().watches.list_watches(owner)
                    if watch_id is None
                    else (await app.require_service(ReferenceWatch).require_watch(owner, watch_id),)
                )
                checked = [await schedule.check_watch(window) for window in chosen]
                news = (*changed, *(item for found in checked for item in found))
                await schedule.deliver_news()
        await _write_feed(app, rss)
        return news, unchecked + schedule.unchecked_count


async def _read_changed_files(app: App) -> tuple[tuple[WatchNewsItem, ...], int]:
    """Take over what was added to watched files since; a file that is gone is watched as it was."""
    owner = str(app.local_owner)
    outcomes: list[WatchOutcome] = []
    for record in await app.open_state().watches.list_watches(owner):
        name = record.definition.get("name", "")
        if record.kind != "references" or not await asyncio.to_thread(Path(name).is_file):
            continue
        document = (await reference_files.read_reference_file(app, name)).document
        if document is None:
            continue
        written = [encode_reference(reference) for reference in document.references]
        if written != record.definition["references"]:
            watch = app.require_service(ReferenceWatch)
            outcomes.append(await watch.add_bibliography(owner, name, document))
    news = tuple(item for outcome in outcomes for item in outcome.news)
    return news, sum(outcome.unchecked for outcome in outcomes)


async def _load_news(days: float, rss: Path | None) -> tuple[WatchNewsItem, ...]:
    async with open_command_app() as app:
        await _write_feed(app, rss)
        since = time.time() - days * _DAY_SECONDS
        return await app.open_state().watches.list_news(str(app.local_owner), since=since)


async def _write_feed(app: App, path: Path | None) -> None:
    if path is None:
        return
    now = time.time()
    news = await app.open_state().watches.list_news(
        str(app.local_owner), since=now - _FEED_DAYS * _DAY_SECONDS
    )
    text = render_rss_feed(news, now=now)
    await asyncio.to_thread(path.write_text, text, encoding="utf-8")
    sys.stderr.write(f"citewell: wrote {path}.\n")


async def _remove_named_watch(watch_id: str) -> None:
    async with open_command_app() as app:
        owner = str(app.local_owner)
        record = await app.require_service(ReferenceWatch).require_watch(owner, watch_id)
        if not await app.open_state().watches.remove_watch(owner, record.id):
            raise NotFound(f"Nothing is watched as {watch_id}.")


def _print_news(news: Sequence[WatchNewsItem]) -> None:
    for item in news:
        screen.print_text(f"{item.content['kind']}: {describe_news(item)}")


def _describe_watch(record: WatchRecord) -> dict[str, object]:
    fields = record.to_json()
    return {name: value for name, value in fields.items() if name not in {"state", "references"}}


def _describe_outcome(outcome: WatchOutcome) -> dict[str, object]:
    return {
        **_describe_watch(outcome.record),
        "references": len(outcome.record.definition["references"]),
        "unchecked": outcome.unchecked,
        "news": [item.to_json() for item in outcome.news],
    }


SUBCOMMANDS = {
    "add": add_bibliography,
    "search": save_search,
    "list": list_watches,
    "check": check_watches,
    "news": show_news,
    "remove": remove_watch,
}

# News of watches as a feed for a news reader, and as lines of text.


def render_rss_feed(news: Sequence[WatchNewsItem], *, now: float) -> str:
    """RSS 2.0; readers recognise an item they have shown by its guid."""
    items = "".join(map(_render_item, news))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{_FEED_TITLE}</title><link>about:blank</link>"
        f"<description>{_FEED_ABOUT}</description>"
        f"<lastBuildDate>{_format_date(now)}</lastBuildDate>\n{items}</channel></rss>\n"
    )


def describe_news(item: WatchNewsItem) -> str:
    """One line for a person: what happened, and where to look."""
    content = item.content
    details = [
        f"notice {content['notice_doi']}" if content.get("notice_doi") else "",
        f"now at {content['moved_to']}" if content.get("moved_to") else "",
        f"archived copy {content['archived_url']}" if content.get("archived_url") else "",
        f"published as {content['published_doi']}" if content.get("published_doi") else "",
        find_news_address(item),
    ]
    more = "; ".join(part for part in details if part)
    return f"{content['text']} {more}".strip()


def find_news_address(item: WatchNewsItem) -> str:
    """Where the changed thing is; empty if it has no address."""
    content = item.content
    if content.get("doi"):
        return f"{_DOI_ADDRESS}{content['doi']}"
    return content.get("url") or ""


def _render_item(item: WatchNewsItem) -> str:
    address = find_news_address(item)
    link = f"<link>{_escape(address)}</link>" if is_web_address(address) else ""
    return (
        f"<item><title>{_escape(item.content['text'])}</title>{link}"
        f'<guid isPermaLink="false">{_escape(item.id)}</guid>'
        f"<pubDate>{_format_date(item.found)}</pubDate>"
        f"<description>{_escape(describe_news(item))}</description></item>\n"
    )


def _escape(text: str) -> str:
    return escape(extract_visible_text(text))


def _format_date(seconds: float) -> str:
    return format_datetime(datetime.fromtimestamp(seconds, UTC))
