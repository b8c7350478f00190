"""Check a list of recommendations for signs of self-interest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.core.tooling import ProgressCallback, Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import ClaimText
from citewell.core.values.counted_words import pluralize
from citewell.core.values.search_results import SourceReputation
from citewell.links.link_checks import LinkChecker, LinkState
from citewell.reading.metadata import host_standing
from citewell.reading.metadata.host_standing import find_host_reputation
from citewell.text import addresses
from citewell.text.data_tables import load_words
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust import recommendation_evidence
from citewell.trust.bibliography_audit import finish_in_time
from citewell.trust.recommendation_evidence import (
    AuditedRecommendation,
    ConflictOfInterest,
    CorroborationFinder,
    CorroborationRequest,
    CorroborationSearch,
    RecommendationAudit,
    SelfPromotionSignal,
)

_MIN_NAME_CHARS = 3  # characters; shorter names cannot be told from words
_MAX_EVIDENCE_CHARS = 200  # characters of evidence
_USER_CONTENT_HOSTS = frozenset(
    {"social_media", "blog", "forum", "wiki"}
)  # with content written by users
_RANKED_FIRST_PATTERN = re.compile(
    r"^\W{0,4}(?:#\s?1\b|1\s?[.):\]]|no\.?\s?1\b)|\b(?:#\s?1\b|no\. ?1\b|number one\b|ranked first|ranks first"
    r"|top pick|our pick|top choice|best overall|overall winner|editors?['’] choice|platz 1|testsieger|numéro un|número uno)",
    re.IGNORECASE,
)
_STAFF_PATTERN = re.compile(r"\b(?:staff|team|editors?|editorial|blog|inc|llc|gmbh|redaktion|équipe|equipo)\b", re.IGNORECASE)  # fmt: skip
_NAME_WORD_PATTERN = re.compile(r"[^\W_][\w&+'’-]*")

UNCORROBORATED, UNAVAILABLE = "no_independent_corroboration", "corroboration_unavailable"

_CorroborationSearches = tuple[CorroborationSearch, ...]
_ANSWER_RESERVE_SECONDS = 20.0  # of the tool's time, left for the answer after the searches


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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            links=kit.require_service(LinkChecker),
            corroboration=kit.require_service(CorroborationFinder),
            deadline=kit.settings[CoreSettings].long_tool_timeout - _ANSWER_RESERVE_SECONDS,
        )

    async def audit_recommendations(
        self, request: RecommendationRequest, *, progress: ProgressCallback
    ) -> RecommendationAudit:
        """Evidence on every item; what could not be obtained is left out and never raised."""
        await progress(
            0, 2, f"checking {len(request.items)} {pluralize(len(request.items), 'recommendation')}"
        )
        urls = [item.url for item in request.items if item.url]
        states, corroborations = await asyncio.gather(
            self._links.check_links(urls, tenant=request.tenant),
            self._corroborate_items(request, progress),
        )
        titles, urls = [item.title for item in request.items], [item.url for item in request.items]
        first = find_publisher_promotion(titles, urls)
        rows = tuple(
            self._audit_recommendation(item, states, searches, first if place == 0 else None)
            for place, (item, searches) in enumerate(
                zip(request.items, corroborations, strict=True)
            )
        )
        late = request.claim and any(searches is None for searches in corroborations)
        return RecommendationAudit(
            item_count=len(rows),
            recommendations=rows,
            aggregate_flags=_flag_missing_corroboration(corroborations) if request.claim else None,
            notes=("Not every corroborating search finished in time.",) if late else None,
            checked_at=self._now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    async def _corroborate_items(
        self, request: RecommendationRequest, progress: ProgressCallback
    ) -> Sequence[_CorroborationSearches | None]:
        """The corroborating searches of each item; None if there is no claim or time ran out."""
        if not request.claim:
            return [None] * len(request.items)
        done = 0

        async def corroborate(item: GivenRecommendation) -> _CorroborationSearches:
            nonlocal done
            matter = CorroborationRequest(
                title=item.title,
                url=item.url,
                claim=request.claim,
                results_per_search=request.results_per_search,
                tenant=request.tenant,
            )
            found = await self._corroboration.corroborate_recommendation(matter)
            done += 1
            await progress(
                done / len(request.items),
                2,
                f"{done} {pluralize(done, 'recommendation')} corroborated",
            )
            return found

        return await finish_in_time(map(corroborate, request.items), self._deadline)

    def _audit_recommendation(
        self,
        item: GivenRecommendation,
        states: Mapping[str, LinkState],
        searches: _CorroborationSearches | None,
        publisher: SelfPromotionSignal | None,
    ) -> AuditedRecommendation:
        text = item.title
        promoted = find_self_promotion(text, item.url) or publisher
        tie = find_conflict(text, author=item.author, bio=item.bio, url=item.url)
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
        is_checked = link is not None and link.state != "unchecked"
        status = link.status if link else None
        return AuditedRecommendation(
            title=item.title,
            url=item.url or None,
            author=item.author or None,
            self_promotion_signal=promoted,
            conflict_of_interest=tie,
            domain_reputation=known,
            link_live=link.reachable if link and is_checked else None,
            http_status=status or (0 if is_checked else None),
            link_state=link.state if link else None,
            archived_url=link.archived if link else None,
            corroboration_searches=searches or None,
            flags=tuple(raised),
            reasons=tuple(map(str, raised.values())),
        )


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


def _flag_missing_corroboration(
    corroborations: Sequence[_CorroborationSearches | None],
) -> tuple[str, ...]:
    """The flags for missing corroboration, which differ if no search was answered."""
    searches = [search for each in corroborations for search in each or ()]
    if not searches:
        return (UNAVAILABLE,)
    return () if any(search.agree_count for search in searches) else (UNCORROBORATED,)


# Finds vested interests in a recommendation's own words: of its publisher or of its author.


def find_self_promotion(text: str, url: str) -> SelfPromotionSignal | None:
    """The line of the text that ranks the page's own brand first; None if there is none."""
    label = find_brand(url)
    if not label:
        return None
    for line in text.splitlines() or [text]:
        if _RANKED_FIRST_PATTERN.search(line) and _has_brand_name(line, label):
            return SelfPromotionSignal(
                brand=label, evidence=clean_markup(line)[:_MAX_EVIDENCE_CHARS]
            )
    return None


def find_publisher_promotion(titles: list[str], urls: list[str]) -> SelfPromotionSignal | None:
    """The publisher that most items link to, if it is also the first item; None otherwise."""
    labels = [find_brand(url) for url in urls]
    label = labels[0] if labels else ""
    if len(titles) < 2 or not label or labels.count(label) * 2 <= len(labels):
        return None
    others = [title for title in titles[1:] if _has_brand_name(title, label)]
    if not _has_brand_name(titles[0], label) or len(others) * 2 > len(titles):
        return None
    evidence = f"{clean_markup(titles[0])} stands first in a list that {addresses.format_host_name(urls[0])} publishes"
    return SelfPromotionSignal(brand=label, evidence=evidence[:_MAX_EVIDENCE_CHARS])


def find_conflict(text: str, *, author: str, bio: str, url: str = "") -> ConflictOfInterest | None:
    """A tie between the author and something that the recommendation names; None if there is none."""
    names = _collect_name_words(text) | ({find_brand(url)} - {""})
    tie = recommendation_evidence.find_author_tie(bio, names, common_words=_load_company_words())
    if tie is None:
        return _find_house_author(author, names)
    return ConflictOfInterest(
        kind=tie.kind,
        entity=tie.entity,
        roles=tie.roles,
        evidence=tie.evidence[:_MAX_EVIDENCE_CHARS],
    )


def find_brand(url: str) -> str:
    """`shopify` of https://www.shopify.com/blog; empty for hosts with user content."""
    host = addresses.extract_host(url)
    domain = addresses.find_registered_domain(host)
    if (
        not host
        or addresses.is_numeric_host(host)
        or host_standing.find_host_standing(domain).source_type in _USER_CONTENT_HOSTS
    ):
        return ""
    label = domain.partition(".")[0].replace("-", "")
    return label if len(label) >= _MIN_NAME_CHARS else ""


def _find_house_author(author: str, names: frozenset[str] | set[str]) -> ConflictOfInterest | None:
    """A conflict if the author is the company itself, such as "Shopify Staff"."""
    if not _STAFF_PATTERN.search(author):
        return None
    entity = recommendation_evidence.match_named_entity(
        _STAFF_PATTERN.sub(" ", author), names, _load_company_words()
    )
    if not entity:
        return None
    return ConflictOfInterest(
        kind=recommendation_evidence.EMPLOYMENT,
        entity=entity,
        roles=("employee",),
        evidence=clean_markup(author)[:_MAX_EVIDENCE_CHARS],
    )


def _collect_name_words(text: str) -> set[str]:
    """Words and pairs of words that may be names: with a capital letter or a digit."""
    found = {
        word.lower()
        for word in _NAME_WORD_PATTERN.findall(text)
        if len(word) >= _MIN_NAME_CHARS and (not word.islower() or any(map(str.isdigit, word)))
    }
    pairs = re.findall(r"(?<![\w&+-])([A-Z][\w&+-]*+)\s+([A-Z][\w&+-]*+)", text)
    return (found | {(first + second).lower() for first, second in pairs}) - _load_company_words()


def _load_company_words() -> frozenset[str]:
    """Words that are common in names, and name no company by themselves."""
    return load_words("citewell.trust", "common_words", "company_words")


def _has_brand_name(line: str, label: str) -> bool:
    """Whether the line has the brand, in up to three words: "Woo Commerce" for woocommerce.com."""
    words = [re.sub(r"[\W_]+", "", word.lower()) for word in line.split()]
    joined = ("".join(words[at : at + width]) for width in (1, 2, 3) for at in range(len(words)))
    return any(word in {label, f"{label}s"} for word in joined)


_RECOMMENDATION_FIELDS = ("title", "url", "author", "authorBio")
_MAX_FIELD_CHARS = 2000  # characters of one field


class Args(ToolArguments):
    """Audit a ranking, listicle or AI recommendation list: brands that rank themselves first, authors with a stake, source reputation, dead links; with claim, whether independent press agrees. Evidence per item, no verdict. For one citation use verify_citation."""

    recommendations: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            min_length=1,
            max_length=100,
            description="In ranked order, each with title, and url, author, authorBio if known.",
        ),
    ]
    claim: Annotated[
        ClaimText,
        Field(description="What the list claims; searches then look for independent agreement."),
    ] = None
    num_corroboration_results: Annotated[
        int, Field(default=5, ge=1, le=10, validation_alias="numCorroborationResults")
    ]


async def run(args: Args, call: ToolCall) -> RecommendationAudit:
    request = RecommendationRequest(
        items=tuple(
            _build_recommendation(place, given)
            for place, given in enumerate(args.recommendations, start=1)
        ),
        claim=(args.claim or "").strip(),
        results_per_search=args.num_corroboration_results,
        tenant=call.owner.tenant,
    )
    return await call.require_service(RecommendationAuditor).audit_recommendations(
        request, progress=call.report_progress
    )


def _build_recommendation(place: int, given: dict[str, Any]) -> GivenRecommendation:
    unknown = sorted(set(given) - set(_RECOMMENDATION_FIELDS))
    if unknown:
        raise InvalidInput(
            f"Recommendation {place} has {', '.join(unknown)}; it takes {', '.join(_RECOMMENDATION_FIELDS)}."
        )
    fields = {name: str(given.get(name) or "").strip() for name in _RECOMMENDATION_FIELDS}
    if not fields["title"]:
        raise InvalidInput(f"Recommendation {place} has no title.")
    if longest := next(
        (name for name in _RECOMMENDATION_FIELDS if len(fields[name]) > _MAX_FIELD_CHARS), None
    ):
        raise InvalidInput(
            f"Recommendation {place}: {longest} is longer than {_MAX_FIELD_CHARS} characters."
        )
    return GivenRecommendation(
        title=fields["title"], url=fields["url"], author=fields["author"], bio=fields["authorBio"]
    )


TOOL = Tool(args=Args, result=RecommendationAudit, run=run, toolset="trust", has_long_timeout=True)
