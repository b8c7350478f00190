"""Passages of the pages we read, for a model that cannot search."""

from __future__ import annotations

from citewell.model.research import GroundingPassage
from citewell.services.research.step_values import PageReading, PageReadings, ResearchPlan
from citewell.text.evidence.claim_support import SourceText, assess_support


def choose_passages(
    plan: ResearchPlan, readings: PageReadings, *, max_pages: int = 12, max_chars: int = 1500
) -> tuple[GroundingPassage, ...]:
    """One passage of each page, around the sentences nearest to the question; numbered from 1."""
    pages = [page for page in readings.pages if page.is_read][:max_pages]
    return tuple(
        GroundingPassage(
            number=number,
            url=page.url,
            title=page.title,
            text=_extract_nearest_passage(plan, page, max_chars),
        )
        for number, page in enumerate(pages, start=1)
    )


def _extract_nearest_passage(plan: ResearchPlan, page: PageReading, length: int) -> str:
    near = assess_support(plan.query, SourceText(text=page.text, language=page.language))
    spare = max(0, length - (near.end - near.start))
    start = max(0, near.start - spare // 2)
    start = page.text.rfind("\n", 0, start) + 1 if start else 0
    return " ".join(page.text[start : start + length].split())
