"""Repeated errors and provider statistics over the calls of a session."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from citewell.model.research_session import ResearchSession

MIN_PATTERN_COUNT = 3  # errors of one kind that make a pattern
_MAX_AFFECTED_URLS = 5
_ADVICE_BY_KIND = {
    "auth_required": "Consider open_access=true or target preprint servers (arxiv, biorxiv).",
    "blocked": "These sites refuse automated reading; look for the same facts elsewhere.",
    "rate_limited": "Wait before the next call, or name another provider.",
    "network": "The network is unsteady; retry later or with fewer pages at once.",
    "content_empty": "These pages hold little text; prefer other results.",
    "browser_unavailable": "Install a browser for pages that need JavaScript, or avoid them.",
    "not_found": "Addresses are outdated; search for the pages again.",
    "upstream_unavailable": "A provider is failing; name another one.",
    "validation": "Check the arguments; the error text names what is wrong.",
}


def find_error_patterns(session: ResearchSession) -> list[dict[str, Any]]:
    failed = [event for event in session.events if event.kind]
    counts = Counter(event.kind for event in failed if event.kind)
    patterns = []
    for kind, count in counts.most_common():
        if count < MIN_PATTERN_COUNT:
            continue
        same = [event for event in failed if event.kind == kind]
        affected = dict.fromkeys(event.url for event in reversed(same) if event.url)
        patterns.append(
            {
                "kind": kind,
                "count": count,
                "affectedUrls": list(affected)[:_MAX_AFFECTED_URLS],
                "suggestion": _ADVICE_BY_KIND.get(
                    kind, "Look at the errors themselves; they say what to do."
                ),
                "lastSeen": same[-1].at,
            }
        )
    return patterns


def count_provider_calls(session: ResearchSession) -> dict[str, dict[str, int]]:
    stats: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"attempts": 0, "successes": 0})
    for event in session.events:
        if event.provider:
            stats[event.provider]["attempts"] += 1
            stats[event.provider]["successes"] += event.kind is None
    return dict(sorted(stats.items()))
