"""Answers of search providers as reports: their text, the pages they cite, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citewell.core.values.research import (
    ConsultedPage,
    ProviderReport,
    ProviderUsage,
    ReportCitation,
)
from citewell.text.safety.text_cleaning import clean_markup, strip_invisible_characters

MAX_ANSWER_CHARS = 40_000  # of one answer; what is longer is cut
_MAX_TITLE_CHARS = 300
_ACTIVE_TAG_PATTERN = re.compile(
    r"</?(?:script|style|img|iframe|object|embed|svg|form|input|button|link|meta|base|video|audio|a)\b"
    r"[^<>]{0,2000}>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPage:
    """A page that an answer cites; with offsets, the words of the text that it is cited for."""

    url: str
    title: str | None = None
    published: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCost:
    ticks: int = 0
    basis: str = "none"  # provider, prices, table or none
    usage: ProviderUsage | None = None


def clean_answer_text(text: str | None) -> str:
    """A provider's markdown without invisible characters and active HTML; line ends are left."""
    visible = strip_invisible_characters((text or "")[:MAX_ANSWER_CHARS]).text
    visible = _ACTIVE_TAG_PATTERN.sub("", visible)
    return visible.encode("utf-8", "replace").decode().strip()


def build_answer_report(
    provider: str,
    text: str,
    pages: Iterable[CitedPage],
    *,
    count: int,
    cost: AnswerCost,
    model: str = "",
    notes: tuple[str, ...] = (),
) -> ProviderReport:
    """The report of an answer; only the first `count` different pages are cited."""
    known: dict[str, CitedPage] = {}
    cited = []
    for page in pages:
        if page.url not in known and len(known) >= count:
            continue
        known.setdefault(page.url, page)
        cited.append(page)
    return ProviderReport(
        provider=provider,
        model=model,
        text=text,
        citations=tuple(
            ReportCitation(
                url=page.url, title=_clean_title(page.title), start=page.start, end=page.end
            )
            for page in cited
        ),
        consulted=tuple(
            ConsultedPage(
                url=page.url, title=_clean_title(page.title), published=page.published or ""
            )
            for page in known.values()
        ),
        usage=cost.usage or ProviderUsage(),
        cost_ticks=cost.ticks,
        cost_basis=cost.basis,
        notes=notes,
    )


def keep_cited_pages(report: ProviderReport, count: int) -> ProviderReport:
    """The report with citations of its first `count` different pages alone.

    A report that cites none is given those that its provider found.
    """
    found = report.citations or tuple(
        ReportCitation(url=page.url, title=page.title) for page in report.consulted
    )
    kept = list(dict.fromkeys(citation.url for citation in found))[:count]
    text = clean_answer_text(report.text)
    cited = []
    for citation in found:
        if citation.url in kept:
            start, end = relocate_span(report.text, text, citation.start, citation.end)
            cited.append(citation.model_copy(update={"start": start, "end": end}))
    return report.model_copy(update={"citations": tuple(cited), "text": text})


def relocate_span(
    raw: str, clean: str, start: int | None, end: int | None
) -> tuple[int | None, int | None]:
    """Offsets in a raw text as offsets in the same text cleaned; None if the words are not found."""
    if start is None or end is None or raw == clean:
        return start, end
    words = clean_answer_text(raw[start:end])
    place = clean.find(words, max(0, start - (len(raw) - len(clean)))) if words else -1
    return (place, place + len(words)) if place >= 0 else (None, None)


def _clean_title(title: str | None) -> str:
    return clean_markup(title)[:_MAX_TITLE_CHARS]
