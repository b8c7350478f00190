"""PubMed's E-utilities: search in the documented shape, records in the recorded one."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Author, Happening, Work
from tests.internet.world import World

PREFIX = "/pubmed"
_AID = re.compile(r'"([^"]+)"\[aid\]')
_TITLE_WORD = re.compile(r"([^\s()]+)\[ti\]")
_TAG = re.compile(r'"[^"]*"\[sb\]|\d{4}:\d{4}\[dp\]|\[\w+\]|\b(?:AND|OR)\b|[()"]')
_RELATIONS = {
    "retraction": "RetractionIn",
    "expression_of_concern": "ExpressionOfConcernIn",
    "correction": "ErratumIn",
}
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = await _asked(request)
        if not asked.get("term"):
            error = {"ERROR": "Empty term and query_key - nothing todo"}
            return JSONResponse({"header": {"type": "esearch"}, "esearchresult": error})
        found = [work.ids["pmid"] for work in _found(world, asked) if "pmid" in work.ids]
        listed = found[: int(asked.get("retmax", "20"))]
        result = {"count": str(len(found)), "retmax": str(len(listed)), "retstart": "0"}
        return JSONResponse(
            {"header": {"type": "esearch"}, "esearchresult": result | {"idlist": listed}},
            headers=UNHURRIED,
        )

    async def fetch(request: Request) -> Response:
        numbers = (await _asked(request)).get("id", "").split(",")
        works = (papers.of(world).by_id("pmid", number) for number in numbers)
        records = "\n".join(_record(work) for work in works if work is not None)
        body = f'<?xml version="1.0" ?>\n{_DOCTYPE}\n<PubmedArticleSet>\n{records}\n</PubmedArticleSet>'
        return Response(body, media_type="text/xml", headers=UNHURRIED)

    async def summary(request: Request) -> JSONResponse:
        number = (await _asked(request))["id"]
        work = papers.of(world).by_id("pmcid", f"PMC{number}")
        row: dict[str, Any] = {"uid": number, "error": "cannot get document summary"}
        if work is not None:
            ids = [{"idtype": "pmid", "value": work.ids.get("pmid", "0")}]
            row = {"uid": number, "articleids": [*ids, {"idtype": "doi", "value": work.doi}]}
        return JSONResponse(
            {"header": {"type": "esummary"}, "result": {"uids": [number], number: row}}
        )

    either = ["GET", "POST"]
    return [
        Route("/pubmed/esearch.fcgi", search, methods=either),
        Route("/pubmed/efetch.fcgi", fetch, methods=either),
        Route("/pubmed/esummary.fcgi", summary, methods=either),
    ]


async def _asked(request: Request) -> dict[str, str]:
    form = await request.form() if request.method == "POST" else {}
    return dict(request.query_params) | {key: str(value) for key, value in form.items()}


def _found(world: World, asked: dict[str, str]) -> list[Work]:
    register, term = papers.of(world), asked["term"]
    if dois := _AID.findall(term):
        works = map(register.by_doi, dict.fromkeys(dois))
        return [work for work in works if work is not None]
    found = register.search(
        _TAG.sub(" ", term),
        year_from=int(asked["mindate"]) if "mindate" in asked else None,
        year_to=int(asked["maxdate"]) if "maxdate" in asked else None,
    )
    words = {word.lower() for word in _TITLE_WORD.findall(term)}
    if words and " OR " not in term:
        found = [work for work in found if words <= set(re.findall(r"[\w'-]+", work.title.lower()))]
    if asked.get("sort") == "pub_date":
        found.sort(key=lambda work: work.date or "", reverse=True)
    return found


_DOCTYPE = (
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN"'
    ' "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">'
)


def _record(work: Work) -> str:
    pmid, types = work.ids["pmid"], ["Journal Article"]
    if work.retracted:
        types.append("Retracted Publication")
    abstract = escape(work.abstract) if work.abstract else ""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{pmid}</PMID>'
        f'<Article PubModel="Print"><Journal><JournalIssue CitedMedium="Print">'
        f"{_tag('Volume', work.volume)}{_tag('Issue', work.issue)}<PubDate>{_date(work)}</PubDate>"
        f"</JournalIssue>{_tag('Title', work.venue)}</Journal>"
        f"<ArticleTitle>{escape(work.title_prefix + work.title)}.</ArticleTitle>"
        f"{_tag('Pagination', _tag('MedlinePgn', work.pages), raw=True)}"
        f'<ELocationID EIdType="doi" ValidYN="Y">{escape(work.doi)}</ELocationID>'
        f"{_tag('Abstract', _tag('AbstractText', abstract, raw=True), raw=True)}"
        f'<AuthorList CompleteYN="Y">{"".join(map(_author, work.authors))}</AuthorList>'
        f"<Language>eng</Language><PublicationTypeList>"
        f"{''.join(_tag('PublicationType', one) for one in types)}</PublicationTypeList></Article>"
        f"{_tag('CommentsCorrectionsList', ''.join(map(_notice, work.events)), raw=True)}"
        "</MedlineCitation><PubmedData><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{pmid}</ArticleId>{_central(work)}'
        f'<ArticleId IdType="doi">{escape(work.doi)}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>'
    )


def _central(work: Work) -> str:
    number = work.ids.get("pmcid")
    return f'<ArticleId IdType="pmc">{number}</ArticleId>' if number else ""


def _tag(name: str, text: str, *, raw: bool = False) -> str:
    return f"<{name}>{text if raw else escape(text)}</{name}>" if text else ""


def _date(work: Work) -> str:
    parts = [_tag("Year", str(work.year or ""))]
    parts += [_tag("Month", _MONTHS[work.month - 1])] if work.month else []
    parts += [_tag("Day", str(work.day))] if work.month and work.day else []
    return "".join(parts)


def _author(author: Author) -> str:
    if isinstance(author, str):
        return f'<Author ValidYN="Y">{_tag("CollectiveName", author)}</Author>'
    given, family = author
    return f'<Author ValidYN="Y">{_tag("LastName", family)}{_tag("ForeName", given)}</Author>'


def _notice(event: Happening) -> str:
    relation = _RELATIONS.get(event.kind)
    if relation is None:
        return ""
    relation = "PartialRetractionIn" if event.label == "partial_retraction" else relation
    year, _, rest = (event.date or "").partition("-")
    month = _MONTHS[int(rest[:2]) - 1] if rest else ""
    when = " ".join(part for part in (year, month, rest[3:].lstrip("0")) if part)
    source = f"Example J. {when};1(1):1." + (f" doi: {event.notice}." if event.notice else "")
    return (
        f'<CommentsCorrections RefType="{relation}">{_tag("RefSource", source)}'
        "</CommentsCorrections>"
    )
