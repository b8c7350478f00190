"""The works that a reference may mean, the closest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.paper import BibliographicQuery, Paper, PaperId, Scheme
from citewell.ports import Offer, PaperMatch
from citewell.services.scholar import likeness, merge
from citewell.services.scholar.lookup import Lookup
from citewell.services.scholar.panel import FAILED, Answer, Asked, Panel
from citewell.services.scholar.room import Room
from citewell.text import titles

_ORDER = ("crossref", "openalex", "semanticscholar", "datacite", "europepmc", "pubmed", "arxiv")
_GENERAL = ("crossref", "openalex", "semanticscholar")  # works of every field
# The second holds whatever the first does, so that the one with more room is enough.
_KIN = {"arxiv": "datacite", "pubmed": "europepmc"}
_HEARD = 2  # answers that are worth waiting for
_SURE = 0.93  # closeness at which nobody else need be asked
_NEAR = 0.6  # and at which a glance becomes a look
_WORDY = 4  # telling words; shorter titles are borne by many works

Found = Answer[tuple[Paper, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The works a reference may mean, the closest first."""

    papers: tuple[Paper, ...]
    asked: tuple[Asked, ...] = ()

    @property
    def answered(self) -> bool:
        """False when nobody could be asked, so that an empty list means nothing."""
        return any(one.outcome != FAILED for one in self.asked)


class Matching:
    """One registry is enough where it knows the very work; all of them before a work is unknown."""

    def __init__(self, panel: Panel, lookup: Lookup, *, grace: float) -> None:
        """`grace` is how many seconds others get once there is enough to go by."""
        self._panel = panel
        self._lookup = lookup
        self._room = Room(panel)
        self._grace = grace

    async def match(self, query: BibliographicQuery) -> Matches:
        names = self._panel.able(Offer.MATCH, _ORDER)
        if not names:
            return Matches(papers=())
        answers = await self._asked([self._first(names)], query)
        near = _Near.of(answers, query)
        if not near.unique:
            if near.closeness >= _NEAR or not query.glance:
                answers += await self._asked(self._second(names, answers), query)
                near = _Near.of(answers, query)
            if not near.sure and not query.glance:
                answers += await self._asked(self._others(names, answers), query)
                near = _Near.of(answers, query)
        asked = tuple(answer.asked for answer in answers)
        return Matches(papers=await self._completed(near), asked=asked)

    def _first(self, names: Sequence[str]) -> str:
        return self._room.first([name for name in names if name in _GENERAL] or names)

    def _second(self, names: Sequence[str], answers: Iterable[Found]) -> list[str]:
        """The general index with the most room, besides the one that was asked."""
        before = {answer.provider for answer in answers}
        others = [name for name in names if name in _GENERAL and name not in before]
        return [self._room.first(others)] if others else []

    def _others(self, names: Sequence[str], answers: Iterable[Found]) -> list[str]:
        """Everybody else; of two of a kind the one with more room."""
        before = {answer.provider for answer in answers}
        able = [name for name in names if name not in before]
        pairs = [pair for pair in _KIN.items() if set(pair) <= set(able)]
        spared = {one for pair in pairs for one in pair if one != self._room.first(pair[::-1])}
        return [name for name in able if name not in spared]

    async def _asked(self, names: Sequence[str], query: BibliographicQuery) -> tuple[Found, ...]:
        async def question(provider: object) -> tuple[Paper, ...]:
            if not isinstance(provider, PaperMatch):
                raise TypeError("a provider declares match and does not offer it")
            return await provider.match(query)

        def enough(answers: Sequence[Found]) -> bool:
            heard = sum(answer.error is None for answer in answers)
            return heard >= _HEARD or _Near.of(answers, query).sure

        with self._room.taken(names):
            return await self._panel.together(names, question, enough=enough, grace=self._grace)

    async def _completed(self, near: _Near) -> tuple[Paper, ...]:
        """A sure match as its own registry has it, with the notices about it."""
        if not near.sure or near.papers[0].doi is None:
            return near.papers
        best, *others = near.papers
        if "crossref" in {best.source, *best.provenance.values()}:
            return near.papers
        record = await self._lookup.find(PaperId(scheme=Scheme.DOI, value=near.papers[0].doi))
        whole = merge.one((record.paper, best)) if record.paper else best
        return (whole, *others)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Near:
    """What was found, the closest first, and how close it is."""

    papers: tuple[Paper, ...]
    scores: tuple[float, ...]

    @classmethod
    def of(cls, answers: Iterable[Found], query: BibliographicQuery) -> _Near:
        papers = merge.merged(paper for answer in answers for paper in answer.value or ())
        scored = [(likeness.closeness(paper, query), paper) for paper in papers]
        scored.sort(key=lambda one: -one[0])
        chosen = scored[: query.count]
        return cls(
            papers=tuple(paper for _, paper in chosen), scores=tuple(score for score, _ in chosen)
        )

    @property
    def closeness(self) -> float:
        return self.scores[0] if self.scores else 0.0

    @property
    def sure(self) -> bool:
        return self.closeness >= _SURE

    @property
    def unique(self) -> bool:
        """Whether one work fits, and no other nearly as well."""
        if sum(score >= _SURE for score in self.scores) != 1:
            return False
        return len(titles.telling(titles.bare(self.papers[0].title))) >= _WORDY
