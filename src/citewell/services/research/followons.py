"""What to ask next: what was not found, what only one source says, what is disputed, who else is named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from citewell.model.research import Claim, Followon
from citewell.services.research.claims import Built
from citewell.services.research.material import Plan
from citewell.text import tokens

MOST = 6
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’'-]+(?:\s+[A-Z][\w’'-]+){0,3}")
_OFTEN = 3  # claims that name somebody before it is worth a question
_TOPIC = 160  # characters


def suggest(plan: Plan, built: Built, *, not_found: Sequence[str]) -> tuple[Followon, ...]:
    """At most six, each with its reason; of each kind two, so that none crowds out the others."""
    lists = (
        list(_missing(plan, not_found))[:2],
        list(_disputed(built))[:2],
        list(_alone(built.claims))[:2],
        list(_named(plan, built.claims))[:2],
    )
    found = {one.topic.lower(): one for each in lists for one in each}
    return tuple(found.values())[:MOST]


def _missing(plan: Plan, not_found: Sequence[str]) -> Iterator[Followon]:
    for side in plan.sides:
        if side.title in not_found:
            yield Followon(
                topic=side.query, rationale=f"Nothing was found on “{side.title}” in this research."
            )


def _disputed(built: Built) -> Iterator[Followon]:
    by_id = {claim.id: claim for claim in built.claims}
    for one, _ in built.conflicts:
        subject = by_id[one].cluster_subject or by_id[one].content
        yield Followon(
            topic=_short(f"Which is right: {subject}?"),
            rationale="Sources contradict each other on this.",
        )
    for table in built.tables:
        values = ", ".join(dict.fromkeys(row.value for row in table.rows[:3]))
        yield Followon(
            topic=_short(f"Why do sources differ on {table.subject}?"),
            rationale=f"Sources give different values: {values}.",
        )


def _alone(claims: Sequence[Claim]) -> Iterator[Followon]:
    for claim in claims[:12]:
        if "single_source" in claim.flags:
            yield Followon(
                topic=f"Is this confirmed elsewhere: “{_short(claim.content)}”",
                rationale="Only one source says so.",
            )


def _named(plan: Plan, claims: Sequence[Claim]) -> Iterator[Followon]:
    """Names that many claims mention and the question does not."""
    asked = tokens.terms(plan.query, language=plan.language)
    counts: Counter[str] = Counter()
    for claim in claims:
        counts.update({match[0] for match in _NAME.finditer(claim.content)})
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranked:
        if count >= _OFTEN and not tokens.terms(name, language=plan.language) & asked:
            yield Followon(
                topic=_short(f"{name}: role in {plan.query.rstrip('?')}"),
                rationale=f"{count} claims mention {name}, which the question did not ask about.",
            )


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _TOPIC else plain[: _TOPIC - 1].rsplit(" ", 1)[0] + "…"
