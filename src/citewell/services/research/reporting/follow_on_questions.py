"""Suggests follow-on questions: what is missing, disputed, from one source only, or named often."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from citewell.model.research import FollowOnTopic, ResearchClaim
from citewell.services.research.claims.claim_building import ClaimSet
from citewell.services.research.step_values import ResearchPlan
from citewell.text.language import tokens

MAX_FOLLOW_ONS = 6
_PROPER_NAME_PATTERN = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’'-]+(?:\s+[A-Z][\w’'-]+){0,3}")
_MIN_NAME_MENTIONS = 3  # claims that must mention a name before it is suggested
_MAX_TOPIC_CHARS = 160  # characters


def suggest_follow_ons(
    plan: ResearchPlan, built: ClaimSet, *, not_found: Sequence[str]
) -> tuple[FollowOnTopic, ...]:
    """At most six suggestions with their reasons, and at most two of each kind."""
    lists = (
        list(_suggest_missing_sides(plan, not_found))[:2],
        list(_suggest_disputes(built))[:2],
        list(_suggest_confirmations(built.claims))[:2],
        list(_suggest_named_subjects(plan, built.claims))[:2],
    )
    found = {one.topic.lower(): one for each in lists for one in each}
    return tuple(found.values())[:MAX_FOLLOW_ONS]


def _suggest_missing_sides(plan: ResearchPlan, not_found: Sequence[str]) -> Iterator[FollowOnTopic]:
    for side in plan.sides:
        if side.title in not_found:
            yield FollowOnTopic(
                topic=side.query, rationale=f"Nothing was found on “{side.title}” in this research."
            )


def _suggest_disputes(built: ClaimSet) -> Iterator[FollowOnTopic]:
    by_id = {claim.id: claim for claim in built.claims}
    for one, _ in built.conflicts:
        subject = by_id[one].cluster_subject or by_id[one].content
        yield FollowOnTopic(
            topic=_trim_topic(f"Which is right: {subject}?"),
            rationale="Sources contradict each other on this.",
        )
    for table in built.tables:
        values = ", ".join(dict.fromkeys(row.value for row in table.rows[:3]))
        yield FollowOnTopic(
            topic=_trim_topic(f"Why do sources differ on {table.subject}?"),
            rationale=f"Sources give different values: {values}.",
        )


def _suggest_confirmations(claims: Sequence[ResearchClaim]) -> Iterator[FollowOnTopic]:
    for claim in claims[:12]:
        if "single_source" in claim.flags:
            yield FollowOnTopic(
                topic=f"Is this confirmed elsewhere: “{_trim_topic(claim.content)}”",
                rationale="Only one source says so.",
            )


def _suggest_named_subjects(
    plan: ResearchPlan, claims: Sequence[ResearchClaim]
) -> Iterator[FollowOnTopic]:
    """Names that many claims mention and the question does not."""
    asked = tokens.extract_terms(plan.query, language=plan.language)
    counts: Counter[str] = Counter()
    for claim in claims:
        counts.update({match[0] for match in _PROPER_NAME_PATTERN.finditer(claim.content)})
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranked:
        if (
            count >= _MIN_NAME_MENTIONS
            and not tokens.extract_terms(name, language=plan.language) & asked
        ):
            yield FollowOnTopic(
                topic=_trim_topic(f"{name}: role in {plan.query.rstrip('?')}"),
                rationale=f"{count} claims mention {name}, which the question did not ask about.",
            )


def _trim_topic(text: str) -> str:
    plain = " ".join(text.split())
    return (
        plain
        if len(plain) <= _MAX_TOPIC_CHARS
        else plain[: _MAX_TOPIC_CHARS - 1].rsplit(" ", 1)[0] + "…"
    )
