"""Evidence about recommendations: its fields (spec 1), independent sources that agree, and the ties of authors."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from pydantic import Field

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import shorten_query_text
from citewell.core.values.search_results import SearchAnswer, SearchResult, SourceReputation
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue
from citewell.routing.ports import Offer
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_request import SearchRequest
from citewell.text import addresses
from citewell.text.language.word_forms import drop_query_stopwords, extract_terms
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust.claim_sources import ADDRESSED, NOT_ADDRESSED, measure_claim_coverage

logger = logging.getLogger(__name__)

CORROBORATION_LENSES = ("news", "tech")
RECORDS_LENS = "investigative_records"
AGREE, DISAGREE, SILENT = "agree", "disagree", "silent"
_MAX_CONCURRENT_SEARCHES = 6
_MAX_QUERY_CHARS = 300  # characters
_MAX_TOP_RESULTS = 3
# Words about losses or offences: public records are then searched too.
_RISK_WORDS_PATTERN = re.compile(
    r"\b(?:scams?|fraud\w*|lawsuits?|sued|suing|breach\w*|hack(?:ed|s)?|recall\w*|fine[ds]?|penalt\w+|sanction\w*"
    r"|investigat\w+|bankrupt\w*|ponzi|pyramid scheme|counterfeit\w*|corrupt\w*|indict\w*|settlement|unsafe|banned"
    r"|betrug\w*|klage|insolven\w*|escroquerie|fraude|estafa|demanda|truffa)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorroborationRequest:
    """What is recommended, at which address, and the claim about it."""

    title: str
    url: str
    claim: str
    results_per_search: int  # results per search
    tenant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LensScope:
    """How one request covers a lens: at which provider, and in which of its sites."""

    provider: str | None = None  # None for the usual order
    sites: tuple[str, ...] = ()  # empty for all of the lens


class CorroborationFinder:
    def __init__(
        self,
        searches: CachedWebSearch,
        choose_scope: Callable[[str], LensScope] = lambda _lens: LensScope(),
    ) -> None:
        """`choose_scope` bounds the search of a lens, given its name, to what one request covers."""
        self._searches = searches
        self._choose_scope = choose_scope
        self._gate = asyncio.Semaphore(_MAX_CONCURRENT_SEARCHES)

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(CachedWebSearch), partial(_choose_lens_scope, kit))

    async def corroborate_recommendation(
        self, matter: CorroborationRequest
    ) -> tuple[CorroborationSearch, ...]:
        """One search for each lens; a search that fails is left out."""
        risky = _RISK_WORDS_PATTERN.search(f"{matter.title} {matter.claim}")
        lenses = (*CORROBORATION_LENSES, RECORDS_LENS) if risky else CORROBORATION_LENSES
        found = await asyncio.gather(*(self._search_lens(lens, matter) for lens in lenses))
        return tuple(search for search in found if search is not None)

    async def _search_lens(
        self, lens: str, matter: CorroborationRequest
    ) -> CorroborationSearch | None:
        words = shorten_query_text(f"{matter.title} {matter.claim}", _MAX_QUERY_CHARS)
        # A search that finds little is repeated without stop-words: without them it is asked once.
        query = drop_query_stopwords(words, language=None)
        answer = await self._ask_lens_sites(lens, query, matter)
        if answer is None:
            return None
        # The recommended site itself cannot corroborate.
        own = addresses.find_registered_domain(addresses.extract_host(matter.url))
        results = [
            result
            for result in answer.results
            if not own
            or addresses.find_registered_domain(addresses.extract_host(result.url)) != own
        ]
        signals = [classify_agreement(hit, matter.title, matter.claim) for hit in results]
        return _build_corroboration_search(lens, query, list(zip(signals, results, strict=True)))

    async def _ask_lens_sites(
        self, lens: str, query: str, matter: CorroborationRequest
    ) -> SearchAnswer | None:
        """One request of the default provider; if that fails, the usual order. None if all failed."""
        scope = self._choose_scope(lens)
        async with self._gate:
            for lens_scope in dict.fromkeys((scope, LensScope())):
                try:
                    return await self._searches.search_cached(
                        _build_scoped_request(lens, query, lens_scope, matter),
                        trace=RoutingTrace(),
                        tenant=matter.tenant,
                    )
                except CitewellError as error:
                    logger.info("corroboration through %s failed: %s", lens, error.kind)
        return None


def _build_scoped_request(
    lens: str, query: str, scope: LensScope, matter: CorroborationRequest
) -> SearchRequest:
    return SearchRequest(
        query=query,
        count=matter.results_per_search,
        provider=scope.provider,
        sites=scope.sites,
        lens=None if scope.sites else lens,
    )


def _build_corroboration_search(
    lens: str, query: str, found: Sequence[tuple[str, SearchResult]]
) -> CorroborationSearch:
    counts = Counter(signal for signal, _ in found)
    ranked = sorted(found, key=lambda pair: (AGREE, DISAGREE, SILENT).index(pair[0]))
    return CorroborationSearch(
        lens=lens,
        query=query,
        result_count=len(found),
        agree_count=counts[AGREE],
        disagree_count=counts[DISAGREE],
        silent_count=counts[SILENT],
        top_results=tuple(
            CorroboratingResult(title=result.title, url=result.url, signal=signal)
            for signal, result in ranked[:_MAX_TOP_RESULTS]
        ),
    )


def classify_agreement(result: SearchResult, title: str, claim: str) -> str:
    """`agree` if the result names what is recommended and covers the claim without contrast."""
    text = ". ".join((result.title, result.snippet, *(result.extra_snippets or ())))
    found = measure_claim_coverage(claim, text)
    if found.support == NOT_ADDRESSED:
        return DISAGREE
    name = extract_terms(title)
    is_named = bool(name) and len(name & extract_terms(text)) * 2 >= len(name)
    if found.support != ADDRESSED or not is_named:
        return SILENT
    return DISAGREE if found.has_contrast else AGREE


def _choose_lens_scope(kit: ServiceKit, lens_name: str) -> LensScope:
    """The default provider, with as many sites of the lens as one of its requests can name.

    More requests would wait for the pace of a keyless provider: ten seconds for a short list.
    """
    from citewell.search.search_service import WebSearchService

    chain = kit.require_service(WebSearchService).router.find_chain(Offer.WEB)
    provider = next((name for name in chain.main if kit.find_pause(name) is None), None)
    lens = kit.lenses.resolve_lens(lens_name)
    if provider is None or lens.required_provider:
        return LensScope()
    most = kit.catalogue.find_spec(provider).max_sites
    return LensScope(
        provider=provider if most else None,
        sites=lens.domains[:most] if most < len(lens.domains) else (),
    )


# Findings about a list of recommendations, with the field names of spec 1; evidence, no verdict.


class SelfPromotionSignal(WireValue):
    """The list ranks its own publisher first."""

    brand: str
    evidence: LongText


class ConflictOfInterest(WireValue):
    """A connection between the author and what is recommended."""

    kind: str  # employment, funding, equity or advisory; the strongest if there are several
    entity: str
    roles: tuple[str, ...] = ()  # advisor, investor, board member, founder, employee, affiliate, …
    evidence: LongText  # quoted from the byline


class CorroboratingResult(WireValue):
    title: str
    url: str
    signal: str  # agree, disagree, silent


class CorroborationSearch(WireValue):
    lens: str
    query: str
    result_count: int
    agree_count: int
    disagree_count: int
    silent_count: int
    top_results: tuple[CorroboratingResult, ...]


class AuditedRecommendation(WireValue):
    title: str
    url: str | None = None
    author: str | None = None
    self_promotion_signal: SelfPromotionSignal | None = None
    conflict_of_interest: ConflictOfInterest | None = None
    domain_reputation: SourceReputation | None = None
    link_live: bool | None = None  # absent if the address could not be checked
    http_status: int | None = None  # 0 if no server answered
    link_state: str | None = None  # live, blocked, dead, unchecked
    archived_url: str | None = None
    corroboration_searches: tuple[CorroborationSearch, ...] | None = None
    flags: tuple[str, ...]
    reasons: tuple[LongText, ...]
    trust: str = Field(default=UNTRUSTED_LABEL)


class RecommendationAudit(WireValue):
    item_count: int
    recommendations: Body[tuple[AuditedRecommendation, ...]]
    aggregate_flags: tuple[str, ...] | None = None  # present when a claim was given
    notes: tuple[str, ...] | None = None
    checked_at: str
    trust: str = Field(default=UNTRUSTED_LABEL)


# What a byline says about the ties of an author: employed, advising, invested or paid. It errs on the side of
# reporting too little: unnamed companies, past ties and denied ones do not count.


EMPLOYMENT, EQUITY, FUNDING, ADVISORY = "employment", "equity", "funding", "advisory"
KIND_ORDER = (EQUITY, EMPLOYMENT, FUNDING, ADVISORY)  # the strongest interest first

_NAME = r"(?P<name>@?[\w][\w&.'’+-]*(?:\s+(?:[A-Z][\w&.'’+-]*|&)){0,3})"
_LINK = r"(?:to|of|for|in|at|with|on|into|bei|beim|von|an|dans|en|de|chez|di|presso)"
_AND = r"(?:and|&|und|et|y|e)"
# Between a role and its company: "investor in and adviser to Acme", "advisor (unpaid) to Acme".
_GAP = rf"(?:(?:\s+{_LINK})?(?:,|\s+{_AND}|/)\s?[\w/-]{{2,20}}(?:\s[\w-]{{2,20}}){{0,2}}?|\s\([\w ]{{1,30}}\))?"
_JOB = (
    r"(?:works?|working|employed|employee|engineer|developer|manager|director|head|lead|leader|vp|vice president"
    r"|president|chief [\w ]{2,20}officer|c[etfmop]o|partner|evangelist|advocate|strategist|spokes(?:man|woman|person)"
    r"|marketer|writer|editor|analyst|designer|researcher|scientist|specialist|associate|intern"
    r"|mitarbeiter(?:in)?|arbeitet|angestellt(?:e[r]?)?|entwickler(?:in)?|leiter(?:in)?|sprecher(?:in)?"
    r"|travaille|directeur|directrice|salarié[e]?|trabaja|emplead[oa]|director[a]?|lavora|dipendente)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TieRole:
    """One kind of tie: the words for it, how they lead to the name, and whether they may stand bare."""

    name: str
    kind: str
    words: str
    link: str = _LINK  # between the words and the company
    follows_name: bool = True  # "an Acme investor"
    is_shared: bool = True  # "advisor to Acme and investor"


_ROLES = (
    _TieRole(name="board member", kind=ADVISORY, words=r"(?:board (?:member|director|chair|advis[oe]r|seat|observer)|(?:member|chair(?:man|woman|person)?) of the (?:advisory |supervisory |scientific |executive )?board|(?:sits |serves |seat )?on the (?:advisory |supervisory |scientific )?board|non-executive director|aufsichtsrats?(?:mitglied)?|beirat|membre du conseil)"),
    _TieRole(name="investor", kind=EQUITY, words=r"(?:investors?|invested|invests|investing|investisseu(?:r|se)|inversor[a]?|investor(?:in)?|backer|limited partner)"),
    _TieRole(name="shareholder", kind=EQUITY, words=r"(?:shareholder|stockholder|stake|shares|stock|stock options|options|equity(?: (?:stake|interest))?|(?:financial|ownership|economic) interest|position|anteile|aktien|aktionär(?:in)?|beteiligt|beteiligung|actionnaire|accionista)", link=r"(?:in|of|at|an|bei|dans|en|de)"),
    _TieRole(name="founder", kind=EQUITY, words=r"(?:(?:co-?)?founder|(?:co-?)?owner|(?:mit)?gründer(?:in)?|inhaber(?:in)?|(?:co-?)?fondat(?:eur|rice)|(?:co)?fundador[a]?|fondatore)"),
    _TieRole(name="founder", kind=EQUITY, words=r"(?:co-?)?founded", link=r"", follows_name=False, is_shared=False),
    _TieRole(name="sponsorship", kind=FUNDING, words=r"(?:sponsored|funded|paid|compensated|supported|commissioned|remunerated|gesponsert|finanziert|bezahlt|sponsorisée?|financée?|payée?|patrocinad[oa])", link=r"(?:by|von|par|por|da)", follows_name=False, is_shared=False),
    _TieRole(name="sponsorship", kind=FUNDING, words=r"(?:(?:in (?:paid )?)?partnership with|(?:research )?grants? (?:from|by)|funding (?:from|by)|payments? from|sponsorship (?:from|by|of)|free (?:product|products|samples|access) from)", link=r"", follows_name=False, is_shared=False),
    _TieRole(name="speaker", kind=FUNDING, words=r"(?:(?:speak(?:er|ers|ing)|lecture|consult(?:ing|ancy)|personal)['’]? (?:fees?|honoraria)|fees|honorari(?:a|um)|(?:speakers?['’]? bureau)|paid speaker|paid talks?|vortragshonorare?)", link=r"(?:from|of|for|by|at|von|de)", is_shared=False),
    _TieRole(name="affiliate", kind=FUNDING, words=r"(?:affiliate(?: (?:links?|partner|marketer|commissions?|program(?:me)?))?|referral (?:links?|fees?|commissions?|partner)|commissions?|provision(?:en)?)", link=r"(?:of|for|with|to|from|by|at|on|von|de)", is_shared=False),
    _TieRole(name="ambassador", kind=FUNDING, words=r"(?:(?:brand )?ambassador|(?:brand )?influencer partner|markenbotschafter(?:in)?|ambassadeu?r(?:rice)?|embajador[a]?)"),
    _TieRole(name="consultant", kind=ADVISORY, words=r"(?:consultants?|consults|consulting|contractor|freelanc(?:e|er|es|ing))"),
    _TieRole(name="advisor", kind=ADVISORY, words=r"(?:advis[oe]rs?|advises|advising|mentors?|berater(?:in)?|berät|conseill(?:er|ère)|asesor[a]?|consulente)"),
    _TieRole(name="advisor", kind=ADVISORY, words=r"(?:advises|advised|advising|berät|conseille)", link=r"", follows_name=False, is_shared=False),
    _TieRole(name="employee", kind=EMPLOYMENT, words=_JOB, is_shared=False),
)  # fmt: skip


def _compile_role_pattern(role: _TieRole) -> tuple[re.Pattern[str], ...]:
    """The ways to name the company: after the words, or before them. Only names keep their case."""
    if role.name == "employee":
        lead = rf"\b{role.words}\b[\w ,/&-]{{0,40}}?(?:\b{role.link}\s+|@\s?)"
    else:
        # "investor in and adviser to Acme" leads through another link than the role's own.
        gap = rf"(?:{_GAP}\s+{role.link}|{_GAP[:-1]}\s+{_LINK})" if role.link else ""
        lead = rf"\b{role.words}{gap}\s+"
    after = re.compile(rf"(?i:{lead}){_NAME}")
    before = re.compile(rf"\b{_NAME}\s(?i:{role.words})\b")
    byline = re.compile(rf"(?i:\b{role.words}\b,\s){_NAME}\W{{0,5}}$")  # "Engineer, Acme"
    if role.name in {"employee", "founder"} and role.follows_name:
        return after, before, byline
    return (after, before) if role.follows_name else (after,)


_ROLE_PATTERNS = tuple((role, _compile_role_pattern(role)) for role in _ROLES)
_BARE_JOB_PATTERN = re.compile(rf"(?i:^(?:[\w .,'’-]{{0,60}}?\b)?(?:at\s+|@)){_NAME}")
_EMPLOYEE = _ROLES[-1]
_SHARED_ROLE_PATTERNS = tuple(
    (role, re.compile(
        rf"(?:\b{_AND}\s|[,/]\s?)(?:(?:an?|its?|their|early|angel|seed|also|eine?|un)\s){{0,3}}{role.words}\b(?!\s+{_LINK}\b)",
        re.IGNORECASE,
    ))
    for role in _ROLES
    if role.is_shared
)  # fmt: skip
_CLAUSE_SEPARATOR_PATTERN = re.compile(r"(?<![.;!?\n|•])[.;!?\n|•]++\s+|(?<!\s)\s++[|•–—]\s+|[;\n]")
_PART_SEPARATOR_PATTERN = re.compile(
    r",\s(?:and\s)?(?=(?:formerly|previously|ex-|former|now|currently|today|but|aber|mais|pero|not|never|no)\b)"
    r"|\s(?=(?:but|aber|mais|pero)\s)"
    r"|\s(?:and|&|und|et|y)\s(?=(?:now|currently|current|is now|formerly|former|previously|ex-|used to)\b)",
    re.IGNORECASE,
)
_ENDED_TIE_PATTERN = re.compile(
    r"\b(?:former(?:ly)?|ex-|previous(?:ly)?|past|once|used to|until|retired|left|resigned|stepped down|divested|sold|quit|emerit\w{1,4}"
    r"|no longer|not(?! only)|never|no|nor|none|neither|without|\w{2,6}n['’]t|cannot"
    r"|independent of|unaffiliated|ehemalig\w*|früher\w*|kein\w*|nicht|ohne|ancien(?:ne)?|aucune?|sans|anteriormente|antigu[oa]|ningun[oa]?|sin|nessun[oa]?|senza|ex)\b",
    re.IGNORECASE,
)  # fmt: skip
# "a consultant for Acme stores" works for those who use Acme, not for Acme.
_OTHER_THING_PATTERN = re.compile(
    r"\s{1,5}(?:agenc(?:y|ies)|stores?|shops?|sites?|apps?|plug-?ins?|themes?|experts?|partners?|merchants?|sellers?"
    r"|users?|customers?|clients?|competitors?|alternatives?|rivals?|fans?|communit(?:y|ies)|courses?|books?"
    r"|projects?|integrations?|migrations?|setups?|add-?ons?|extensions?|certified)\b"
)
_OWNER_ENDING_PATTERN = re.compile(r"['’]s$")
_VERB_PATTERN = re.compile(r"^(?:Owns|Holds|Has|Is|Also|An?|The|Our|As)\s+")
_NAME_WORD_PATTERN = re.compile(r"[^\W_][\w&+'’-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorTie:
    """What the author is to a company that the recommendation names."""

    kind: str  # the strongest interest: equity, employment, funding, advisory
    entity: str
    roles: tuple[str, ...]
    evidence: str  # the part of the byline


def find_author_tie(
    bio: str, names: frozenset[str] | set[str], *, common_words: frozenset[str]
) -> AuthorTie | None:
    """The first company of `names` that the biography ties the author to; None if there is none."""
    for part in _split_current_parts(bio):
        found = list(_find_author_roles(part, names, common_words))
        if found:
            entity = found[0][1]
            roles = [role for role, other in found if other == entity]
            # Roles without a company of their own: the investor in "advisor to Acme and investor".
            roles += [role for role, pattern in _SHARED_ROLE_PATTERNS if pattern.search(part)]
            kinds = {role.kind for role in roles}
            return AuthorTie(
                kind=next(kind for kind in KIND_ORDER if kind in kinds),
                entity=entity,
                roles=tuple(dict.fromkeys(role.name for role in roles)),
                evidence=part,
            )
    return None


def match_named_entity(
    captured: str, names: frozenset[str] | set[str], common_words: frozenset[str]
) -> str:
    """The captured name, if the recommendation names it too; empty otherwise."""
    found = (_OWNER_ENDING_PATTERN.sub("", word) for word in _NAME_WORD_PATTERN.findall(captured))
    words = [word.strip(".'’") for word in found]
    kept = [word for word in words if word.lower() not in common_words]
    if not kept:
        return ""
    squashed = "".join(word.lower() for word in kept).replace("-", "")
    if kept[0].lower() in names or squashed in names:
        return " ".join(kept[: 3 if squashed in names else 1])
    return ""


def _split_current_parts(bio: str) -> Iterator[str]:
    """The parts of a biography, without those about the past or with a negation."""
    for clause in _CLAUSE_SEPARATOR_PATTERN.split(bio):
        for part in _PART_SEPARATOR_PATTERN.split(clean_markup(clause)):
            if part and not _ENDED_TIE_PATTERN.search(part):
                yield part


def _find_author_roles(
    part: str, names: frozenset[str] | set[str], common_words: frozenset[str]
) -> Iterator[tuple[_TieRole, str]]:
    """Each role and its company; the plain "at Acme" only if nothing else is said."""
    seen: set[int] = set()  # ends of names that a more exact role has
    for role, patterns in _ROLE_PATTERNS:
        for found in _find_pattern_matches(part, patterns):
            captured = _VERB_PATTERN.sub("", found["name"])
            entity = match_named_entity(captured, names, common_words)
            if entity and (role is not _EMPLOYEE or found.start("name") not in seen):
                seen.add(found.start("name"))
                yield role, entity
    for found in _find_pattern_matches(part, (_BARE_JOB_PATTERN,)):
        entity = match_named_entity(found["name"], names, common_words)
        if entity and not seen:
            yield _EMPLOYEE, entity


def _find_pattern_matches(
    part: str, patterns: Iterable[re.Pattern[str]]
) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        for found in pattern.finditer(part):
            if not _OTHER_THING_PATTERN.match(part, found.end("name")):
                yield found
