"""The EPO's Open Patent Services: a token for the key, a search in CQL, a lookup, XML faults."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.patents import PATENTS, Patent, match_patents
from tests.internet.world import World

PREFIX = "/epo"
TOKEN = "token-of-the-double"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><ops:world-patent-data'
    ' xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">'
)


def routes(_world: World) -> list[Route]:
    async def token(request: Request) -> Response:
        if not request.headers.get("authorization", "").startswith("Basic "):
            return _fault(401, "CLIENT.Unauthorized", "Invalid key")
        return JSONResponse({"access_token": TOKEN, "expires_in": "1199"})

    async def search(request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return _fault(400, "400", "invalid_access_token")
        asked = request.query_params["q"]
        words = [
            *re.findall(r'(?:ta|in)="([^"]+)"', asked),
            *re.findall(r'pa="([^"]+)"', asked)[:1],
        ]
        offices = re.findall(r"pn=(\w\w)", asked)
        classes = re.findall(r'cpc="([^"]+)"', asked)
        found = [
            one
            for one in match_patents([part for word in words for part in word.split()])
            if (not offices or one.office in offices)
            and (not classes or one.cpc.startswith(classes[0]))
        ]
        if not found:
            return _fault(404, "SERVER.EntityNotFound", "No results found")
        documents = "".join(map(_document, found))
        return _xml(
            f'<ops:biblio-search total-result-count="{len(found)}"><ops:search-result>'
            f"<exchange-documents>{documents}</exchange-documents></ops:search-result></ops:biblio-search>"
        )

    async def one(request: Request) -> Response:
        office, serial, *kind = request.path_params["number"].split(".")
        found = [
            each
            for each in PATENTS
            if (each.office, each.serial) == (office, serial) and kind in ([], [each.kind])
        ]
        if not found:
            return _fault(404, "SERVER.EntityNotFound", "No results found")
        return _xml(f"<exchange-documents>{''.join(map(_document, found))}</exchange-documents>")

    return [
        Route("/epo/auth/accesstoken", token, methods=["POST"]),
        Route("/epo/rest-services/published-data/search/biblio", search),
        Route("/epo/rest-services/published-data/publication/docdb/{number}/biblio", one),
    ]


def _xml(body: str) -> Response:
    return Response(f"{_HEAD}{body}</ops:world-patent-data>", media_type="application/xml")


def _fault(status: int, code: str, message: str) -> Response:
    body = (
        f'<?xml version="1.0"?><fault xmlns="http://ops.epo.org"><code>{code}</code>'
        f"<message>{message}</message></fault>"
    )
    return Response(body, status, media_type="application/xml")


def _document(one: Patent) -> str:
    published, filed = one.published.replace("-", ""), one.filed.replace("-", "")
    section, group = one.cpc[:4], one.cpc[4:]
    main, _, below = group.partition("/")
    return (
        f'<exchange-document family-id="{one.family}" country="{one.office}"'
        f' doc-number="{one.serial}" kind="{one.kind}"><bibliographic-data>'
        f"<publication-reference><document-id><date>{published}</date></document-id></publication-reference>"
        "<patent-classifications><patent-classification>"
        f"<section>{section[0]}</section><class>{section[1:3]}</class><subclass>{section[3]}</subclass>"
        f"<main-group>{main}</main-group><subgroup>{below}</subgroup>"
        "</patent-classification></patent-classifications>"
        f"<application-reference><document-id><date>{filed}</date></document-id></application-reference>"
        f'<parties><applicants><applicant data-format="original"><applicant-name><name>{one.assignee}</name>'
        f'</applicant-name></applicant></applicants><inventors><inventor data-format="original">'
        f"<inventor-name><name>{one.inventor}</name></inventor-name></inventor></inventors></parties>"
        f'<invention-title lang="en">{one.title}</invention-title></bibliographic-data>'
        f'<abstract lang="en"><p>{one.abstract}</p></abstract></exchange-document>'
    )
