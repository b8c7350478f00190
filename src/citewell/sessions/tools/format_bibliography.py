"""Format sources as a reference list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from citewell.citations import bibliographies
from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import (
    SOURCE_FIELDS,
    CitableWork,
    convert_result_item,
    load_csl_kinds,
    parse_author_line,
)
from citewell.citations.dois import find_doi
from citewell.citations.official_records import CASE_KIND, parse_case_title
from citewell.core.errors import InvalidInput
from citewell.core.tooling import MainBody, Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import BibliographyStyle
from citewell.core.values.research_session import SourceStage
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.core.values.wire_values import UNTRUSTED_LABEL
from citewell.reading.pages.artifacts import find_document_media_type
from citewell.sessions import session_export
from citewell.sessions.session_tracking import SessionTracker
from citewell.sessions.session_views import BibliographyAnswer
from citewell.text.addresses import is_web_address


class Args(ToolArguments):
    """Format the sources of a session or a list as a bibliography: APA, MLA, Chicago, Harvard, Vancouver or IEEE to read; BibTeX, RIS or CSL-JSON for reference managers. Nothing is looked up."""

    style: BibliographyStyle = "apa"
    session_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="sessionId")
    ]
    stage: Annotated[SourceStage, Field(description="Only session sources that got this far.")] = (
        "read"
    )
    sources: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=500,
            description=(
                "Items of other tools' answers as they are, or objects with url, title, author, site (journal or book), date, doi; "
                "also kind (a CSL type), volume, issue, pages, publisher, place, edition, editor, language, number, authority (court)."
            ),
        ),
    ]


async def run(args: Args, call: ToolCall) -> BibliographyAnswer:
    works = [
        _build_cited_work(number, source) for number, source in enumerate(args.sources, start=1)
    ]
    note = None
    if args.session_id and not works:
        sessions = call.require_service(SessionTracker)
        session = await sessions.find_session(str(call.owner), args.session_id)
        chosen = session_export.select_sources(session, args.stage)
        works = session_export.convert_sources(chosen)
        note = session_export.describe_left_out(session, args.stage)
        await sessions.mark_cited(str(call.owner), session.id, chosen)
    elif not works:
        raise InvalidInput("Give either sessionId or sources.")
    text = bibliographies.render_bibliography(
        works, style=args.style, accessed=datetime.now(UTC).date()
    )
    shown: dict[str, Any] = {
        "style": args.style,
        "entryCount": bibliographies.count_unique_works(works),
        "bibliography": text,
        "trust": UNTRUSTED_LABEL,
    }
    if skipped := _list_skipped_sources(works):
        shown["skipped"] = skipped
    if args.session_id:
        shown["sessionId"] = args.session_id
    if note:
        shown["note"] = note
    return BibliographyAnswer.model_validate(shown)


def _list_skipped_sources(works: Sequence[CitableWork]) -> list[dict[str, Any]]:
    """The sources that are no entry of their own, by number and title, each with the reason."""
    first: dict[str, int] = {}
    skipped = []
    for number, work in enumerate(works, start=1):
        if work.url and first.setdefault(work.url, number) == number:
            continue
        reason = f"same address as source {first[work.url]}" if work.url else "no url and no doi"
        skipped.append({"source": number, "title": work.title, "reason": reason})
    return skipped


def _check_source_address(number: int, value: Any) -> None:
    """Raise InvalidInput unless the address is absent, of the web, or a library document's id."""
    if value is None or value == "":
        return
    text = value.strip() if isinstance(value, str) else ""
    if not (is_web_address(text) or text.startswith(LIBRARY_ID_PREFIX)):
        raise InvalidInput(
            f"The url of source {number} must be an http(s) address, not {str(value)[:80]!r}."
        )


def _build_cited_work(number: int, source: dict[str, Any]) -> CitableWork:
    source = convert_result_item(source)
    unknown = sorted(set(source) - set(SOURCE_FIELDS))
    if unknown:
        raise InvalidInput(
            f"Source {number} has {', '.join(unknown)}; a source takes {', '.join(SOURCE_FIELDS)},"
            " or is an item of another tool's answer as it is."
        )
    for name, value in source.items():
        is_list = isinstance(value, list | tuple) and name not in ("author", "editor")
        if is_list or isinstance(value, dict):
            raise InvalidInput(f"The {name} of source {number} must be text.")
    given = {name: " ".join(str(source.get(name) or "").split()) for name in SOURCE_FIELDS}
    if given["kind"] and given["kind"] not in load_csl_kinds():
        raise InvalidInput(
            f"Source {number} has kind {given['kind']}; it is one of {', '.join(sorted(load_csl_kinds()))}."
        )
    _check_source_address(number, source.get("url"))
    doi = find_doi(given["doi"])
    work = CitableWork(
        url=given["url"] or (f"https://doi.org/{doi}" if doi else ""),
        title=given["title"],
        authors=_parse_author_field(source.get("author")),
        editors=_parse_author_field(source.get("editor")),
        site=given["site"],
        published=given["date"],
        doi=given["doi"],
        kind=given["kind"] or ("article-journal" if given["doi"] else ""),
        volume=given["volume"],
        issue=given["issue"],
        pages=given["pages"],
        publisher=given["publisher"],
        place=given["place"],
        edition=given["edition"],
        language=given["language"],
        number=given["number"],
        authority=given["authority"],
    )
    is_bare_case = work.kind == CASE_KIND and not (work.volume or work.number)
    return parse_case_title(work) if is_bare_case else work


def _parse_author_field(given: Any) -> tuple[AuthorName, ...]:
    """Authors from one line of text, or from a list of names."""
    if isinstance(given, list | tuple):
        names = (" ".join(str(name).split()) for name in given)
        # A name of a list is not divided into several; braces mark one that is literal.
        return tuple(
            AuthorName(name=name[1:-1], organisation=True)
            if name.startswith("{") and name.endswith("}")
            else AuthorName(name=name)
            for name in names
            if name
        )
    return parse_author_line(" ".join(str(given or "").split()))


TOOL = Tool(
    args=Args,
    result=BibliographyAnswer,
    run=run,
    toolset="sessions",
    in_default_profile=True,
    open_world=False,
    main_body=MainBody(
        key="bibliography", find_media_type=lambda body: find_document_media_type(body["style"])
    ),
)
