"""Google Patents: one page for each publication, with the marks of the real ones."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.internet.patents import PATENTS, Patent, find_patent
from tests.internet.world import World

PREFIX = "/googlepatents"
MISSING = "<html><head><title>Error 404 (Not Found)!!1</title></head><body><p>404. That’s an error.</p></body></html>"


def routes(_world: World) -> list[Route]:
    async def show(request: Request) -> HTMLResponse:
        found = find_patent(request.path_params["number"])
        return HTMLResponse(_page(found)) if found else HTMLResponse(MISSING, 404)

    return [Route("/googlepatents/patent/{number}/{language}", show)]


def _page(one: Patent) -> str:
    issue = f'<meta name="DC.date" content="{one.published}" scheme="issue">'
    family = "".join(
        '<tr itemprop="docdbFamily" itemscope repeat><td>'
        f'<span itemprop="publicationNumber">{other.number}</span></td></tr>'
        for other in PATENTS
        if other.family == one.family and other is not one
    )
    return f"""<!DOCTYPE html><html><head><title>{one.number} - {escape(one.title)} - Google Patents</title>
<meta name="DC.title" content="{escape(one.title)}"><meta name="DC.description" content="{escape(one.abstract)}">
<meta name="DC.date" content="{one.filed}" scheme="dateSubmitted">{issue if one.is_granted else ""}
<meta name="DC.contributor" content="{escape(one.inventor)}" scheme="inventor">
<meta name="DC.contributor" content="{escape(one.assignee)}" scheme="assignee">
<meta name="citation_pdf_url" content="https://patentimages.example.org/{one.number}.pdf"></head><body>
<dd itemprop="publicationNumber">{one.number}</dd>
<dd><time itemprop="filingDate" datetime="{one.filed}">{one.filed}</time></dd>
<dd><time itemprop="publicationDate" datetime="{one.published}">{one.published}</time></dd>
<ul itemprop="classifications" itemscope repeat><li><span itemprop="Code">{one.cpc}</span></li></ul>
<section itemprop="family" itemscope><h2>ID={one.family}</h2><table>{family}</table></section>
</body></html>"""
