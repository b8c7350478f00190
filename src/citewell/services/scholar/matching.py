"""The works that a reference may mean, the closest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.paper import BibliographicQuery, Paper
from citewell.ports import Offer, PaperMatch
from citewell.services.scholar import likeness, merge
from citewell.services.scholar.panel import FAILED, Answer, Asked, Panel

_ORDER = ("crossref", "openalex", "semanticscholar", "pubmed", "datacite", "arxiv")
_FIRST = 2  # providers asked before any other; as many answers are worth waiting for
_SURE = 0.93  # closeness at which nobody else need be asked

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
    def __init__(self, panel: Panel, *, grace: float) -> None:
        """`grace` is how many seconds others get once there is enough to go by."""
        self._panel = panel
        self._grace = grace

    async def match(self, query: BibliographicQuery) -> Matches:
        names = self._panel.able(Offer.MATCH, _ORDER)
        answers = await self._asked(names[:_FIRST], query)
        if not _sure(answers, query):
            answers += await self._asked(names[_FIRST:], query)
        asked = tuple(answer.asked for answer in answers)
        return Matches(papers=_closest(answers, query), asked=asked)

    async def _asked(self, names: Iterable[str], query: BibliographicQuery) -> tuple[Found, ...]:
        async def question(provider: object) -> tuple[Paper, ...]:
            if not isinstance(provider, PaperMatch):
                raise TypeError("a provider declares match and does not offer it")
            return await provider.match(query)

        def enough(answers: Sequence[Found]) -> bool:
            heard = sum(answer.error is None for answer in answers)
            return heard >= _FIRST or _sure(answers, query)

        return await self._panel.together(names, question, enough=enough, grace=self._grace)


def _sure(answers: Iterable[Found], query: BibliographicQuery) -> bool:
    best = _closest(answers, query)[:1]
    return bool(best) and likeness.closeness(best[0], query) >= _SURE


def _closest(answers: Iterable[Found], query: BibliographicQuery) -> tuple[Paper, ...]:
    papers = merge.merged(paper for answer in answers for paper in answer.value or ())
    ranked = sorted(papers, key=lambda paper: -likeness.closeness(paper, query))
    return tuple(ranked[: query.count])
