"""Site readers: one module for each site, imported when an address of that site is met."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from citewell.reading import page_errors
from citewell.text.addresses import extract_host
from citewell.text.data_tables import load_table
from citewell.workers.worker_tasks import TaskFailure

if TYPE_CHECKING:
    from citewell.core.values.page import Page
    from citewell.reading.sites.site_kit import SiteEndpoint, SiteKit, SiteRoute

NAMES = (
    "arxiv",
    "bluesky",
    "clinicaltrials",
    "github",
    "hackernews",
    "patents",
    "reddit",
    "stackexchange",
    "twitter",
    "wikipedia",
    "worldbank",
    "youtube",
)


class SiteReader(Protocol):
    """What every site module defines."""

    ENDPOINTS: tuple[SiteEndpoint, ...]

    def find_route(self, url: str) -> SiteRoute | None: ...

    async def read_page(self, route: SiteRoute, kit: SiteKit) -> Page | None:
        """The page, or None if the ladder should fetch it; raises if it is known to be gone or closed."""
        ...


def load_site_reader(name: str) -> SiteReader:
    module: SiteReader = import_module(f"{__name__}.{name}")
    return module


def find_site_name(host: str) -> str | None:
    """The site of the host's longest matching domain; None if no site reads its pages."""
    names: dict[str, str] = load_table(__name__, "site_domains")
    labels = host.split(".")
    parents = (".".join(labels[place:]) for place in range(len(labels)))
    return next((names[parent] for parent in parents if parent in names), None)


def find_site_route(url: str) -> tuple[str, SiteRoute] | None:
    """The name of the site that reads this address, and its route there; None if there is none."""
    name = find_site_name(extract_host(url))
    route = load_site_reader(name).find_route(url) if name else None
    return (name, route) if name and route is not None else None


async def read_site_page(url: str, kit: SiteKit) -> Page | None:
    """The page from its site reader; None if the ordinary ladder should fetch it."""
    found = find_site_route(url)
    if found is None:
        return None
    name, route = found
    try:
        page = await load_site_reader(name).read_page(route, kit)
        return await kit.finish_page(page) if page is not None else None
    except TaskFailure as failure:
        raise page_errors.build_failure_error(url, failure.message) from None
