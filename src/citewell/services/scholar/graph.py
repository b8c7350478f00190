"""The neighbourhood of a paper: what cites it, and what it cites."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from citewell.errors import CitewellError, InvalidInput, NotFound
from citewell.model.literature import GraphAnswer, Work
from citewell.model.paper import BibliographicQuery, Paper, PaperId, Scheme
from citewell.model.routing import Trace
from citewell.ports import CitationGraph, Offer, PaperLookup, PaperMatch
from citewell.services.catalogue import Catalogue
from citewell.services.scholar import likeness, shown
from citewell.services.scholar.panel import Panel
from citewell.services.scholar.records import Records
from citewell.services.web import failure
from citewell.text import identifiers
from citewell.text.markup import visible

CITED_BY, REFERENCES, BOTH = "cited_by", "references", "both"
MOST = 25
ORDER = ("semanticscholar", "openalex")
_INFLUENTIAL = 8  # times as many edges are looked through when only the influential ones count
_TITLE = 0.75  # likeness below which a title was taken for another's
_SEEDS = (Scheme.DOI, Scheme.ARXIV, Scheme.PMID, Scheme.PMCID, Scheme.S2, Scheme.OPENALEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    paper: str
    direction: str = BOTH
    count: int = 10
    influential_only: bool = False
    provider: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """One provider's answer; a direction that was not asked for is None."""

    citing: tuple[Paper, ...] | None
    cited: tuple[Paper, ...] | None
    seed: Paper | None = None
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.citing or self.cited)


@dataclass(slots=True)
class _Tried:
    empty: dict[str, Edges] = field(default_factory=dict)
    failures: dict[str, CitewellError] = field(default_factory=dict)


class Citations:
    def __init__(
        self, *, catalogue: Catalogue, panel: Panel, records: Records, weigh: shown.Weigh
    ) -> None:
        self._catalogue = catalogue
        self._panel = panel
        self._records = records
        self._weigh = weigh

    async def around(self, wish: Wish, *, trace: Trace) -> GraphAnswer:
        """The paper's neighbours; NotFound when no provider knows it."""
        seed = " ".join(visible(wish.paper).split())
        if not seed:
            raise InvalidInput("paper is empty. Give a DOI, an arXiv id, a PMID or an exact title.")
        names = (self._named(wish.provider),) if wish.provider else self._able()
        tried = _Tried()
        for name in names:
            self._panel.note(name, trace)
            edges = await self._try(name, seed, wish, tried)
            if edges:
                trace.served(name)
                return self._answer(wish, name, edges)
        return self._otherwise(wish, seed, tried, trace)

    def _otherwise(self, wish: Wish, seed: str, tried: _Tried, trace: Trace) -> GraphAnswer:
        """A paper without neighbours, or the reason why nobody could say."""
        for name, edges in tried.empty.items():
            trace.served(name)
            return self._answer(wish, name, edges)
        errors = tried.failures
        if all(isinstance(error, NotFound) for error in errors.values()):
            raise NotFound(
                f"No work was found for {seed[:200]!r} at {', '.join(errors)}. Check the identifier,"
                " or give the exact title.",
                alternatives=[name for name in self._able() if name not in errors],
            )
        known = {name: error for name, error in errors.items() if not isinstance(error, NotFound)}
        raise failure.verdict(
            known, alternatives=[name for name in self._able() if name not in errors]
        )

    async def _try(self, name: str, seed: str, wish: Wish, tried: _Tried) -> Edges | None:
        answer = await self._panel.ask(name, lambda: self._edges(name, seed, wish))
        if answer.value is None:
            tried.failures[name] = answer.error or NotFound(f"{name} does not know it.")
        elif not answer.value:
            tried.empty[name] = answer.value
        return answer.value

    def _able(self) -> tuple[str, ...]:
        able = self._panel.able(Offer.GRAPH, ORDER)
        if not able:
            raise InvalidInput(
                f"No provider of citation graphs is configured. Supported: {', '.join(ORDER)}."
            )
        return able

    def _named(self, name: str) -> str:
        """The provider asked for; it is used or refused, never replaced."""
        plain = name.strip().lower()
        known = plain in self._catalogue.names()
        if not known or Offer.GRAPH not in self._catalogue.spec(plain).offers:
            able = self._panel.able(Offer.GRAPH, ORDER)
            raise InvalidInput(
                f"{name[:60]!r} has no citation graph. Supported: {', '.join(able or ORDER)}.",
                alternatives=able,
            )
        self._catalogue.resolve(plain, Offer.GRAPH)
        return plain

    async def _edges(self, name: str, seed: str, wish: Wish) -> Edges | None:
        provider = self._panel.provider(name)
        if not isinstance(provider, CitationGraph):
            raise TypeError(f"{name} declares a graph and does not offer it")
        paper_id, paper = await self._seed(provider, seed)
        if paper_id is None:
            return None
        citing, cited = await _neighbours(provider, paper_id, wish)
        if citing is None and cited is None:
            return None
        return _chosen(wish, name, Edges(citing=citing, cited=cited, seed=paper))

    async def _seed(
        self, provider: CitationGraph, seed: str
    ) -> tuple[PaperId | None, Paper | None]:
        """The seed by an identifier that the provider can be asked for, and as a work if searched."""
        ids = [one for one in identifiers.identify(seed).ids if one.scheme in _SEEDS]
        known = provider.schemes if isinstance(provider, PaperLookup) else frozenset({Scheme.DOI})
        if fitting := next((one for one in ids if one.scheme in known), None):
            return fitting, None
        paper = await self._found(ids) if ids else await _by_title(provider, seed)
        return (_best_id(paper, known), paper) if paper else (None, None)

    async def _found(self, ids: Iterable[PaperId]) -> Paper | None:
        for paper_id in ids:
            record = await self._records.find(paper_id)
            if record.paper is not None:
                return record.paper
        return None

    def _answer(self, wish: Wish, name: str, edges: Edges) -> GraphAnswer:
        citing, cited = self._works(edges.citing), self._works(edges.cited)
        return GraphAnswer(
            seed=wish.paper,
            direction=wish.direction,
            provider=name,
            seed_paper=shown.work(edges.seed, weigh=self._weigh) if edges.seed else None,
            cited_by=citing,
            cited_by_count=None if citing is None else len(citing),
            references=cited,
            references_count=None if cited is None else len(cited),
            notes=edges.notes or None,
        )

    def _works(self, papers: tuple[Paper, ...] | None) -> tuple[Work, ...] | None:
        return None if papers is None else shown.works(papers, weigh=self._weigh)


async def _neighbours(
    provider: CitationGraph, paper_id: PaperId, wish: Wish
) -> tuple[tuple[Paper, ...] | None, tuple[Paper, ...] | None]:
    count = wish.count * (_INFLUENTIAL if wish.influential_only else 1)

    async def citing() -> tuple[Paper, ...] | None:
        asked = wish.direction != REFERENCES
        return await provider.citing(paper_id, count=count) if asked else None

    async def cited() -> tuple[Paper, ...] | None:
        asked = wish.direction != CITED_BY
        return await provider.cited(paper_id, count=count) if asked else None

    return await asyncio.gather(citing(), cited())


def _chosen(wish: Wish, name: str, edges: Edges) -> Edges:
    """The edges asked for, as many as asked for; a direction that nobody knows of is empty."""
    citing = None if wish.direction == REFERENCES else edges.citing or ()
    cited = None if wish.direction == CITED_BY else edges.cited or ()
    every = (*(citing or ()), *(cited or ()))
    told = any(paper.influential is not None for paper in every)
    sieve = wish.influential_only and told
    notes = []
    if wish.influential_only and every and not told:
        notes.append(f"{name} does not say which citations are influential; all are listed.")
    return Edges(
        citing=_cut(citing, wish.count, influential=sieve),
        cited=_cut(cited, wish.count, influential=sieve),
        seed=edges.seed,
        notes=tuple(notes),
    )


def _cut(
    papers: tuple[Paper, ...] | None, count: int, *, influential: bool
) -> tuple[Paper, ...] | None:
    if papers is None:
        return None
    return tuple(paper for paper in papers if paper.influential or not influential)[:count]


async def _by_title(provider: object, title: str) -> Paper | None:
    """The provider's own best match; another title is no match, however near."""
    if not isinstance(provider, PaperMatch):
        return None
    found = await provider.match(BibliographicQuery(text=title, title=title))
    best = max(found, key=lambda paper: likeness.alike(title, paper.title), default=None)
    return best if best and likeness.alike(title, best.title) >= _TITLE else None


def _best_id(paper: Paper, known: frozenset[Scheme]) -> PaperId | None:
    """The provider's own identifier before everybody's."""
    order = (Scheme.S2, Scheme.OPENALEX, *_SEEDS)
    return next(
        (
            PaperId(scheme=scheme, value=paper.ids[scheme])
            for scheme in order
            if scheme in known and scheme in paper.ids
        ),
        None,
    )
