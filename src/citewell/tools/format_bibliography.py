"""Format sources as a reference list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.answers.session_answers import BibliographyAnswer
from citewell.model.argument_types import BibliographyStyle
from citewell.model.wire_values import UNTRUSTED_LABEL
from citewell.services.sessions import session_export
from citewell.services.sessions.session_tracking import SessionTracker
from citewell.text.citations import bibliographies
from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CitableWork, parse_author_line
from citewell.text.citations.dois import find_doi
from citewell.text.citations.official_records import CASE_KIND, parse_case_title
from citewell.text.citations.result_items import CSL_KINDS, SOURCE_FIELDS, convert_result_item
from citewell.text.media_types import find_document_media_type
from citewell.tooling import MainBody, Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Format sources as a bibliography: APA, MLA, Chicago, Harvard, Vancouver or IEEE to read, BibTeX, RIS or CSL-JSON for reference managers. Sources come from a session or from a list. Nothing is looked up."""

    style: BibliographyStyle = "apa"
    session_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="sessionId")
    ]
    sources: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=500,
            description=(
                "Items of other tools' answers as they are (papers, results, cases), or each with url, and title, author, site (or journal, or book), date, doi if known; also "
                "kind (CSL: article-journal, book, chapter, legal_case, patent, report, webpage…), volume, issue, "
                "pages, publisher, place, edition, editor, language, number, authority (court)."
            ),
        ),
    ]


async def run(args: Args, call: ToolCall) -> BibliographyAnswer:
    works = [
        _build_cited_work(number, source) for number, source in enumerate(args.sources, start=1)
    ]
    if args.session_id and not works:
        session = await call.require_service(SessionTracker).find_session(
            str(call.owner), args.session_id
        )
        works = session_export.list_cited_works(session)
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
    if args.session_id:
        shown["sessionId"] = args.session_id
    return BibliographyAnswer.model_validate(shown)


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
    if given["kind"] and given["kind"] not in CSL_KINDS:
        raise InvalidInput(
            f"Source {number} has kind {given['kind']}; it is one of {', '.join(sorted(CSL_KINDS))}."
        )
    work = CitableWork(
        url=given["url"] or _build_doi_address(given["doi"]),
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


def _build_doi_address(doi: str) -> str:
    """The address of the DOI, for a source without one; empty if there is no DOI."""
    found = find_doi(doi)
    return f"https://doi.org/{found}" if found else ""


def _parse_author_field(given: Any) -> tuple[AuthorName, ...]:
    """Authors from one line of text, or from a list of names."""
    if isinstance(given, list | tuple):
        names = (" ".join(str(name).split()) for name in given)
        return tuple(AuthorName(name=name) for name in names if name)
    return parse_author_line(" ".join(str(given or "").split()))


TOOL = Tool(
    args=Args,
    result=BibliographyAnswer,
    run=run,
    toolset="sessions",
    open_world=False,
    main_body=MainBody(
        key="bibliography", find_media_type=lambda body: find_document_media_type(body["style"])
    ),
)
