"""Merges what calls report about one source, and keeps a session's list of sources within its limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from citewell.model.research_session import (
    SOURCE_BASES,
    SOURCE_STAGES,
    ResearchSession,
    SessionSource,
)
from citewell.text.web import addresses

MAX_SESSION_SOURCES = 500
_MAX_URL_CHARS = 4096
_MAX_FACT_CHARS = 4000  # of a title or a line of authors


def add_sources(session: ResearchSession, reported: Iterable[SessionSource]) -> ResearchSession:
    """The session with the sources that a call reported, each page and each registered work once."""
    merged: dict[str, SessionSource] = {}
    works: dict[str, str] = {}  # the DOI of a registered work → the key of its source
    for source in (*session.sources, *filter(_is_usable, reported)):
        key = addresses.build_page_key(source.url)
        if source.doi and source.basis == "record":
            key = works.setdefault(source.doi.casefold(), key)
        known = merged.get(key)
        merged[key] = merge_reports(known, source) if known else _cut_long_facts(source)
    return limit_sources(replace(session, sources=tuple(merged.values())))


def merge_reports(known: SessionSource, new: SessionSource) -> SessionSource:
    """One source from two reports: the later stage, and each fact from whoever knows it best."""
    best = max(known, new, key=_rank_evidence)  # the first of equal ones
    other = known if best is new else new
    return _cut_long_facts(
        replace(
            best,
            url=known.url,
            tool=known.tool or new.tool,
            found_in=known.found_in or new.found_in,
            title=best.title or other.title,
            author=best.author or other.author,
            organisation=best.organisation if best.author else other.organisation,
            site=best.site or other.site,
            date=best.date or other.date,
            doi=best.doi or other.doi,
            stage=max(known.stage, new.stage, key=SOURCE_STAGES.index),
        )
    )


def _rank_evidence(source: SessionSource) -> tuple[int, int]:
    return SOURCE_BASES.index(source.basis), SOURCE_STAGES.index(source.stage)


def limit_sources(session: ResearchSession) -> ResearchSession:
    """The session with at most MAX_SESSION_SOURCES; of those only listed, the oldest are dropped first."""
    excess = len(session.sources) - MAX_SESSION_SOURCES
    if excess <= 0:
        return session
    kept = select_best_sources(session.sources, MAX_SESSION_SOURCES)
    return replace(session, sources=kept, dropped_sources=session.dropped_sources + excess)


def select_best_sources(sources: Sequence[SessionSource], most: int) -> tuple[SessionSource, ...]:
    """The `most` sources of the latest stages, the newest of equal ones, in their order."""
    places = sorted(
        range(len(sources)),
        key=lambda place: (SOURCE_STAGES.index(sources[place].stage), place),
    )
    return tuple(sources[place] for place in sorted(places[-most:]))


def _is_usable(source: SessionSource) -> bool:
    return len(source.url) <= _MAX_URL_CHARS and addresses.is_web_address(source.url)


def _cut_long_facts(source: SessionSource) -> SessionSource:
    if max(len(source.title), len(source.author or "")) <= _MAX_FACT_CHARS:
        return source
    author = source.author and source.author[:_MAX_FACT_CHARS].rpartition(";")[0]
    return replace(source, title=source.title[:_MAX_FACT_CHARS], author=author or None)
