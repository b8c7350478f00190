"""`citewell watch`: watches bibliographies and searches, and tells only what changed."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.running import exit_codes, reference_files
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.gate_exit import AllowUnchecked, choose_gate_exit
from citewell.cli.running.shared_options import JsonOption
from citewell.cli.terminal import screen
from citewell.errors import InvalidInput, NotFound
from citewell.model.answers.monitor_answers import MonitorSaved
from citewell.model.counted_words import pluralize
from citewell.server.app import App
from citewell.services.watching import news_feed
from citewell.services.watching.query_monitor import MonitorRequest, QueryMonitor
from citewell.services.watching.reference_watch import ReferenceWatch, WatchOutcome
from citewell.services.watching.watch_schedule import WatchSchedule
from citewell.services.watching.watched_references import encode_reference
from citewell.store.people.record_times import format_utc_time
from citewell.store.watching.watch_store import WatchNewsItem, WatchRecord

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
        screen.print_json([_describe_outcome(one) for one in outcomes])
    else:
        for one in outcomes:
            name, count = one.record.definition["name"], len(one.record.definition["references"])
            screen.print_text(
                f"Watching {count} {pluralize(count, 'reference')} of {name} ({one.record.id})."
            )
            _print_news(one.news)
            if one.unchecked:
                told = f"{one.unchecked} could not be checked now; the next check tries again."
                screen.print_text(told, style="yellow")
    return choose_gate_exit(
        is_wrong=False,
        unchecked_count=sum(one.unchecked for one in outcomes),
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
    saved = asyncio.run(
        _save_local_query(MonitorRequest(query=query, provider=provider, ttl_days=days))
    )
    if as_json:
        screen.print_json(saved.to_wire())
    elif saved.status == "ok":
        told = f"Saved as {saved.id}; {saved.known_results} {pluralize(saved.known_results or 0, 'result is', 'results are')} known. It is kept until {saved.expires_at}."
        screen.print_text(told)
        if saved.note:
            screen.print_text(saved.note, style="yellow")
    else:
        raise InvalidInput(saved.reason or "The search was not saved.")
    return exit_codes.OK


def list_watches(*, as_json: JsonOption = False) -> int:
    """List what is watched."""
    found = asyncio.run(_load_watches())
    if as_json:
        screen.print_json([_describe_watch(one) for one in found])
    elif found:
        rows = [
            (one.id, _describe_subject(one), format_utc_time(one.created), format_utc_time(one.due))
            for one in found
        ]
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
        screen.print_json([one.to_json() for one in news])
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
        screen.print_json([one.to_json() for one in news])
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
        for path, one in zip(files, read, strict=True):
            if one.document is None:
                raise InvalidInput(f"{path} is a brief without a list of references.")
            with screen.show_spinner(f"Checking {path.name}") as progress:
                outcomes.append(
                    await watch.add_bibliography(
                        str(app.local_owner),
                        await asyncio.to_thread(_resolve_name, path),
                        one.document,
                        progress=progress.update_progress,
                    )
                )
        await app.require_service(WatchSchedule).deliver_news()
        return outcomes


async def _save_local_query(asked: MonitorRequest) -> MonitorSaved:
    async with open_command_app() as app:
        return await app.require_service(QueryMonitor).save_own_query(app.local_owner, asked)


async def _load_watches() -> tuple[WatchRecord, ...]:
    async with open_command_app() as app:
        return await app.open_state().watches.list_watches(str(app.local_owner))


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
                chosen = await _choose_watches(app, watch_id)
                checked = [await schedule.check_watch(one) for one in chosen]
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
        written = [encode_reference(one) for one in document.references]
        if written != record.definition["references"]:
            watch = app.require_service(ReferenceWatch)
            outcomes.append(await watch.add_bibliography(owner, name, document))
    news = tuple(item for one in outcomes for item in one.news)
    return news, sum(one.unchecked for one in outcomes)


async def _choose_watches(app: App, watch_id: str | None) -> tuple[WatchRecord, ...]:
    owner = str(app.local_owner)
    if watch_id is not None:
        return (await app.require_service(ReferenceWatch).require_watch(owner, watch_id),)
    return await app.open_state().watches.list_watches(owner)


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
    text = news_feed.render_rss_feed(news, now=now)
    await asyncio.to_thread(path.write_text, text, encoding="utf-8")
    sys.stderr.write(f"citewell: wrote {path}.\n")


async def _remove_named_watch(watch_id: str) -> None:
    async with open_command_app() as app:
        owner = str(app.local_owner)
        record = await app.require_service(ReferenceWatch).require_watch(owner, watch_id)
        if not await app.open_state().watches.remove_watch(owner, record.id):
            raise NotFound(f"Nothing is watched as {watch_id}.")


def _resolve_name(path: Path) -> str:
    return str(path.resolve())


def _print_news(news: Sequence[WatchNewsItem]) -> None:
    for item in news:
        screen.print_text(f"{item.content['kind']}: {news_feed.describe_news(item)}")


def _describe_subject(record: WatchRecord) -> str:
    if record.kind == "query":
        return f"search: {record.definition['query'][:_MAX_LISTED_CHARS]}"
    return f"{len(record.definition['references'])} {pluralize(len(record.definition['references']), 'reference')} of {record.definition['name']}"


def _describe_watch(record: WatchRecord) -> dict[str, object]:
    told = record.to_json()
    return {name: value for name, value in told.items() if name not in {"state", "references"}}


def _describe_outcome(outcome: WatchOutcome) -> dict[str, object]:
    return {
        **_describe_watch(outcome.record),
        "references": len(outcome.record.definition["references"]),
        "unchecked": outcome.unchecked,
        "news": [one.to_json() for one in outcome.news],
    }


SUBCOMMANDS = {
    "add": add_bibliography,
    "search": save_search,
    "list": list_watches,
    "check": check_watches,
    "news": show_news,
    "remove": remove_watch,
}
