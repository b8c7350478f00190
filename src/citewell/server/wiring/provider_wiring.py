"""Connects providers to the network, and tells for how long one is not asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from citewell import providers
from citewell.config import Settings
from citewell.errors import Misconfigured, RateLimited, RefusedByPolicy
from citewell.net.network import Network
from citewell.net.upstream.circuit_breaker import BreakerState
from citewell.ports import LIBRARY_PROVIDER, ProviderKit, ProviderSpec
from citewell.store.cache_store import CacheStore
from citewell.tooling import RequireService
from citewell.workers.worker_tasks import TaskRunner

if TYPE_CHECKING:
    from citewell.services.library.library_search import OwnerLibraryIndex
    from citewell.services.routing.provider_pauses import ProviderPause


class ProviderConnector:
    def __init__(
        self,
        *,
        settings: Settings,
        network: Network,
        store: CacheStore,
        workers: TaskRunner,
        require_service: RequireService,
    ) -> None:
        self._settings = settings
        self._network = network
        self._store = store
        self._workers = workers
        self._require_service = require_service

    def connect_spec(self, spec: ProviderSpec, options: Mapping[str, str]) -> object:
        """Build a provider with its upstream connection, options and memory."""
        self._trust_configured_addresses(spec, options)
        upstream = self._network.open_upstream(
            spec.name,
            base_url=spec.base_url or f"https://{spec.name}.invalid",  # sends no requests
            per_second=spec.choose_pace(options),
            burst=spec.burst,
            timeout=self._settings.search_timeout,
        )
        upstream.is_provider = True
        own = self._require_library() if spec.name == LIBRARY_PROVIDER else None
        memory = self._store.build_provider_memory(spec.name)
        kit = ProviderKit(
            upstream=upstream,
            options=options,
            memory=memory,
            library=own,
            workers=self._workers,
        )
        return providers.load(spec.name).Provider(kit)

    def find_provider_pause(self, provider: str) -> ProviderPause | None:
        """How long a provider is not asked, and whether it asked for that; None if it may be asked now."""
        from citewell.services.routing.provider_pauses import ProviderPause

        snapshot = self._network.collect_health().get(provider)
        if snapshot is None or snapshot.state is not BreakerState.OPEN:
            return None
        limited = snapshot.last_error == RateLimited.kind
        return ProviderPause(seconds=snapshot.retry_after or 0.0, asked_by_provider=limited)

    def _require_library(self) -> OwnerLibraryIndex:
        from citewell.services.library.library_search import OwnerLibraryIndex

        return self._require_service(OwnerLibraryIndex)

    def _trust_configured_addresses(self, spec: ProviderSpec, options: Mapping[str, str]) -> None:
        for option in spec.options:
            address = options.get(option.env) if option.is_self_hosted else None
            try:
                if address:
                    self._network.guard.trust_service(address)
            except RefusedByPolicy as error:
                message = f"{option.env} holds an address that cannot be used: {error.message}"
                raise Misconfigured(message, provider=spec.name) from None
