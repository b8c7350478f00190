"""What a service is built from: `build(kit)` of its class takes its parts from here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from citewell.core.config import Settings
    from citewell.core.tooling import Owner
    from citewell.core.values.page import Page
    from citewell.domains.law.citation_service import LegalCitationChecker
    from citewell.domains.record_finders import RecordFinder
    from citewell.jobs.job_engine import WorkflowFunction
    from citewell.jobs.job_service import JobService
    from citewell.library.library_access import OwnerLibraryIndex
    from citewell.net.network import Network
    from citewell.reading.pages.cached_pages import CachedPageReader
    from citewell.research.judge_calls import JudgingModels
    from citewell.routing.ports import FindPause
    from citewell.routing.provider_catalogue import ProviderCatalogue
    from citewell.search.lenses import LensCatalogue
    from citewell.server.state.state_store import StateStore
    from citewell.store.cache.answer_sharing import AnswerSharing
    from citewell.store.cache_store import CacheStore
    from citewell.trust.paper_statuses import PaperStatusFinder
    from citewell.trust.retraction_checks import RetractionChecker
    from citewell.workers.worker_tasks import TaskRunner

S = TypeVar("S")


class ServiceKit(ABC):
    """The parts that all services of one server share, and access to the other services."""

    settings: Settings
    network: Network
    store: CacheStore
    workers: TaskRunner  # parse whatever comes from outside
    catalogue: ProviderCatalogue
    lenses: LensCatalogue
    sharing: AnswerSharing
    find_pause: FindPause  # how long a provider is not asked; None if it may be asked now
    local_owner: Owner  # of calls that come without a verified caller

    @abstractmethod
    def open_state(self) -> StateStore:
        """The durable state (sessions, jobs, library, keys), opened on first use."""

    @abstractmethod
    def require_service(self, kind: type[S], /) -> S:
        """The server's only instance of `kind`; raises InternalError if the class has no `build`."""

    # What a package needs of one that imports it, and so cannot import itself.

    @abstractmethod
    def require_page_reader(self) -> CachedPageReader:
        """For the search of the web."""

    @abstractmethod
    def require_retraction_checker(self) -> RetractionChecker:
        """For reading pages and papers."""

    @abstractmethod
    def require_status_finder(self) -> PaperStatusFinder:
        """For the search of papers."""

    @abstractmethod
    def require_legal_checker(self) -> LegalCitationChecker:
        """For the checks of citations."""

    @abstractmethod
    def require_judging_models(self) -> JudgingModels:
        """For the judgement of claims."""

    @abstractmethod
    def require_jobs(self) -> JobService:
        """For single paid calls: the engine that runs research jobs."""

    @abstractmethod
    def collect_room_workflows(self) -> Mapping[str, WorkflowFunction]:
        """For the engine that runs jobs: by kind, the workflows of rooms above research."""

    @abstractmethod
    def require_library(self) -> OwnerLibraryIndex:
        """For reading pages: a document of the library is one, too."""

    @abstractmethod
    def build_page_keeper(self) -> Callable[[Page], Awaitable[None]] | None:
        """For reading pages: keeps each in its reader's library; None if that is switched off."""

    @abstractmethod
    def build_record_finders(self) -> tuple[RecordFinder, ...]:
        """For research: a finder for the registries of each domain."""
