"""The parts of our pages that speak most to a question, for a model that cannot search."""

from __future__ import annotations

from citewell.model.research import Passage
from citewell.services.research.material import Plan, Reading, Readings
from citewell.text.support import Text, assess


def passages(
    plan: Plan, readings: Readings, *, most: int = 12, length: int = 1500
) -> tuple[Passage, ...]:
    """One of each page, around the sentences nearest to the question; numbered from 1."""
    pages = [page for page in readings.pages if page.read][:most]
    return tuple(
        Passage(number=number, url=page.url, title=page.title, text=_around(plan, page, length))
        for number, page in enumerate(pages, start=1)
    )


def _around(plan: Plan, page: Reading, length: int) -> str:
    near = assess(plan.query, Text(text=page.text, language=page.language))
    spare = max(0, length - (near.end - near.start))
    start = max(0, near.start - spare // 2)
    start = page.text.rfind("\n", 0, start) + 1 if start else 0
    return " ".join(page.text[start : start + length].split())
