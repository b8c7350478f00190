"""A work by its identifier: who is asked, in which order, and whose word is final."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.paper import Paper, PaperId, Scheme
from citewell.ports import DoiRegistry, Offer, PaperLookup
from citewell.services.scholar import merge
from citewell.services.scholar.bundles import Bundles
from citewell.services.scholar.panel import ABSENT, FOUND, Answer, Asked, Panel

NOT_REGISTERED, UNCHECKED = "not_registered", "unchecked"
_FIRST = 2  # providers asked before any other
# Whose word on an identifier is final; a DOI's is the handle registry's.
_AUTHORITY = {
    Scheme.ARXIV: "arxiv",
    Scheme.PMID: "pubmed",
    Scheme.S2: "semanticscholar",
    Scheme.OPENALEX: "openalex",
}
_ORDER = {
    Scheme.DOI: ("crossref", "openalex", "datacite", "doi", "europepmc", "pubmed"),
    Scheme.ARXIV: ("arxiv", "openalex", "semanticscholar", "datacite"),
    Scheme.PMID: ("pubmed", "europepmc", "openalex"),
    Scheme.PMCID: ("europepmc", "pubmed", "openalex"),
}
_AGENCIES = ("datacite", "doi")  # asked beside the handle registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of one identifier.

    `found` without a paper means that it is registered and nobody has its description;
    `unchecked` means that whoever must know could not be asked, and says nothing at all.
    """

    paper: Paper | None
    state: str  # found, not_registered or unchecked
    asked: tuple[Asked, ...] = ()


class Lookup:
    def __init__(self, panel: Panel, bundles: Bundles, *, grace: float) -> None:
        """`grace` is how many seconds others get once one registry has described the work."""
        self._panel = panel
        self._bundles = bundles
        self._known: dict[Scheme, tuple[str, ...]] = {}  # who can be asked, which never changes
        self._grace = grace

    async def find(self, paper_id: PaperId) -> Record:
        names = self._knowing(paper_id.scheme)
        first, later = names[:_FIRST], names[_FIRST:]
        answers = await self._described(first, paper_id)
        if _papers(answers) or paper_id.scheme is not Scheme.DOI:
            return await self._by_others(paper_id, answers, later)
        return await self._by_registry(paper_id, answers, later)

    async def _by_others(
        self, paper_id: PaperId, answers: tuple[Answer[Paper], ...], later: tuple[str, ...]
    ) -> Record:
        """Without a handle registry the identifier's own home is the authority."""
        if not _papers(answers) and not _denied(paper_id, answers):
            answers += await self._described(later, paper_id)
        if found := _papers(answers):
            return _record(FOUND, answers, paper=merge.one(found))
        return _record(NOT_REGISTERED if _denied(paper_id, answers) else UNCHECKED, answers)

    async def _by_registry(
        self, doi: PaperId, answers: tuple[Answer[Paper], ...], later: tuple[str, ...]
    ) -> Record:
        """Nobody described the DOI yet: the handle registry decides whether it exists at all."""
        agencies = [name for name in later if name in _AGENCIES]
        registry, more = await self._both(doi, agencies)
        answers += more
        if not _papers(answers) and not _all_deny(registry):
            rest = [name for name in later if name not in _AGENCIES]
            answers += await self._described(rest, doi)
        asked = tuple(answer.asked for answer in registry)
        if found := _papers(answers):
            return _record(FOUND, answers, paper=merge.one(found), also=asked)
        known = any(answer.value for answer in registry)
        state = FOUND if known else NOT_REGISTERED if _all_deny(registry) else UNCHECKED
        return _record(state, answers, also=asked)

    async def _both(
        self, doi: PaperId, agencies: Sequence[str]
    ) -> tuple[tuple[Answer[bool], ...], tuple[Answer[Paper], ...]]:
        """The registry and the agencies at once; what is not registered no agency need describe."""
        described = asyncio.create_task(self._described(agencies, doi))
        try:
            registry = await self._registered(doi)
            return registry, () if _all_deny(registry) else await described
        finally:
            described.cancel()
            await asyncio.gather(described, return_exceptions=True)

    async def _described(
        self, names: Iterable[str], paper_id: PaperId
    ) -> tuple[Answer[Paper], ...]:
        async def question(provider: object) -> Paper | None:
            if not isinstance(provider, PaperLookup):
                raise TypeError("a provider declares lookup and does not offer it")
            return _the_very(await self._bundles.paper(provider, paper_id), paper_id)

        return await self._panel.together(names, question, enough=_any_found, grace=self._grace)

    async def _registered(self, doi: PaperId) -> tuple[Answer[bool], ...]:
        async def question(provider: object) -> bool:
            if not isinstance(provider, DoiRegistry):
                raise TypeError("a provider declares the registry and does not offer it")
            return await provider.registered(doi.value)

        return await self._panel.together(self._panel.able(Offer.REGISTRY), question)

    def _knowing(self, scheme: Scheme) -> tuple[str, ...]:
        if scheme not in self._known:
            names = self._panel.able(Offer.LOOKUP, _ORDER.get(scheme, ()))
            able = (name for name in names if scheme in _schemes(self._panel.provider(name)))
            self._known[scheme] = tuple(able)
        return self._known[scheme]


def _schemes(provider: object) -> frozenset[Scheme]:
    return provider.schemes if isinstance(provider, PaperLookup) else frozenset()


def _denied(paper_id: PaperId, answers: Sequence[Answer[Paper]]) -> bool:
    authority = _AUTHORITY.get(paper_id.scheme)
    return any(one.provider == authority and one.asked.outcome == ABSENT for one in answers)


def _all_deny(registry: Sequence[Answer[bool]]) -> bool:
    """Whether the registry was heard and does not have it."""
    heard = [answer for answer in registry if answer.error is None]
    return bool(heard) and not any(answer.value for answer in heard)


def _the_very(paper: Paper | None, paper_id: PaperId) -> Paper | None:
    """A registry that answers with a neighbour has answered about something else.

    The DOI system itself may name the DOI that the one asked for is an alias of.
    """
    if paper is None or paper.source == "doi":
        return paper
    said = paper.ids.get(paper_id.scheme)
    return paper if said is None or said.lower() == paper_id.value.lower() else None


def _papers(answers: Iterable[Answer[Paper]]) -> list[Paper]:
    return [answer.value for answer in answers if answer.value is not None]


def _any_found(answers: Sequence[Answer[Paper]]) -> bool:
    return any(answer.value is not None for answer in answers)


def _record(
    state: str,
    answers: Iterable[Answer[Paper]],
    *,
    paper: Paper | None = None,
    also: tuple[Asked, ...] = (),
) -> Record:
    return Record(paper=paper, state=state, asked=(*(one.asked for one in answers), *also))
