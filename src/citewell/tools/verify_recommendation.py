"""Check a list of recommendations for signs of self-interest."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_types import ClaimText
from citewell.model.recommendation_audit import RecommendationAudit
from citewell.services.recommendation.recommendation_auditor import (
    GivenRecommendation,
    RecommendationAuditor,
    RecommendationRequest,
)
from citewell.tooling import Tool, ToolArguments, ToolCall

_RECOMMENDATION_FIELDS = ("title", "url", "author", "authorBio")
_MAX_FIELD_CHARS = 2000  # characters of one field


class Args(ToolArguments):
    """Audit a ranking, listicle or AI recommendation list: brands that rank themselves first, authors with a stake, source reputation, dead links; with claim, whether independent press agrees. Evidence per item, no verdict. For one citation use verify_citation."""

    recommendations: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            min_length=1,
            max_length=100,
            description="In ranked order, each with title, and url, author, authorBio if known.",
        ),
    ]
    claim: Annotated[
        ClaimText,
        Field(description="What the list claims; searches then look for independent agreement."),
    ] = None
    num_corroboration_results: Annotated[
        int, Field(default=5, ge=1, le=10, validation_alias="numCorroborationResults")
    ]


async def run(args: Args, call: ToolCall) -> RecommendationAudit:
    wish = RecommendationRequest(
        items=tuple(
            _build_recommendation(place, one)
            for place, one in enumerate(args.recommendations, start=1)
        ),
        claim=(args.claim or "").strip(),
        results_per_search=args.num_corroboration_results,
        tenant=call.owner.tenant,
    )
    return await call.require_service(RecommendationAuditor).audit_recommendations(
        wish, progress=call.report_progress
    )


def _build_recommendation(place: int, given: dict[str, Any]) -> GivenRecommendation:
    unknown = sorted(set(given) - set(_RECOMMENDATION_FIELDS))
    if unknown:
        raise InvalidInput(
            f"Recommendation {place} has {', '.join(unknown)}; it takes {', '.join(_RECOMMENDATION_FIELDS)}."
        )
    said = {name: str(given.get(name) or "").strip() for name in _RECOMMENDATION_FIELDS}
    if not said["title"]:
        raise InvalidInput(f"Recommendation {place} has no title.")
    if longest := next(
        (name for name in _RECOMMENDATION_FIELDS if len(said[name]) > _MAX_FIELD_CHARS), None
    ):
        raise InvalidInput(
            f"Recommendation {place}: {longest} is longer than {_MAX_FIELD_CHARS} characters."
        )
    return GivenRecommendation(
        title=said["title"], url=said["url"], author=said["author"], bio=said["authorBio"]
    )


TOOL = Tool(args=Args, result=RecommendationAudit, run=run, toolset="trust", has_long_timeout=True)
