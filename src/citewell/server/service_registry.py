"""Builds, keeps and closes the services of one server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from citewell import providers
from citewell.core import tooling as tools
from citewell.core.errors import InternalError, Misconfigured, RateLimited, RefusedByPolicy
from citewell.core.service_kit import ServiceKit
from citewell.core.values.search_queries import LIBRARY_PROVIDER
from citewell.library.settings import LibrarySettings
from citewell.net.address_guard import Guard
from citewell.net.network import Network
from citewell.net.settings import NetSettings
from citewell.net.upstream.origin_limits import BreakerState
from citewell.routing.ports import ProviderKit, ProviderPause, ProviderSpec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from citewell.core.values.page import Page
    from citewell.domains.law.citation_service import LegalCitationChecker
    from citewell.domains.record_finders import RecordFinder
    from citewell.jobs.job_engine import WorkflowFunction
    from citewell.jobs.job_service import JobService
    from citewell.library.library_access import OwnerLibraryIndex
    from citewell.reading.pages.cached_pages import CachedPageReader
    from citewell.research.judge_calls import JudgingModels
    from citewell.trust.paper_statuses import PaperStatusFinder
    from citewell.trust.retraction_checks import RetractionChecker

S = TypeVar("S")


class ServiceRegistry(ServiceKit):
    """The single instance of each service class, built on first use and closed last built first."""

    def __init__(self) -> None:
        self._services: dict[type[object], object] = {}

    def require_service(self, kind: type[S], /) -> S:
        if kind not in self._services:
            build: Callable[[ServiceKit], object] | None = getattr(kind, "build", None)
            if build is None:
                path = f"{kind.__module__}:{kind.__qualname__}"
                raise InternalError(f"The class {path} is not a service: it has no method `build`.")
            # Built before it is listed, so that the services it uses stand before it.
            self._services[kind] = build(self)
        service = self._services[kind]
        if not isinstance(service, kind):
            raise InternalError(f"{kind.__qualname__}.build made a {type(service).__name__}.")
        return service

    async def close_services(self) -> None:
        """Close the services, each before the ones it was built from or may ask for later."""
        while self._services:
            kinds = [kind for kind in self._services if not getattr(kind, "closes_last", False)]
            service = self._services.pop((kinds or list(self._services))[-1])
            if close := getattr(service, "aclose", None):
                await close()

    def require_page_reader(self) -> CachedPageReader:
        from citewell.reading.pages.cached_pages import CachedPageReader

        return self.require_service(CachedPageReader)

    def require_retraction_checker(self) -> RetractionChecker:
        from citewell.trust.retraction_checks import RetractionChecker

        return self.require_service(RetractionChecker)

    def require_status_finder(self) -> PaperStatusFinder:
        from citewell.trust.paper_statuses import PaperStatusFinder

        return self.require_service(PaperStatusFinder)

    def require_legal_checker(self) -> LegalCitationChecker:
        from citewell.domains.law.citation_service import LegalCitationChecker

        return self.require_service(LegalCitationChecker)

    def require_judging_models(self) -> JudgingModels:
        from citewell.research.judge_calls import JudgingModels

        return self.require_service(JudgingModels)

    def require_jobs(self) -> JobService:
        from citewell.research.research_service import ResearchService

        return self.require_service(ResearchService).jobs

    def collect_room_workflows(self) -> Mapping[str, WorkflowFunction]:
        if "check_draft" not in tools.list_tool_names():  # the room was removed
            return {}
        from citewell.drafts.check_jobs import DraftCheckWorkflow
        from citewell.jobs.step_values import DRAFT_CHECK_KIND

        return {DRAFT_CHECK_KIND: self.require_service(DraftCheckWorkflow)}

    def require_library(self) -> OwnerLibraryIndex:
        from citewell.library.library_access import OwnerLibraryIndex

        return self.require_service(OwnerLibraryIndex)

    def build_page_keeper(self) -> Callable[[Page], Awaitable[None]] | None:
        if not self.settings[LibrarySettings].library_keep_pages:
            return None
        from citewell.library.library_access import ReadPageKeeper

        return ReadPageKeeper(self.open_state().library)

    def build_record_finders(self) -> tuple[RecordFinder, ...]:
        from citewell.domains.record_finders import build_record_finders

        return build_record_finders(self.require_service)


# Connects providers to the network, and tells for how long one is not asked.


def connect_provider(kit: ServiceKit, spec: ProviderSpec, options: Mapping[str, str]) -> object:
    """Build a provider with its upstream connection, options and memory."""
    _trust_configured_addresses(kit.network.guard, spec, options)
    upstream = kit.network.open_upstream(
        spec.name,
        base_url=spec.base_url or f"https://{spec.name}.invalid",  # sends no requests
        secret_headers=spec.build_key_headers(options),
        per_second=spec.choose_pace(options),
        burst=spec.burst,
        timeout=kit.settings[NetSettings].search_timeout,
    )
    upstream.is_provider = True
    parts = ProviderKit(
        upstream=upstream,
        options=options,
        memory=kit.store.build_provider_memory(spec.name),
        library=kit.require_library() if spec.name == LIBRARY_PROVIDER else None,
        workers=kit.workers,
    )
    return providers.load(spec.name).Provider(parts)


def find_provider_pause(network: Network, provider: str) -> ProviderPause | None:
    """How long a provider is not asked, and whether it asked for that; None if it may be asked now."""
    snapshot = network.collect_health().get(provider)
    if snapshot is None or snapshot.state is not BreakerState.OPEN:
        return None
    limited = snapshot.last_error == RateLimited.kind
    return ProviderPause(seconds=snapshot.retry_after or 0.0, asked_by_provider=limited)


def _trust_configured_addresses(
    guard: Guard, spec: ProviderSpec, options: Mapping[str, str]
) -> None:
    for option in spec.options:
        address = options.get(option.env) if option.is_self_hosted else None
        try:
            if address:
                guard.trust_service(address)
        except RefusedByPolicy as error:
            message = f"{option.env} holds an address that cannot be used: {error.message}"
            raise Misconfigured(message, provider=spec.name) from None
