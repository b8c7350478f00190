"""Measures the text of a page against a query and a claim; worker processes do this."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.text.evidence import nearest_sentences, source_quality, summaries


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFigures:
    """What the text of a page is worth for one search."""

    relevance: float
    content_quality: float
    claim_signal: str = ""
    key_sentences: tuple[str, ...] = ()


def measure_source_text(
    text: str, query: str, title: str, claim: str | None, language: str | None
) -> SourceFigures:
    """The figures of a text in this language; without a claim there are no sentences for it."""
    signal = ""
    evidence: tuple[str, ...] = ()
    if claim:
        asked = nearest_sentences.build_claim_terms(claim, language=language)
        running = summaries.extract_running_text(text)
        signal, evidence = nearest_sentences.find_nearest_sentences(asked, running)
    return SourceFigures(
        relevance=source_quality.score_relevance(
            query, title=title, content=text, language=language
        ),
        content_quality=source_quality.score_content(text),
        claim_signal=signal,
        key_sentences=evidence,
    )
