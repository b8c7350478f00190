"""Papers by subject: whoever is configured answers, and the answer says how it came about."""

from __future__ import annotations

from collections.abc import Callable

from citewell.errors import CitewellError, InvalidInput
from citewell.model.literature import PapersAnswer, Work
from citewell.model.paper import Paper
from citewell.model.routing import Trace
from citewell.ports import Offer
from citewell.services.catalogue import Catalogue
from citewell.services.scholar import hints, shown
from citewell.services.scholar.ask import Ask, checked
from citewell.services.scholar.fallback import NAME as WEB
from citewell.services.scholar.fallback import Fallback, scholarly
from citewell.services.scholar.ladder import Harvest, Ladder
from citewell.services.scholar.sieve import newest
from citewell.services.web import failure, filters
from citewell.services.web.rounds import Resting
from citewell.services.web.search import Web

__all__ = ["Ask", "Literature"]

ORDER = (
    "openalex", "crossref", "pubmed", "semanticscholar", "core", "arxiv", "europepmc",
    "datacite", "exa",
)  # fmt: skip
_HOME = {"arxiv": "arxiv", "pubmed": "pubmed"}  # the source that is a provider itself
_ROUTER = "router"


class Literature:
    """The ladder of the spec: the provider named, the user's own order, ours, then the web."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        ladder: Ladder,
        web: Callable[[], Web],
        resting: Resting,
        weigh: shown.Weigh,
    ) -> None:
        self._catalogue = catalogue
        self._ladder = ladder
        self._web = web
        self._resting = resting
        self._weigh = weigh

    async def search(self, ask: Ask, *, trace: Trace) -> PapersAnswer:
        """Papers, or hints why there are none; an error when nobody could answer at all."""
        asked = checked(ask)
        if asked.provider:
            harvest, source = await self._from_one(asked.provider, asked, trace)
        else:
            harvest, source = await self._from_any(asked, trace)
        for name in harvest.served():
            if name != WEB:  # the web's own providers are in the trace already
                trace.served(name)
        return self._answer(asked, harvest, source)

    async def _from_one(self, name: str, ask: Ask, trace: Trace) -> tuple[Harvest, str]:
        """The provider named and no other."""
        offer = self._offer(name)
        self._catalogue.resolve(name, offer)
        if offer is Offer.WEB:
            return await Fallback(self._web()).search(ask, trace=trace, provider=name), WEB
        try:
            return await self._ladder.only(name, ask, trace=trace), name
        except CitewellError as error:
            others = self._healthy(but=(name,))
            raise failure.completed(error, provider=name, alternatives=others) from None

    def _offer(self, name: str) -> Offer:
        known = name in self._catalogue.names()
        offers = self._catalogue.spec(name).offers if known else frozenset()
        if Offer.PAPERS in offers:
            return Offer.PAPERS
        if Offer.WEB in offers and self._catalogue.spec(name).base_url:
            return Offer.WEB  # the user's own documents are no web
        raise InvalidInput(
            f"{name!r} cannot search for papers. Supported: {', '.join(self._supported())}.",
            alternatives=self._healthy(but=()),
        )

    def _supported(self) -> list[str]:
        able = {
            name
            for name in self._catalogue.names()
            if {Offer.PAPERS, Offer.WEB} & self._catalogue.spec(name).offers
            and self._catalogue.spec(name).base_url
        }
        return [name for name in ORDER if name in able] + sorted(able - set(ORDER))

    async def _from_any(self, ask: Ask, trace: Trace) -> tuple[Harvest, str]:
        """The user's own order first, then ours, then the web."""
        harvest = Harvest()
        listed = self._usable(self._web().router.listed("academic"))
        if listed and await self._routed(harvest, listed, ask, trace):
            return harvest, _ROUTER
        ours = [name for name in self._order(ask) if name not in listed]
        await self._ladder.through(ours, ask, trace=trace, harvest=harvest)
        if not harvest.papers() and await self._on_the_web(harvest, ask, trace):
            return harvest, WEB
        if not harvest.replies:
            others = self._healthy(but=tuple(harvest.failures))
            raise failure.verdict(harvest.failures, alternatives=others)
        return harvest, harvest.served()[0]

    async def _routed(
        self, harvest: Harvest, names: tuple[str, ...], ask: Ask, trace: Trace
    ) -> bool:
        """Whether those whom SEARCH_ROUTING names found anything."""
        papers = [name for name in names if self._offer(name) is Offer.PAPERS]
        await self._ladder.through(papers, ask, trace=trace, harvest=harvest)
        for name in names:
            if not harvest.papers() and name not in papers:
                await self._on_the_web(harvest, ask, trace, provider=name)
        return bool(harvest.papers())

    async def _on_the_web(
        self, harvest: Harvest, ask: Ask, trace: Trace, *, provider: str | None = None
    ) -> bool:
        """Whether a web search could be made; its results or its failure are in the harvest."""
        try:
            found = await Fallback(self._web()).search(ask, trace=trace, provider=provider)
        except CitewellError as error:
            harvest.failures[provider or WEB] = error
            return False
        harvest.replies += found.replies
        harvest.notes += found.notes
        return True

    def _order(self, ask: Ask) -> tuple[str, ...]:
        """Ours, with the source's own register next to the first."""
        home = _HOME.get(ask.source)
        wanted = dict.fromkeys([ORDER[0], *([home] if home else []), *ORDER])
        able = self._catalogue.offering(Offer.PAPERS)
        return tuple(name for name in wanted if name in able)

    def _usable(self, names: tuple[str, ...]) -> tuple[str, ...]:
        catalogue = self._catalogue
        return tuple(
            name
            for name in names
            if {Offer.PAPERS, Offer.WEB} & catalogue.spec(name).offers
            and catalogue.configured(name)
        )

    def _healthy(self, *, but: tuple[str, ...]) -> tuple[str, ...]:
        able = self._catalogue.offering(Offer.PAPERS)
        return tuple(name for name in able if name not in but and self._resting(name) is None)

    def _answer(self, ask: Ask, harvest: Harvest, source: str) -> PapersAnswer:
        papers = harvest.papers()
        if ask.sort == "date" and len(harvest.replies) > 1:
            papers = tuple(newest(papers))
        works = tuple(self._work(paper) for paper in papers[: ask.count])
        totals = [reply.total for reply in harvest.replies if reply.total is not None]
        rows = filters.joined(reply.reports for reply in harvest.replies)
        others = self._healthy(but=harvest.attempted())
        return PapersAnswer(
            papers=works,
            query=ask.query,
            total_results=max([*totals[:1], len(works)]),
            result_count=len(works),
            source=source,
            hints=None if works else hints.explained(ask, harvest, others=others),
            filters=rows or None,
            notes=tuple(dict.fromkeys(harvest.notes)) or None,
        )

    def _work(self, paper: Paper) -> Work:
        work = shown.work(paper, weigh=self._weigh)
        doubtful = not paper.ids and not scholarly(paper.url)
        return work.model_copy(update={"low_confidence_domain": True}) if doubtful else work
