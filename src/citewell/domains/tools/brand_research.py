"""Research a company's brand: colours, logos, typefaces, tone of voice."""

from __future__ import annotations

from citewell.core.tooling import SessionArguments, Tool, ToolCall
from citewell.core.values.research_session import SessionSource
from citewell.domains.brands.brand_merging import BrandProfile
from citewell.domains.brands.brand_portals import BrandResearchRequest
from citewell.domains.brands.brand_research import BrandResearchService
from citewell.routing.ports import Offer, ToolProviders


class Args(SessionArguments, BrandResearchRequest):
    """Research a company's brand: colours, logos, typefaces, tone of voice, social profiles and design tokens, from its own homepage and brand pages. Give url or company_name. Only what a page states is returned; an empty field was not found. brand_portal_resource holds the portal's text for read_artifact, for 30 minutes; otherwise suggestion says what to read."""


async def run(args: Args, call: ToolCall) -> BrandProfile:
    steps = 0

    async def report(doing: str) -> None:
        nonlocal steps
        await call.report_progress(steps, message=doing)
        steps += 1

    answer = await call.require_service(BrandResearchService).research_brand(
        args.build_request(BrandResearchRequest), owner=call.owner, trace=call.trace, report=report
    )
    call.report_sources(
        SessionSource(url=page.url, stage="listed" if page.name == "web_search" else "read")
        for page in answer.sources
    )
    return answer


TOOL = Tool(
    args=Args,
    result=BrandProfile,
    run=run,
    toolset="domains",
    title="Company brand",
    has_long_timeout=True,
    served_by=ToolProviders(
        offer=Offer.BRANDS, filters=("depth",), without_provider="the company's own pages"
    ),
)
