"""How broad the sources gathered so far are, and what to ask next. Description, never an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from citewell.model.session import Session
from citewell.text import urls

DOMINANT = 0.6  # share of one domain above which coverage is concentrated
FEW = 3
_LONGEST = 300  # characters of a suggested query
_ELSEWHERE = {
    "news_publication": "research study",
    "peer_reviewed": "independent analysis",
    "blog": "official documentation",
    "unknown": "peer reviewed study",
}


def coverage(session: Session, source_type: Callable[[str], str]) -> dict[str, Any]:
    """Domain spread and balance of kinds over the session's recorded sources."""
    domains = Counter(urls.host(source.url).removeprefix("www.") for source in session.sources)
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
    if total and count / total > DOMINANT and len(domains) < total:
        shown["dominantDomain"] = leader
    shown["gaps"] = _thin_spots(shown)
    return shown


def _thin_spots(shown: dict[str, Any]) -> list[str]:
    total = shown["sourceCount"]
    if not total:
        return ["no sources recorded yet"]
    spots = []
    if total < FEW:
        spots.append(f"fewer than {FEW} sources")
    if "dominantDomain" in shown:
        spots.append(f"concentrated on {shown['dominantDomain']}")
    if total > 1 and len(shown["sourceTypes"]) == 1:
        spots.append(f"only one kind of source: {next(iter(shown['sourceTypes']))}")
    return spots


def refinements(session: Session, shown: dict[str, Any]) -> list[str]:
    """Follow-up searches from open gaps first, then from thin coverage; the caller decides."""
    goal = " ".join(session.goal.split())
    queries = [_joined(gap.text, goal) for gap in session.open_gaps()]
    if not shown["sourceCount"]:
        queries.append(goal)
    if leader := shown.get("dominantDomain"):
        queries.append(_joined(goal, f"-site:{leader}"))
    kinds = list(shown["sourceTypes"])
    if len(kinds) == 1 and shown["sourceCount"] > 1:
        queries.append(_joined(goal, _ELSEWHERE.get(kinds[0], "primary source")))
    if 0 < shown["sourceCount"] < FEW:
        queries.append(_joined(goal, "overview"))
    return [query for query in dict.fromkeys(queries) if query]


def _joined(first: str, second: str) -> str:
    return " ".join(f"{first} {second}".split())[:_LONGEST].strip()
