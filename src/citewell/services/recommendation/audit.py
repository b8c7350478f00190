"""A list of recommendations looked at item by item: interests, reputation, links, corroboration."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.model.recommendation import (
    AuditedRecommendation,
    CorroborationSearch,
    RecommendationAudit,
    SelfPromotion,
)
from citewell.model.source import Reputation
from citewell.services.links import Links, LinkState
from citewell.services.recommendation import interests
from citewell.services.recommendation.corroboration import Corroboration, Matter
from citewell.services.reputation import Reputations
from citewell.text import urls

UNCORROBORATED, UNAVAILABLE = "no_independent_corroboration", "corroboration_unavailable"

Progress = Callable[[float, float | None, str | None], Awaitable[None]]
_Searches = tuple[CorroborationSearch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """One item as the caller gave it."""

    title: str
    url: str = ""
    author: str = ""
    bio: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    items: tuple[Recommendation, ...]
    claim: str = ""
    count: int = 5  # results of each corroborating search
    tenant: str | None = None


class Recommendations:
    def __init__(
        self,
        *,
        links: Links,
        corroboration: Corroboration,
        reputations: Reputations | None = None,
        deadline: float = 90.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`deadline` seconds after which what others say is left out."""
        self._links = links
        self._corroboration = corroboration
        self._reputations = reputations or Reputations()
        self._deadline = deadline
        self._now = now

    async def audit(self, wish: Wish, *, progress: Progress) -> RecommendationAudit:
        """Evidence on every item; whatever could not be had is absent and no error."""
        await progress(0, 2, f"checking {len(wish.items)} recommendations")
        addresses = [item.url for item in wish.items if item.url]
        states, said = await asyncio.gather(
            self._links.check(addresses, tenant=wish.tenant), self._corroborated(wish, progress)
        )
        first = _publisher(wish.items)
        rows = tuple(
            self._row(item, states, searches, first if place == 0 else None)
            for place, (item, searches) in enumerate(zip(wish.items, said, strict=True))
        )
        late = wish.claim and any(searches is None for searches in said)
        return RecommendationAudit(
            item_count=len(rows),
            recommendations=rows,
            aggregate_flags=_aggregate(said) if wish.claim else None,
            notes=("Not every corroborating search ended in time.",) if late else None,
            checked_at=self._now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    async def _corroborated(self, wish: Wish, progress: Progress) -> Sequence[_Searches | None]:
        """What others say of each item; None where time was up or nobody asked."""
        if not wish.claim:
            return [None] * len(wish.items)
        done = 0

        async def one(item: Recommendation) -> _Searches:
            nonlocal done
            matter = Matter(
                title=item.title,
                url=item.url,
                claim=wish.claim,
                count=wish.count,
                tenant=wish.tenant,
            )
            found = await self._corroboration.look(matter)
            done += 1
            await progress(done / len(wish.items), 2, f"{done} recommendations corroborated")
            return found

        tasks = [asyncio.create_task(one(item)) for item in wish.items]
        try:
            await asyncio.wait(tasks, timeout=self._deadline)
        finally:
            for task in tasks:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return [None if task.cancelled() else task.result() for task in tasks]

    def _row(
        self,
        item: Recommendation,
        states: Mapping[str, LinkState],
        searches: _Searches | None,
        publisher: SelfPromotion | None,
    ) -> AuditedRecommendation:
        text = item.title
        promoted = interests.promotion(text, item.url) or publisher
        tie = interests.conflict(text, author=item.author, bio=item.bio, url=item.url)
        known = self._reputations.of(urls.host(item.url)) if item.url else None
        link = states.get(item.url)
        flags = {
            "self_promotion": promoted
            and f"Its publisher ranks itself first: {promoted.evidence}.",
            "conflict_of_interest": tie
            and f"The author has a stake in {tie.entity} ({tie.kind}): {tie.evidence}.",
            **_link_flag(link),
            **_reputation_flag(item.url, known),
        }
        raised = {flag: reason for flag, reason in flags.items() if reason}
        return AuditedRecommendation(
            title=item.title,
            url=item.url or None,
            author=item.author or None,
            self_promotion_signal=promoted,
            conflict_of_interest=tie,
            domain_reputation=known,
            link_live=_live(link),
            http_status=(link.status or 0) if link and link.state != "unchecked" else None,
            link_state=link.state if link else None,
            archived_url=link.archived if link else None,
            corroboration_searches=searches or None,
            flags=tuple(raised),
            reasons=tuple(map(str, raised.values())),
        )


def _publisher(items: Sequence[Recommendation]) -> SelfPromotion | None:
    addresses = [item.url for item in items]
    return interests.publishers_own([item.title for item in items], addresses)


def _live(link: LinkState | None) -> bool | None:
    return None if link is None or link.state == "unchecked" else link.reachable


def _link_flag(link: LinkState | None) -> dict[str, str]:
    if link is None or link.state != "dead":
        return {}
    copy = f" The Internet Archive has a copy: {link.archived}" if link.archived else ""
    return {"dead_link": f"The link leads nowhere ({link.reason or 'no answer'}).{copy}"}


def _reputation_flag(url: str, known: Reputation | None) -> dict[str, str]:
    host = urls.display(url) if url else ""
    if not host or (known is not None and known.tier != "low"):
        return {}
    if known is not None:
        return {"low_reputation": f"{host}: {known.basis}"}
    return {"unknown_reputation": f"Nothing is known of {host}, which says nothing against it."}


def _aggregate(said: Sequence[_Searches | None]) -> tuple[str, ...]:
    """Silence counts only where somebody was asked."""
    searches = [one for each in said for one in each or ()]
    if not searches:
        return (UNAVAILABLE,)
    return () if any(one.agree_count for one in searches) else (UNCORROBORATED,)
