"""arXiv's Atom API in the shape of its recorded answers."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Work
from tests.internet.world import World

PREFIX = "/arxiv"
_ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_DATES = re.compile(r"submittedDate:\[(\d{4})\d{8} TO (\d{4})\d{8}\]")
_TERM = re.compile(r'(all|ti|au):("[^"]*"|[^\s()]+)')
_WORD = re.compile(r"[^\W_]+")


def routes(world: World) -> list[Route]:
    async def query(request: Request) -> Response:
        asked = request.query_params
        limit = int(asked.get("max_results", "10"))
        works = [work for work in papers.of(world).works if "arxiv" in work.ids]
        if numbers := [number for number in asked.get("id_list", "").split(",") if number]:
            wrong = [number for number in numbers if not _ID.fullmatch(number)]
            if wrong:
                return _answer(_error(wrong[0]), 1, status=400)
            bare = {re.sub(r"v\d+$", "", number) for number in numbers}
            found = [work for work in works if work.ids["arxiv"] in bare]
        else:
            found = _search(works, asked.get("search_query", ""))
        if asked.get("sortBy") == "submittedDate":
            found = sorted(found, key=lambda work: work.date or "", reverse=True)
        return _answer("".join(map(_entry, found[:limit])), len(found))

    return [Route("/arxiv/query", query)]


def _search(works: list[Work], expression: str) -> list[Work]:
    dates = _DATES.search(expression)
    first, last = (int(dates[1]), int(dates[2])) if dates else (0, 9999)
    every = " OR " not in expression
    terms = [(field, said.strip('"').lower()) for field, said in _TERM.findall(expression)]
    fixed = [term for term in terms if every or term[0] == "au"]
    some = [term for term in terms if term not in fixed]
    return [
        work
        for work in works
        if first <= (work.year or 0) <= last
        and all(_has(work, *term) for term in fixed)
        and (not some or any(_has(work, *term) for term in some))
    ]


def _has(work: Work, field: str, said: str) -> bool:
    places = {"ti": work.title, "au": " ".join(work.names)}
    held = places.get(field, f"{work.title} {' '.join(work.names)} {work.abstract or ''}")
    return set(_WORD.findall(said)) <= set(_WORD.findall(held.lower()))


def _entry(work: Work) -> str:
    number = f"{work.ids['arxiv']}v1"
    day = f"{work.year or 2000:04}-{work.month or 1:02}-{work.day or 1:02}T00:00:00Z"
    gone = any(event.label == "withdrawal" for event in work.events)
    authors = "".join(f"<author><name>{escape(name)}</name></author>" for name in work.names)
    doi = f"<arxiv:doi>{escape(work.preprint_of)}</arxiv:doi>" if work.preprint_of else ""
    comment = "This paper has been withdrawn by the authors" if gone else "12 pages"
    return (
        f"<entry><id>http://arxiv.org/abs/{number}</id><title>{escape(work.title)}</title>"
        f"<updated>{day}</updated><published>{day}</published>"
        f'<link href="https://arxiv.org/abs/{number}" rel="alternate" type="text/html"/>'
        f'<link href="https://arxiv.org/pdf/{number}" rel="related" type="application/pdf" title="pdf"/>'
        f"<summary>{escape(work.abstract or 'A placeholder abstract.')}</summary>"
        f"<arxiv:comment>{comment}</arxiv:comment>{authors}{doi}</entry>\n"
    )


def _error(number: str) -> str:
    address = f"https://arxiv.org/api/errors#incorrect_id_format_for_{escape(number)}"
    return (
        f"<entry><id>{address}</id><title>Error</title>"
        f"<summary>incorrect id format for {escape(number)}</summary>"
        "<author><name>arXiv api core</name></author></entry>\n"
    )


def _answer(entries: str, total: int, *, status: int = 200) -> Response:
    body = (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
        ' xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">\n'
        "<id>https://arxiv.org/api/example</id><title>arXiv Query</title>\n"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>\n{entries}</feed>\n"
    )
    return Response(body, status, media_type="application/atom+xml", headers=UNHURRIED)
