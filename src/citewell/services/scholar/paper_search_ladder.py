"""Asks scholarly providers in turn until there are enough papers, and collects their replies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from citewell.errors import CitewellError
from citewell.model.paper import Paper, PaperHits, PaperQuery
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import FilterReport
from citewell.ports import PaperSearch
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_panel import ProviderAnswer, ProviderPanel
from citewell.services.scholar import record_merging
from citewell.services.scholar.open_copies import OpenCopyFinder
from citewell.services.scholar.paper_filters import PaperFilter, sort_newest_first
from citewell.services.scholar.paper_request import PaperSearchRequest, build_paper_query
from citewell.text.language import stopwords

_OVERASK_FACTOR = 2  # times as many are asked for if our own filters may remove some


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperProviderReply:
    """A provider's papers after our own filters, and who applied which filter."""

    provider: str
    papers: tuple[Paper, ...]
    total: int | None = None
    reports: tuple[FilterReport, ...] = ()
    dropped: int = 0  # papers our own filters removed


@dataclass(slots=True)
class PaperHarvest:
    """The replies and failures of all providers that were asked."""

    replies: list[PaperProviderReply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def list_papers(self) -> tuple[Paper, ...]:
        """The papers of all replies, each work once."""
        return record_merging.merge_papers(
            paper for reply in self.replies for paper in reply.papers
        )

    def list_attempted_providers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(reply.provider for reply in self.replies), *self.failures]))

    def list_served_providers(self) -> tuple[str, ...]:
        """The providers with results; if there are none, all that answered."""
        with_papers = [reply.provider for reply in self.replies if reply.papers]
        return tuple(dict.fromkeys(with_papers or [reply.provider for reply in self.replies]))


class PaperSearchLadder:
    """Asks scholarly providers in turn, and again with fewer words if an answer is thin."""

    def __init__(
        self,
        catalogue: ProviderCatalogue,
        panel: ProviderPanel,
        copies: OpenCopyFinder,
        *,
        thin_count: int,
    ) -> None:
        self._catalogue = catalogue
        self._panel = panel
        self._copies = copies
        self._thin = thin_count

    async def search_one_provider(
        self, name: str, ask: PaperSearchRequest, *, trace: RoutingTrace
    ) -> PaperHarvest:
        """Ask one provider only; raises its error."""
        harvest = PaperHarvest()
        self._panel.record_attempt(name, trace)
        await self._try_paper_provider(harvest, name, ask)
        if name in harvest.failures:
            raise harvest.failures[name]
        await self._retry_relaxed(harvest, name, ask)
        return harvest

    async def search_in_turn(
        self,
        names: Iterable[str],
        ask: PaperSearchRequest,
        *,
        trace: RoutingTrace,
        harvest: PaperHarvest,
    ) -> None:
        """Ask the providers in order until the answer is not thin; failures are stored in `harvest`."""
        for name in names:
            self._panel.record_attempt(name, trace)
            if not await self._try_paper_provider(harvest, name, ask):
                continue
            await self._retry_relaxed(harvest, name, ask)
            if not self._is_thin(harvest, ask):
                return

    async def _retry_relaxed(
        self, harvest: PaperHarvest, name: str, ask: PaperSearchRequest
    ) -> None:
        """If the answer is thin, ask once more without the query's stop words."""
        text = stopwords.drop_query_stopwords(ask.query, language=None)
        if text == ask.query or not self._is_thin(harvest, ask):
            return
        before = len(harvest.list_papers())
        await self._try_paper_provider(harvest, name, replace(ask, query=text))
        if len(harvest.list_papers()) > before:
            harvest.notes.append(f"Little was found, so {text!r} was searched as well.")

    async def _try_paper_provider(
        self, harvest: PaperHarvest, name: str, ask: PaperSearchRequest
    ) -> bool:
        answer = await self._ask_paper_provider(name, ask)
        if answer.value is None:
            if answer.error is not None:
                harvest.failures.setdefault(name, answer.error)
            return False
        harvest.replies.append(await self._build_provider_reply(name, ask, answer.value))
        return True

    async def _ask_paper_provider(
        self, name: str, ask: PaperSearchRequest
    ) -> ProviderAnswer[PaperHits]:
        provider = self._panel.load_provider(name)
        if not isinstance(provider, PaperSearch):
            raise TypeError(f"{name} declares papers but does not implement them")
        sent = self._build_provider_query(name, ask)
        return await self._panel.ask_provider(name, lambda: provider.search_papers(sent))

    def _build_provider_query(self, name: str, ask: PaperSearchRequest) -> PaperQuery:
        room = _OVERASK_FACTOR * ask.count if ask.list_constraints() else ask.count
        most = self._catalogue.find_spec(name).max_results
        return replace(build_paper_query(ask), count=min(room, most))

    async def _build_provider_reply(
        self, name: str, ask: PaperSearchRequest, found: PaperHits
    ) -> PaperProviderReply:
        papers = await self._copies.add_open_copies(found.papers)
        sieve = PaperFilter(ask, found.applied)
        kept = tuple(paper for paper in papers if sieve.should_keep(paper))
        later = ask.sort == "date" and "sort" not in found.applied
        return PaperProviderReply(
            provider=name,
            papers=tuple(sort_newest_first(kept)) if later else kept,
            total=found.total,
            reports=sieve.build_filter_reports(
                name=name, title=self._catalogue.find_spec(name).title
            ),
            dropped=len(papers) - len(kept),
        )

    def _is_thin(self, harvest: PaperHarvest, ask: PaperSearchRequest) -> bool:
        found = len(harvest.list_papers())
        return found <= self._thin and found < ask.count
