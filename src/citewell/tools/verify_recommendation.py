"""Look at a list of recommendations for signs of self-interest."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from citewell.errors import InvalidInput
from citewell.model.recommendation import RecommendationAudit
from citewell.services.recommendation.audit import Recommendation, Recommendations, Wish
from citewell.tooling import Arguments, Call, Tool

_FIELDS = ("title", "url", "author", "authorBio")
_LONGEST = 2000  # characters of one field


def _blank(value: Any) -> Any:
    return None if value == "" else value


class Args(Arguments):
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
        str | None,
        Field(
            default=None,
            max_length=2000,
            description="What the list claims; searches then look for independent agreement.",
        ),
        BeforeValidator(_blank),
    ]
    num_corroboration_results: Annotated[
        int, Field(default=5, ge=1, le=10, validation_alias="numCorroborationResults")
    ]


async def run(args: Args, call: Call) -> RecommendationAudit:
    wish = Wish(
        items=tuple(_item(place, one) for place, one in enumerate(args.recommendations, start=1)),
        claim=(args.claim or "").strip(),
        count=args.num_corroboration_results,
        tenant=call.owner.tenant,
    )
    return await call.service(Recommendations).audit(wish, progress=call.progress)


def _item(place: int, given: dict[str, Any]) -> Recommendation:
    unknown = sorted(set(given) - set(_FIELDS))
    if unknown:
        raise InvalidInput(
            f"Recommendation {place} has {', '.join(unknown)}; it takes {', '.join(_FIELDS)}."
        )
    said = {name: str(given.get(name) or "").strip() for name in _FIELDS}
    if not said["title"]:
        raise InvalidInput(f"Recommendation {place} has no title.")
    if longest := next((name for name in _FIELDS if len(said[name]) > _LONGEST), None):
        raise InvalidInput(
            f"Recommendation {place}: {longest} is longer than {_LONGEST} characters."
        )
    return Recommendation(
        title=said["title"], url=said["url"], author=said["author"], bio=said["authorBio"]
    )


TOOL = Tool(args=Args, result=RecommendationAudit, run=run, toolset="trust", long=True)
