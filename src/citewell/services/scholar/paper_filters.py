"""Applies the filters that a provider did not apply itself, and reports who applied which."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

from citewell.model.paper import IdentifierScheme, Paper
from citewell.model.search_results import FilterReport
from citewell.services.scholar.paper_request import PaperSearchRequest
from citewell.services.web.result_filters import APPLIED_AFTERWARDS

# How the papers of a source are recognized: by DOI prefix or by a scheme of identifiers.
_SOURCE_DOI_PREFIXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "arxiv": ("10.48550/",),
        "ieee": ("10.1109/",),
        "nature": ("10.1038/",),
        "springer": ("10.1007/", "10.1186/", "10.1140/", "10.1208/", "10.1245/"),
    }
)
_SOURCE_SCHEMES: Mapping[str, tuple[IdentifierScheme, ...]] = MappingProxyType(
    {"arxiv": (IdentifierScheme.ARXIV,), "pubmed": (IdentifierScheme.PMID, IdentifierScheme.PMCID)}
)
SOURCE_SITES: Mapping[str, str] = MappingProxyType(
    {
        "arxiv": "arxiv.org",
        "pubmed": "pubmed.ncbi.nlm.nih.gov",
        "ieee": "ieeexplore.ieee.org",
        "nature": "nature.com",
        "springer": "link.springer.com",
    }
)


class PaperFilter:
    """Filters papers by what the provider left to us; `undated` counts those kept without a year."""

    def __init__(self, ask: PaperSearchRequest, applied: Collection[str]) -> None:
        self._ask = ask
        self._unapplied = [
            name for name in ask.list_constraints() if _name_provider_filter(name) not in applied
        ]
        self.undated = 0

    def should_keep(self, paper: Paper) -> bool:
        tests: Mapping[str, Callable[[Paper], bool]] = {
            "pdf_only": lambda one: one.pdf_url is not None,
            "full_text": has_free_text,
            "open_access": lambda one: one.open_access is True,
            "source": lambda one: is_from_source(one, self._ask.source),
            "year_from": self._is_after_first_year,
            "year_to": self._is_before_last_year,
        }
        return all(tests[name](paper) for name in self._unapplied)

    def build_filter_reports(self, *, name: str, title: str) -> tuple[FilterReport, ...]:
        """One report for each filter: who applied it to this provider's results, and how."""
        return tuple(
            FilterReport(
                filter=one, by=APPLIED_AFTERWARDS, note=self._describe_filtering(one, title)
            )
            if one in self._unapplied
            else FilterReport(filter=one, by=name)
            for one in self._ask.list_constraints()
        )

    def _is_after_first_year(self, paper: Paper) -> bool:
        first = self._ask.year_from or 0
        return self._choose_year(paper, first) >= first

    def _is_before_last_year(self, paper: Paper) -> bool:
        last = self._ask.year_to or 0
        return self._choose_year(paper, last) <= last

    def _choose_year(self, paper: Paper, otherwise: int) -> int:
        if paper.year is None:
            self.undated += 1
            return otherwise
        return paper.year

    def _describe_filtering(self, name: str, title: str) -> str:
        kept = f"; {self.undated} without a year were kept" if self.undated else ""
        how = f"by year{kept}" if name.startswith("year") else "by their metadata"
        return f"Results of {title} were checked {how}."


def _name_provider_filter(name: str) -> str:
    """The name under which providers report a filter."""
    return "year" if name.startswith("year") else name


def has_free_text(paper: Paper) -> bool:
    """Whether the record names a place where the full text is free."""
    held = IdentifierScheme.PMCID in paper.ids or IdentifierScheme.ARXIV in paper.ids
    return held or paper.pdf_url is not None or bool(paper.copies)


def is_from_source(paper: Paper, source: str) -> bool:
    if source in ("all", paper.source):
        return True
    if any(scheme in paper.ids for scheme in _SOURCE_SCHEMES.get(source, ())):
        return True
    if (paper.doi or "").startswith(_SOURCE_DOI_PREFIXES.get(source, ("\0",))):
        return True
    words = f"{paper.venue or ''} {paper.publisher or ''} {paper.url}".casefold()
    return source in words if source != "nature" else "nature.com" in words


def sort_newest_first(papers: Iterable[Paper]) -> list[Paper]:
    """The latest first; papers without a date come last, in their former order."""
    return sorted(papers, key=lambda paper: paper.published or str(paper.year or ""), reverse=True)
