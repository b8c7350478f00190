"""One file is one upstream; `NAMES` is the whole register and `load` imports one of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citewell.ports import Kit, Spec

NAMES = (
    "anthropic",
    "arxiv",
    "brave",
    "compatible",
    "core",
    "crossref",
    "datacite",
    "doi",
    "duckduckgo",
    "europepmc",
    "exa",
    "gemini",
    "google",
    "grok",
    "hackernews",
    "library",
    "openai",
    "openalex",
    "openrouter",
    "perplexity",
    "pubmed",
    "searchapi",
    "searxng",
    "semanticscholar",
    "serper",
    "tavily",
    "unpaywall",
    "wikipedia",
)


class Module(Protocol):
    """What every provider file holds."""

    SPEC: Spec

    def Provider(self, kit: Kit) -> object: ...  # noqa: N802 - the class each file defines


def load(name: str) -> Module:
    module: Module = import_module(f"{__name__}.{name}")
    return module
