"""What the builders of services build from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.config import Settings
from citewell.net.network import Network
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.web.lenses import LensCatalogue
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache_store import CacheStore
from citewell.store.state_store import StateStore
from citewell.tooling import Owner, RequireService
from citewell.workers.worker_tasks import TaskRunner

if TYPE_CHECKING:
    from citewell.services.routing.provider_pauses import FindPause


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceKit:
    """The parts that all services of one server share, and access to the other services."""

    settings: Settings
    network: Network
    store: CacheStore
    workers: TaskRunner  # parse whatever comes from outside
    catalogue: ProviderCatalogue
    lenses: LensCatalogue
    sharing: AnswerSharing
    find_pause: FindPause  # how long a provider is not asked; None if it may be asked now
    open_state: Callable[[], StateStore]  # opened on first use
    require_service: RequireService
    local_owner: Owner  # of calls that come without a verified caller


# Builders by the import path of the class they build ("package.module:Class"): a path, because the
# class itself would have to be imported to be listed, with everything that its module imports.
ServiceBuilders = Mapping[str, Callable[[ServiceKit], object]]
