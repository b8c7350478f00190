"""Turn sources into a reference list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.base import UNTRUSTED, Report
from citewell.services.sessions import export
from citewell.services.sessions.tracking import Sessions
from citewell.text import bibliography
from citewell.text.citation import Work, people
from citewell.tooling import Arguments, Call, Tool

_FIELDS = ("url", "title", "author", "site", "date", "doi")


class Args(Arguments):
    """Format sources as a bibliography: APA or MLA to read, BibTeX, RIS or CSL-JSON for reference managers. Sources come from a session or from a list. Nothing is looked up."""

    style: Annotated[Literal["apa", "mla", "bibtex", "ris", "csl-json"], Field(default="apa")]
    session_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="sessionId")
    ]
    sources: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=500,
            description="Each with url, and title, author, site, date, doi if known.",
        ),
    ]


async def run(args: Args, call: Call) -> Report:
    works = [_work(number, source) for number, source in enumerate(args.sources, start=1)]
    if args.session_id and not works:
        session = await call.service(Sessions).find(str(call.owner), args.session_id)
        works = export.works(session)
    elif not works:
        raise InvalidInput("Give either sessionId or sources.")
    text = bibliography.rendered(works, style=args.style, accessed=datetime.now(UTC).date())
    shown: dict[str, Any] = {
        "style": args.style,
        "entryCount": bibliography.count(works),
        "bibliography": text,
        "trust": UNTRUSTED,
    }
    if args.session_id:
        shown["sessionId"] = args.session_id
    return Report(content=shown)


def _work(number: int, source: dict[str, Any]) -> Work:
    unknown = sorted(set(source) - set(_FIELDS))
    if unknown:
        raise InvalidInput(
            f"Source {number} has {', '.join(unknown)}; a source takes {', '.join(_FIELDS)}."
        )
    given = {name: str(source.get(name) or "").strip() for name in _FIELDS}
    return Work(
        url=given["url"],
        title=given["title"],
        authors=people(given["author"]),
        site=given["site"],
        published=given["date"],
        doi=given["doi"],
    )


TOOL = Tool(args=Args, result=Report, run=run, toolset="sessions", open_world=False)
