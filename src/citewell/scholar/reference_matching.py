"""Finds the works that a reference may mean, the closest first."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from citewell.citations import title_matching
from citewell.core.values.paper import BibliographicQuery, IdentifierScheme, Paper, PaperId
from citewell.routing.ports import Offer, PaperMatch
from citewell.routing.provider_panel import FAILED, ProviderAnswer, ProviderOutcome, ProviderPanel
from citewell.scholar import record_merging
from citewell.scholar.identifier_lookup import IdentifierLookup
from citewell.text.data_tables import load_table

# Many providers search again, more loosely, if nothing is found.
_REQUESTS_PER_QUESTION = 2

GENERAL_INDEXES = ("crossref", "openalex", "semanticscholar")  # they cover every field
_TEXT_INDEXES = ("crossref", "openalex")  # they find a work by a whole reference
# The second contains all works of the first, so it is enough to ask the less busy one.
_SUPERSET_PROVIDERS = {"arxiv": "datacite", "pubmed": "europepmc"}
_MIN_ANSWERS = 2  # answers to wait for
_SURE_CLOSENESS = 0.93  # closeness from which no other provider is asked
_NEAR_CLOSENESS = 0.6  # closeness from which a quick check (`glance`) asks a second index
_MIN_TELLING_WORDS = 4  # words; many works share shorter titles

MatchAnswer = ProviderAnswer[tuple[Paper, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceMatches:
    """The works a reference may mean, the closest first."""

    papers: tuple[Paper, ...]
    asked: tuple[ProviderOutcome, ...] = ()

    @property
    def is_answered(self) -> bool:
        """False if no provider answered; an empty list then means nothing."""
        return any(reply.outcome != FAILED for reply in self.asked)


class ReferenceMatcher:
    """Asks one registry if it has a sure match, and all of them before it finds nothing."""

    def __init__(self, panel: ProviderPanel, lookup: IdentifierLookup, *, grace: float) -> None:
        """`grace` is how long others are waited for, in seconds, once there are enough answers."""
        self._panel = panel
        self._lookup = lookup
        self._room = ProviderCapacity(panel)
        self._grace = grace

    async def find_matches(self, query: BibliographicQuery) -> ReferenceMatches:
        """The closest works; failures of providers are in `asked`, not raised."""
        order = load_table(__package__, "provider_orders")["match"]
        names = self._panel.list_able_providers(Offer.MATCH, order)
        if not names:
            return ReferenceMatches(papers=())
        indexes = [name for name in names if name in GENERAL_INDEXES]
        first = self._room.choose_shortest_wait(indexes or names)
        answers = await self._ask_matchers([first], query)
        near = _RankedMatches.rank_answers(answers, query)
        if not near.is_unique:
            if near.best_score >= _NEAR_CLOSENESS or not query.glance:
                answers += await self._ask_matchers(
                    self._choose_second_index(names, answers), query
                )
                near = _RankedMatches.rank_answers(answers, query)
            if not near.is_sure and not query.glance:
                answers += await self._ask_matchers(
                    self._list_other_matchers(names, answers), query
                )
                near = _RankedMatches.rank_answers(answers, query)
            if near.best_score < _NEAR_CLOSENESS and not query.glance:
                able = [name for name in _TEXT_INDEXES if name in names]
                if query.title and query.text and able:  # the title was guessed, and may be wrong
                    untitled = replace(query, title="", author="")
                    answers += await self._ask_matchers(able[:1], untitled)
                near = _RankedMatches.rank_answers(answers, query)
        asked = tuple(answer.outcome_summary for answer in answers)
        return ReferenceMatches(papers=await self._complete_best_match(near), asked=asked)

    def _choose_second_index(
        self, names: Sequence[str], answers: Iterable[MatchAnswer]
    ) -> list[str]:
        """The least busy general index that has not been asked yet, if there is one."""
        before = {answer.provider for answer in answers}
        others = [name for name in names if name in GENERAL_INDEXES and name not in before]
        return [self._room.choose_shortest_wait(others)] if others else []

    def _list_other_matchers(
        self, names: Sequence[str], answers: Iterable[MatchAnswer]
    ) -> list[str]:
        """All providers not asked yet; of a pair in _SUPERSET_PROVIDERS only the less busy one."""
        before = {answer.provider for answer in answers}
        able = [name for name in names if name not in before]
        pairs = [pair for pair in _SUPERSET_PROVIDERS.items() if set(pair) <= set(able)]
        spared = {
            name
            for pair in pairs
            for name in pair
            if name != self._room.choose_shortest_wait(pair[::-1])
        }
        return [name for name in able if name not in spared]

    async def _ask_matchers(
        self, names: Sequence[str], query: BibliographicQuery
    ) -> tuple[MatchAnswer, ...]:
        general = sum(name in GENERAL_INDEXES for name in names)

        async def question(provider: PaperMatch) -> tuple[Paper, ...]:
            return await provider.match_reference(query)

        def enough(answers: Sequence[MatchAnswer]) -> bool:
            heard = sum(answer.error is None for answer in answers)
            # The absence of a work means nothing until the registries of every field have spoken.
            pending = general - sum(answer.provider in GENERAL_INDEXES for answer in answers)
            if heard >= _MIN_ANSWERS and not pending:
                return True
            return _RankedMatches.rank_answers(answers, query).is_sure

        with self._room.reserve_requests(names):
            return await self._panel.ask_together(
                names, question, enough=enough, grace_seconds=self._grace
            )

    async def _complete_best_match(self, near: _RankedMatches) -> tuple[Paper, ...]:
        """The papers; a sure match is completed with the record and notices of its registry."""
        if not near.is_sure or near.papers[0].doi is None:
            return near.papers
        best, *others = near.papers
        if "crossref" in {best.source, *best.provenance.values()}:
            return near.papers
        record = await self._lookup.find_work_record(
            PaperId(scheme=IdentifierScheme.DOI, value=near.papers[0].doi)
        )
        whole = record_merging.merge_records((record.paper, best)) if record.paper else best
        return (whole, *others)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RankedMatches:
    """The papers found, the closest first, with their scores."""

    papers: tuple[Paper, ...]
    scores: tuple[float, ...]

    @classmethod
    def rank_answers(
        cls, answers: Iterable[MatchAnswer], query: BibliographicQuery
    ) -> _RankedMatches:
        papers = record_merging.merge_papers(
            paper for answer in answers for paper in answer.value or ()
        )
        scored = [(record_merging.score_closeness(paper, query), paper) for paper in papers]
        scored.sort(key=lambda match: -match[0])
        chosen = scored[: query.count]
        return cls(
            papers=tuple(paper for _, paper in chosen), scores=tuple(score for score, _ in chosen)
        )

    @property
    def best_score(self) -> float:
        return self.scores[0] if self.scores else 0.0

    @property
    def is_sure(self) -> bool:
        return self.best_score >= _SURE_CLOSENESS

    @property
    def is_unique(self) -> bool:
        """Whether exactly one work is a sure match, and its title is long enough to tell."""
        if sum(score >= _SURE_CLOSENESS for score in self.scores) != 1:
            return False
        plain = title_matching.strip_translation_marks(self.papers[0].title)
        return len(title_matching.extract_title_words(plain)) >= _MIN_TELLING_WORDS


# Estimates how long a provider would keep a question waiting, from its rate and open requests.


class ProviderCapacity:
    """Counts open requests and the rate limit of each provider."""

    def __init__(
        self, panel: ProviderPanel, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._panel = panel
        self._clock = clock
        self._requests_open: Counter[str] = Counter()
        self._next_free: defaultdict[str, float] = defaultdict(lambda: -math.inf)

    def estimate_wait(self, name: str) -> float:
        """Seconds that another question would wait; infinite while the provider rests."""
        if self._panel.is_resting(name):
            return math.inf
        spec = self._panel.find_provider_spec(name)
        if not spec.per_second:
            return 0.0
        paced = (self._next_free[name] - self._clock()) * spec.per_second
        return (
            max(0.0, max(paced, self._requests_open[name]) + _REQUESTS_PER_QUESTION - spec.burst)
            / spec.per_second
        )

    def choose_shortest_wait(self, names: Sequence[str]) -> str:
        """The provider with the shortest wait; the first of equals."""
        return names[0] if len(names) == 1 else min(names, key=self.estimate_wait)

    @contextmanager
    def reserve_requests(self, names: Sequence[str]) -> Iterator[None]:
        """Count a question to these providers as open inside the `with` block."""
        for name in names:
            pace = self._panel.find_provider_spec(name).per_second
            if pace:
                self._next_free[name] = max(self._next_free[name], self._clock()) + 1 / pace
        self._requests_open.update(names)
        try:
            yield
        finally:
            self._requests_open.subtract(names)
