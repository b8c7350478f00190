"""Measures how varied a session's sources are, and suggests what to search next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from citewell.model.research_session import ResearchSession
from citewell.text.questions.search_queries import MAX_QUERY_WORDS, build_search_query
from citewell.text.web import addresses

DOMINANT_DOMAIN_SHARE = 0.6  # with a larger share of one domain the sources count as concentrated
MIN_SOURCES = 3
_SUBJECT_WORDS = MAX_QUERY_WORDS - 3  # an addition has up to three words
_OTHER_SOURCE_QUERIES = {
    "news_publication": "research study",
    "peer_reviewed": "independent analysis",
    "blog": "official documentation",
    "unknown": "peer reviewed study",
}


def measure_session_coverage(
    session: ResearchSession, source_type: Callable[[str], str]
) -> dict[str, Any]:
    """Domains, source types and gaps of the session's recorded sources."""
    domains = Counter(
        addresses.extract_host(source.url).removeprefix("www.") for source in session.sources
    )
    types = Counter(source_type(source.url) for source in session.sources)
    total = len(session.sources)
    shown: dict[str, Any] = {
        "sourceCount": total,
        "uniqueDomains": len(domains),
        "domainSpread": round(len(domains) / total, 2) if total else 0.0,
        "sourceTypes": dict(sorted(types.items())),
        "gaps": [],
    }
    leader, count = domains.most_common(1)[0] if domains else ("", 0)
    if total and count / total > DOMINANT_DOMAIN_SHARE and len(domains) < total:
        shown["dominantDomain"] = leader
    shown["gaps"] = _describe_thin_coverage(shown)
    return shown


def _describe_thin_coverage(shown: dict[str, Any]) -> list[str]:
    total = shown["sourceCount"]
    if not total:
        return ["no sources recorded yet"]
    spots = []
    if total < MIN_SOURCES:
        spots.append(f"fewer than {MIN_SOURCES} sources")
    if "dominantDomain" in shown:
        spots.append(f"concentrated on {shown['dominantDomain']}")
    if total > 1 and len(shown["sourceTypes"]) == 1:
        spots.append(f"only one kind of source: {next(iter(shown['sourceTypes']))}")
    return spots


def suggest_refinements(session: ResearchSession, shown: dict[str, Any]) -> list[str]:
    """Suggested queries, from open gaps first, then from thin coverage."""
    queries = [build_search_query(session.goal, gap.text) for gap in session.list_open_gaps()]
    queries += [
        f"{subject} {addition}".strip()
        for addition in _list_query_additions(shown)
        if (subject := build_search_query(session.goal, max_words=_SUBJECT_WORDS))
    ]
    return [query for query in dict.fromkeys(queries) if query]


def _list_query_additions(shown: dict[str, Any]) -> Iterator[str]:
    """What to add to the subject of the session so that other sources are found."""
    if not shown["sourceCount"]:
        yield ""
    if leader := shown.get("dominantDomain"):
        yield f"-site:{leader}"
    kinds = list(shown["sourceTypes"])
    if len(kinds) == 1 and shown["sourceCount"] > 1:
        yield _OTHER_SOURCE_QUERIES.get(kinds[0], "primary source")
    if 0 < shown["sourceCount"] < MIN_SOURCES:
        yield "overview"
