"""Sites that are read by their own API or page structure: one file a site, loaded when it is met."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from citewell.text.urls import host

if TYPE_CHECKING:
    from citewell.fetch.sites.kit import Endpoint, Route, SiteKit
    from citewell.model.page import Page

NAMES = (
    "arxiv",
    "bluesky",
    "github",
    "hackernews",
    "patents",
    "reddit",
    "stackexchange",
    "twitter",
    "wikipedia",
    "youtube",
)

# A host belongs to the site of its longest domain here, label by label.
DOMAINS = {
    "arxiv.org": "arxiv",
    "askubuntu.com": "stackexchange",
    "bsky.app": "bluesky",
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


class Module(Protocol):
    """What every site's file holds."""

    ENDPOINTS: tuple[Endpoint, ...]

    def matches(self, url: str) -> Route | None: ...

    async def read(self, route: Route, kit: SiteKit) -> Page | None:
        """The page, or None for the ordinary ladder; a verdict on the page is raised."""
        ...


def load(name: str) -> Module:
    module: Module = import_module(f"{__name__}.{name}")
    return module


def find(url: str) -> tuple[str, Route] | None:
    """The site that reads this address and what it means there; None when none does."""
    name = _owner(host(url))
    route = load(name).matches(url) if name else None
    return (name, route) if name and route is not None else None


async def read(url: str, kit: SiteKit) -> Page | None:
    """The page by its site's own means; None when the ordinary ladder has to read it."""
    found = find(url)
    if found is None:
        return None
    name, route = found
    return await load(name).read(route, kit)


def _owner(name: str) -> str | None:
    labels = name.split(".")
    parents = (".".join(labels[place:]) for place in range(len(labels)))
    return next((DOMAINS[parent] for parent in parents if parent in DOMAINS), None)
