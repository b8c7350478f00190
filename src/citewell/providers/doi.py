"""The DOI system itself: whether a DOI is registered, and what its agency says it stands for."""

from __future__ import annotations

from typing import ClassVar

from citewell.errors import BadShape, InvalidInput, NotFound, Unavailable
from citewell.model.paper import Paper, PaperId, Scheme
from citewell.net import csl
from citewell.net.answer import Answer, read
from citewell.net.message import Redirects
from citewell.net.upstream import parse
from citewell.ports import Kit, Offer, Spec

SPEC = Spec(
    name="doi",
    title="DOI resolver",
    home="https://www.doi.org/doi-handbook/HTML/the-doi-proxy-server-rest-api.html",
    base_url="https://doi.org",
    offers=frozenset({Offer.REGISTRY, Offer.LOOKUP}),
    per_second=20.0,
    burst=20,
    rank=80,
    terms="No key; keep the number of parallel requests modest.",
    evidence="redirects and refusals: recorded answers; handles and CSL: shape-tested only",
)

_CSL = "application/vnd.citationstyles.csl+json"
_EMPTY = 204  # the agency knows the DOI and has no metadata for it
_FOUND = {1, 200}  # 200: the handle exists and holds no value of the kind asked for
_UNKNOWN = 100


class _Handle(Answer):
    responseCode: int  # noqa: N815 - the upstream's word


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset({Scheme.DOI})

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream

    async def registered(self, doi: str) -> bool:
        path = f"/api/handles/{csl.segment(doi)}"
        response = await self._upstream.get(path, accept=(404,))
        # A 404 counts only in the registry's own words: any proxy can send one.
        code = parse(_Handle, response).responseCode
        if code in _FOUND and response.status != 404:
            return True
        if code == _UNKNOWN:
            return False
        message = "The handle registry could not say whether the DOI is registered."
        raise Unavailable(message, provider=SPEC.name, detail=f"response code {code}")

    async def paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is not Scheme.DOI:
            raise InvalidInput("The DOI resolver knows DOIs only.", provider=SPEC.name)
        try:
            response = await self._upstream.get(
                f"/{csl.segment(paper_id.value)}",
                headers={"Accept": _CSL},
                redirects=Redirects.FOLLOW,  # to whichever agency registered it
            )
        except NotFound:
            return None
        if response.status == _EMPTY:
            return None
        work = read(csl.Work, response)
        if not work.title and not work.DOI:
            raise BadShape("The answer describes no work.", provider=SPEC.name)
        return csl.paper(work, source=SPEC.name, doi=paper_id.value.lower())
