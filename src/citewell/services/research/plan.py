"""What will be asked, before anything is searched: the sides of a question and the breadth of a tier."""

from __future__ import annotations

from citewell.model.research import Tier
from citewell.services.research.material import Plan, Side
from citewell.text import facets, language

_FEWEST_LETTERS = 12  # below, a query is too short to tell its language


def plan(query: str, tier: Tier, *, year: int | None = None) -> Plan:
    """The plan for a question; the same question, tier and year give the same plan."""
    spoken = language.detect(query) if len(query) >= _FEWEST_LETTERS else None
    asked = facets.question(query, year=year, language=spoken)
    sides = tuple(
        Side(title=one.title, query=one.query, about=one.about, cue=one.cue, counter=one.counter)
        for one in asked.facets
    )
    return Plan(
        query=asked.text,
        kind=asked.kind.value,
        language=spoken,
        phrases=asked.phrases,
        sides=sides,
        queries=_queries(sides, tier.queries),
        pages=tier.pages,
        rounds=tier.rounds,
        further=max(1, tier.queries // 3),
    )


def _queries(sides: tuple[Side, ...], most: int) -> tuple[str, ...]:
    """The question itself, then the side that speaks against it, then the others."""
    own, rest = sides[:1], sides[1:]
    against = tuple(side for side in rest if side.counter)
    first = against[:1] if most > 2 else ()
    order = (*own, *(side for side in rest if not side.counter), *against)
    kept = [side for side in order if side not in first][: most - len(first)]
    chosen = [side for side in order if side in kept or side in first]
    return tuple(dict.fromkeys(side.query for side in chosen if side.query))
