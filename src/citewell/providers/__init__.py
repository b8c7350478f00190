"""One file or package per upstream. `NAMES` lists them all; `load` imports one by its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citewell.routing.ports import ProviderKit, ProviderSpec

API = ("doi",)  # a type that scholar names
NAMES = (
    "anthropic",
    "arxiv",
    "brandfetch",
    "brave",
    "clinicaltrials",
    "commons",
    "compatible",
    "core",
    "courtlistener",
    "crossref",
    "datacite",
    "doi",
    "duckduckgo",
    "ecb",
    "ecfr",
    "edgar",
    "epo",
    "eurlex",
    "europepmc",
    "eurostat",
    "exa",
    "federalregister",
    "findcaselaw",
    "fred",
    "gdelt",
    "gemini",
    "google",
    "googlenews",
    "googlepatents",
    "grok",
    "hackernews",
    "imf",
    "lens",
    "library",
    "newsfeeds",
    "nominatim",
    "oecd",
    "openai",
    "openalex",
    "openlibrary",
    "openrouter",
    "openverse",
    "overpass",
    "perplexity",
    "photon",
    "pubmed",
    "rfceditor",
    "searchapi",
    "searxng",
    "semanticscholar",
    "serper",
    "tavily",
    "unpaywall",
    "uspto",
    "wikipedia",
    "worldbank",
)


class ProviderModule(Protocol):
    """What every provider module defines."""

    SPEC: ProviderSpec

    def Provider(self, kit: ProviderKit) -> object: ...  # noqa: N802 - the class each file defines


def load(name: str) -> ProviderModule:
    module: ProviderModule = import_module(f"{__name__}.{name}")
    return module
