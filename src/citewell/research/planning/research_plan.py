"""Plans the research: the sides of a question, and the searches and pages that a tier allows."""

from __future__ import annotations

from citewell.core.values.research import ResearchTier
from citewell.jobs.step_values import AskedPart, QuestionSide, ResearchPlan
from citewell.research.planning import question_facets
from citewell.text import questions
from citewell.text.language import detection

_MIN_DETECTABLE_CHARS = 12  # the language of a shorter query cannot be detected


def build_research_plan(query: str, tier: ResearchTier, *, year: int | None = None) -> ResearchPlan:
    """The plan for a question; the same question, tier and year give the same plan."""
    spoken = detection.detect_language(query) if len(query) >= _MIN_DETECTABLE_CHARS else None
    asked = question_facets.parse_question(query, year=year, language=spoken)
    sides = tuple(
        QuestionSide(
            title=facet.title,
            query=facet.query,
            counter=facet.is_opposing,
        )
        for facet in asked.facets
    )
    parts = _list_asked_parts(query)
    return ResearchPlan(
        query=asked.text,
        kind=asked.kind.value,
        language=spoken,
        phrases=asked.phrases,
        parts=parts,
        sides=sides,
        queries=_choose_first_queries(parts, sides, tier.queries),
        pages=tier.pages,
        rounds=tier.rounds,
        further=max(1, tier.queries // 3),
    )


def _list_asked_parts(query: str) -> tuple[AskedPart, ...]:
    """What each needs an answer of its own: numbered questions, or the parts of one."""
    listed = question_facets.split_numbered_questions(query)
    if listed:
        return tuple(AskedPart(text=entry, context=query) for entry in listed)
    return tuple(
        AskedPart(text=part.text, context=part.context)
        for part in questions.split_question_parts(query)
    )


def _choose_first_queries(
    parts: tuple[AskedPart, ...], sides: tuple[QuestionSide, ...], most: int
) -> tuple[str, ...]:
    """Queries of the first round: the question, its parts, and one side that argues against it."""
    own, rest = sides[:1], sides[1:]
    against = tuple(side for side in rest if side.counter)
    first = against[:1] if most > 2 else ()
    order = (*own, *(side for side in rest if not side.counter), *against)
    apart = [_name_part_subject(part) for part in parts] if len(parts) > 1 else []
    compared = questions.find_compared_subjects(own[0].query) if own else None
    apart += [] if compared is None else _list_side_queries(own[0].query, compared)
    kept = [side for side in order if side not in first][: most - len(first) - len(apart)]
    chosen = [side for side in order if side in own or side in kept or side in first]
    asked = [side.query for side in chosen if side.query]
    return tuple(dict.fromkeys([*asked[:1], *apart, *asked[1:]]))[:most]


def _name_part_subject(part: AskedPart) -> str:
    """A part as a query; what it points back to stands in the part before."""
    lead = part.context.partition(",")[0]
    subject = question_facets.extract_subject(lead)
    return part.text if subject.lower() in part.text.lower() else f"{part.text} {subject}"


def _list_side_queries(query: str, subjects: tuple[str, str]) -> list[str]:
    """Each of the two compared subjects by itself, with what is asked of both."""
    first, second = subjects
    words = questions.list_key_words(query)
    return [
        " ".join([own, *(word for word in words if word.lower() not in f"{own} {other}".lower())])
        for own, other in ((first, second), (second, first))
    ]
