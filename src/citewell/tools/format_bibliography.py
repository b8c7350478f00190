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
from citewell.text.names import Author
from citewell.tooling import Arguments, Call, Tool

_FIELDS = (
    *("url", "title", "author", "site", "date", "doi", "kind", "volume", "issue", "pages"),
    *("publisher", "place", "edition", "editor", "language"),
)
_SAME = {"authors": "author", "journal": "site", "year": "date"}  # as other tools name them
_KIND_NAMES = (
    "article article-journal article-magazine article-newspaper book chapter dataset entry-dictionary"
    " entry-encyclopedia manuscript paper-conference patent post post-weblog report review software"
    " standard thesis webpage"
)
_KINDS = frozenset(_KIND_NAMES.split())


class Args(Arguments):
    """Format sources as a bibliography: APA, MLA, Chicago, Harvard, Vancouver or IEEE to read, BibTeX, RIS or CSL-JSON for reference managers. Sources come from a session or from a list. Nothing is looked up."""

    style: Annotated[
        Literal[
            "apa", "mla", "chicago", "harvard", "vancouver", "ieee", "bibtex", "ris", "csl-json"
        ],
        Field(default="apa"),
    ]
    session_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="sessionId")
    ]
    sources: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=500,
            description=(
                "Each with url, and title, author, site (or journal, or book), date, doi if known; also "
                "kind (CSL: article-journal, book, chapter, report, thesis, webpage…), volume, issue, pages, "
                "publisher, place, edition, editor, language."
            ),
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
    source = {_SAME.get(name, name): value for name, value in source.items()}
    unknown = sorted(set(source) - set(_FIELDS))
    if unknown:
        raise InvalidInput(
            f"Source {number} has {', '.join(unknown)}; a source takes {', '.join(_FIELDS)}."
        )
    given = {name: " ".join(str(source.get(name) or "").split()) for name in _FIELDS}
    if given["kind"] and given["kind"] not in _KINDS:
        raise InvalidInput(
            f"Source {number} has kind {given['kind']}; it is one of {', '.join(sorted(_KINDS))}."
        )
    return Work(
        url=given["url"],
        title=given["title"],
        authors=_people(source.get("author")),
        editors=_people(source.get("editor")),
        site=given["site"],
        published=given["date"],
        doi=given["doi"],
        kind=given["kind"] or ("article-journal" if given["doi"] and given["site"] else ""),
        volume=given["volume"],
        issue=given["issue"],
        pages=given["pages"],
        publisher=given["publisher"],
        place=given["place"],
        edition=given["edition"],
        language=given["language"],
    )


def _people(given: Any) -> tuple[Author, ...]:
    """One line, or a list of names in either order."""
    if isinstance(given, list | tuple):
        names = (" ".join(str(name).split()) for name in given)
        return tuple(Author(name=name) for name in names if name)
    return people(" ".join(str(given or "").split()))


TOOL = Tool(args=Args, result=Report, run=run, toolset="sessions", open_world=False)
