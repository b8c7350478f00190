"""Site readers: one module for each site, imported when an address of that site is met."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from citewell.reading import page_errors
from citewell.text.addresses import extract_host
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

# A host belongs to the site of its longest matching domain.
SITES_BY_DOMAIN = {
    "arxiv.org": "arxiv",
    "askubuntu.com": "stackexchange",
    "bsky.app": "bluesky",
    "clinicaltrials.gov": "clinicaltrials",
    "data.worldbank.org": "worldbank",
    "github.com": "github",
    "mathoverflow.net": "stackexchange",
    "news.ycombinator.com": "hackernews",
    "patents.google.com": "patents",
    "redd.it": "reddit",
    "reddit.com": "reddit",
    "serverfault.com": "stackexchange",
    "stackapps.com": "stackexchange",
    "stackexchange.com": "stackexchange",
    "stackoverflow.com": "stackexchange",
    "superuser.com": "stackexchange",
    "twitter.com": "twitter",
    "wikipedia.org": "wikipedia",
    "x.com": "twitter",
    "youtu.be": "youtube",
    "youtube-nocookie.com": "youtube",
    "youtube.com": "youtube",
}


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


def find_site_route(url: str) -> tuple[str, SiteRoute] | None:
    """The name of the site that reads this address, and its route there; None if there is none."""
    labels = extract_host(url).split(".")
    parents = (".".join(labels[place:]) for place in range(len(labels)))
    name = next((SITES_BY_DOMAIN[parent] for parent in parents if parent in SITES_BY_DOMAIN), None)
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
