"""Audits a list of recommendations item by item: interests, reputation, links, corroboration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.model.counted_words import pluralize
from citewell.model.recommendation_audit import (
    AuditedRecommendation,
    CorroborationSearch,
    RecommendationAudit,
    SelfPromotionSignal,
)
from citewell.model.search_results import SourceReputation
from citewell.services.links.link_checks import LinkChecker, LinkState
from citewell.services.recommendation import vested_interests
from citewell.services.recommendation.corroboration import CorroborationFinder, CorroborationRequest
from citewell.services.sources.host_reputation import find_host_reputation
from citewell.text.web import addresses
from citewell.tooling import ProgressCallback

UNCORROBORATED, UNAVAILABLE = "no_independent_corroboration", "corroboration_unavailable"

_CorroborationSearches = tuple[CorroborationSearch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRecommendation:
    """One item as the caller gave it."""

    title: str
    url: str = ""
    author: str = ""
    bio: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendationRequest:
    items: tuple[GivenRecommendation, ...]
    claim: str = ""
    results_per_search: int = 5  # results per corroborating search
    tenant: str | None = None


class RecommendationAuditor:
    def __init__(
        self,
        *,
        links: LinkChecker,
        corroboration: CorroborationFinder,
        deadline: float = 90.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`deadline` is in seconds; corroborating searches not done by then are left out."""
        self._links = links
        self._corroboration = corroboration
        self._deadline = deadline
        self._now = now

    async def audit_recommendations(
        self, wish: RecommendationRequest, *, progress: ProgressCallback
    ) -> RecommendationAudit:
        """Evidence on every item; what could not be obtained is left out and never raised."""
        await progress(
            0, 2, f"checking {len(wish.items)} {pluralize(len(wish.items), 'recommendation')}"
        )
        urls = [item.url for item in wish.items if item.url]
        states, said = await asyncio.gather(
            self._links.check_links(urls, tenant=wish.tenant),
            self._corroborate_items(wish, progress),
        )
        first = _find_list_promotion(wish.items)
        rows = tuple(
            self._audit_recommendation(item, states, searches, first if place == 0 else None)
            for place, (item, searches) in enumerate(zip(wish.items, said, strict=True))
        )
        late = wish.claim and any(searches is None for searches in said)
        return RecommendationAudit(
            item_count=len(rows),
            recommendations=rows,
            aggregate_flags=_flag_missing_corroboration(said) if wish.claim else None,
            notes=("Not every corroborating search finished in time.",) if late else None,
            checked_at=self._now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    async def _corroborate_items(
        self, wish: RecommendationRequest, progress: ProgressCallback
    ) -> Sequence[_CorroborationSearches | None]:
        """The corroborating searches of each item; None if there is no claim or time ran out."""
        if not wish.claim:
            return [None] * len(wish.items)
        done = 0

        async def one(item: GivenRecommendation) -> _CorroborationSearches:
            nonlocal done
            matter = CorroborationRequest(
                title=item.title,
                url=item.url,
                claim=wish.claim,
                results_per_search=wish.results_per_search,
                tenant=wish.tenant,
            )
            found = await self._corroboration.corroborate_recommendation(matter)
            done += 1
            await progress(
                done / len(wish.items),
                2,
                f"{done} {pluralize(done, 'recommendation')} corroborated",
            )
            return found

        tasks = [asyncio.create_task(one(item)) for item in wish.items]
        try:
            await asyncio.wait(tasks, timeout=self._deadline)
        finally:
            for task in tasks:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return [None if task.cancelled() else task.result() for task in tasks]

    def _audit_recommendation(
        self,
        item: GivenRecommendation,
        states: Mapping[str, LinkState],
        searches: _CorroborationSearches | None,
        publisher: SelfPromotionSignal | None,
    ) -> AuditedRecommendation:
        text = item.title
        promoted = vested_interests.find_self_promotion(text, item.url) or publisher
        tie = vested_interests.find_conflict(text, author=item.author, bio=item.bio, url=item.url)
        known = find_host_reputation(addresses.extract_host(item.url)) if item.url else None
        link = states.get(item.url)
        flags = {
            "self_promotion": promoted
            and f"Its publisher ranks itself first: {promoted.evidence}.",
            "conflict_of_interest": tie
            and f"The author is tied to {tie.entity} ({', '.join(tie.roles) or tie.kind}): {tie.evidence}.",
            **_flag_dead_link(link),
            **_flag_reputation(item.url, known),
        }
        raised = {flag: reason for flag, reason in flags.items() if reason}
        return AuditedRecommendation(
            title=item.title,
            url=item.url or None,
            author=item.author or None,
            self_promotion_signal=promoted,
            conflict_of_interest=tie,
            domain_reputation=known,
            link_live=_is_link_live(link),
            http_status=_choose_shown_status(link),
            link_state=link.state if link else None,
            archived_url=link.archived if link else None,
            corroboration_searches=searches or None,
            flags=tuple(raised),
            reasons=tuple(map(str, raised.values())),
        )


def _find_list_promotion(items: Sequence[GivenRecommendation]) -> SelfPromotionSignal | None:
    urls = [item.url for item in items]
    return vested_interests.find_publisher_promotion([item.title for item in items], urls)


def _is_link_live(link: LinkState | None) -> bool | None:
    return None if link is None or link.state == "unchecked" else link.reachable


def _choose_shown_status(link: LinkState | None) -> int | None:
    """The HTTP status; 0 if no server answered, None if nobody was asked."""
    if link is None:
        return None
    return link.status if link.state == "unchecked" else link.status or 0


def _flag_dead_link(link: LinkState | None) -> dict[str, str]:
    if link is None or link.state != "dead":
        return {}
    copy = f" The Internet Archive has a copy: {link.archived}" if link.archived else ""
    return {"dead_link": f"The link is dead ({link.reason or 'no answer'}).{copy}"}


def _flag_reputation(url: str, known: SourceReputation | None) -> dict[str, str]:
    host = addresses.format_host_name(url) if url else ""
    if not host or (known is not None and known.tier != "low"):
        return {}
    if known is not None:
        return {"low_reputation": f"{host}: {known.basis}"}
    return {"unknown_reputation": f"Nothing is known about {host}; this does not count against it."}


def _flag_missing_corroboration(said: Sequence[_CorroborationSearches | None]) -> tuple[str, ...]:
    """The flags for missing corroboration, which differ if no search was answered."""
    searches = [one for each in said for one in each or ()]
    if not searches:
        return (UNAVAILABLE,)
    return () if any(one.agree_count for one in searches) else (UNCORROBORATED,)
