"""The DOI resolver: whether a DOI is registered, and its registration agency's metadata for it."""

from __future__ import annotations

from citewell.core.errors import InvalidInput, MalformedResponse, NotFound, UpstreamUnavailable
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId
from citewell.net.http.messages import RedirectPolicy
from citewell.net.upstream.json_responses import JsonResponse, read_json_response
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.providers.dialects import csl_works
from citewell.routing.ports import KitProvider, Offer, ProviderSpec

SPEC = ProviderSpec(
    name="doi",
    title="DOI resolver",
    homepage="https://www.doi.org/doi-handbook/HTML/the-doi-proxy-server-rest-api.html",
    base_url="https://doi.org",
    offers=frozenset({Offer.REGISTRY, Offer.LOOKUP}),
    per_second=20.0,
    burst=20,
    rank=80,
    terms="No key; keep the number of parallel requests modest.",
    test_evidence="redirects and refusals: recorded answers; handles and CSL: shape-tested only",
)

_CSL_MEDIA_TYPE = "application/vnd.citationstyles.csl+json"
_NO_METADATA_STATUS = 204  # the agency knows the DOI but has no metadata for it
_REGISTERED_CODES = {1, 200}  # 200: the handle exists but has no value of the requested type
_UNREGISTERED_CODE = 100


class _HandleResponse(JsonResponse):
    responseCode: int  # noqa: N815 - the upstream's word


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.DOI})

    async def is_registered(self, doi: str) -> bool:
        """Whether the DOI is registered; raises when the registry cannot be asked."""
        path = f"/api/handles/{csl_works.encode_doi_segment(doi)}"
        response = await self._upstream.send_get(path, accept=(404,))
        # Any proxy can send a 404, so only the registry's own response code counts.
        code = parse_json_response(_HandleResponse, response).responseCode
        if code in _REGISTERED_CODES and response.status != 404:
            return True
        if code == _UNREGISTERED_CODE:
            return False
        message = "The handle registry did not say whether the DOI is registered."
        raise UpstreamUnavailable(message, provider=SPEC.name, detail=f"response code {code}")

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is not IdentifierScheme.DOI:
            raise InvalidInput(
                "The DOI resolver can look up works by DOI only.", provider=SPEC.name
            )
        try:
            response = await self._upstream.send_get(
                f"/{csl_works.encode_doi_segment(paper_id.value)}",
                headers={"Accept": _CSL_MEDIA_TYPE},
                redirects=RedirectPolicy.FOLLOW,  # to the agency that registered the DOI
            )
        except NotFound:
            return None
        if response.status == _NO_METADATA_STATUS:
            return None
        work = read_json_response(csl_works.CslWork, response)
        if not work.title and not work.DOI:
            raise MalformedResponse(
                "The response has neither a title nor a DOI.", provider=SPEC.name
            )
        return csl_works.build_csl_paper(work, source=SPEC.name, doi=paper_id.value.lower())
