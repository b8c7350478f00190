"""Little sets of pages that were read, and what the local engine makes of them."""

from __future__ import annotations

import hashlib

from citewell.core.values.research import RESEARCH_TIERS, ResearchFindings
from citewell.jobs.step_values import PageReading, PageReadings
from citewell.research.pages.page_analysis import PageAnalysis, analyse_pages
from citewell.research.planning.research_plan import build_research_plan
from citewell.text.language.detection import detect_language
from tests import local_research


def read_pages(*texts: str, titles: tuple[str, ...] = ()) -> PageReadings:
    """Pages of different sites, named site1.example and so on."""
    return PageReadings(
        pages=tuple(
            PageReading(
                url=f"https://site{number}.example/page",
                title=titles[number - 1] if titles else "",
                text=text,
                language=detect_language(text),
                sha256=hashlib.sha256(text.encode()).hexdigest(),
            )
            for number, text in enumerate(texts, start=1)
        )
    )


def analyse_texts(question: str, *texts: str, titles: tuple[str, ...] = ()) -> PageAnalysis:
    plan = build_research_plan(question, RESEARCH_TIERS["S"], year=2026)
    return analyse_pages(plan, read_pages(*texts, titles=titles))


def answer_texts(question: str, *texts: str, titles: tuple[str, ...] = ()) -> ResearchFindings:
    plan = build_research_plan(question, RESEARCH_TIERS["S"], year=2026)
    return local_research.analyse_readings(plan, read_pages(*texts, titles=titles), salt="job")


def take_section(report: str, title: str) -> str:
    """The text below a heading of a report, up to the next one; empty if there is none."""
    below = report.partition(f"## {title}\n")[2]
    return below.partition("\n## ")[0].strip()
