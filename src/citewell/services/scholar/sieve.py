"""Constraints on papers that a provider did not apply itself, and the account of who did what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

from citewell.model.paper import Paper, Scheme
from citewell.model.source import FilterReport
from citewell.services.scholar.ask import Ask
from citewell.services.web.filters import AFTERWARDS

# What a source's papers are known by: the beginnings of their DOIs, and words of venue or publisher.
_PREFIXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "arxiv": ("10.48550/",),
        "ieee": ("10.1109/",),
        "nature": ("10.1038/",),
        "springer": ("10.1007/", "10.1186/", "10.1140/", "10.1208/", "10.1245/"),
    }
)
_IDS: Mapping[str, tuple[Scheme, ...]] = MappingProxyType(
    {"arxiv": (Scheme.ARXIV,), "pubmed": (Scheme.PMID, Scheme.PMCID)}
)
SITES: Mapping[str, str] = MappingProxyType(
    {
        "arxiv": "arxiv.org",
        "pubmed": "pubmed.ncbi.nlm.nih.gov",
        "ieee": "ieeexplore.ieee.org",
        "nature": "nature.com",
        "springer": "link.springer.com",
    }
)


class Sieve:
    """Keeps the papers that satisfy what the provider left to us; `undated` counts the doubtful."""

    def __init__(self, ask: Ask, applied: Collection[str]) -> None:
        self._ask = ask
        self._later = [name for name in ask.constraints() if _group(name) not in applied]
        self.undated = 0

    def keeps(self, paper: Paper) -> bool:
        tests: Mapping[str, Callable[[Paper], bool]] = {
            "pdf_only": lambda one: one.pdf_url is not None,
            "full_text": has_text,
            "open_access": lambda one: one.open_access is True,
            "source": lambda one: from_source(one, self._ask.source),
            "year_from": self._since,
            "year_to": self._until,
        }
        return all(tests[name](paper) for name in self._later)

    def reports(self, *, name: str, title: str) -> tuple[FilterReport, ...]:
        """One line for each constraint: who applied it to this provider's results, and how."""
        return tuple(
            FilterReport(filter=one, by=AFTERWARDS, note=self._note(one, title))
            if one in self._later
            else FilterReport(filter=one, by=name)
            for one in self._ask.constraints()
        )

    def _since(self, paper: Paper) -> bool:
        first = self._ask.year_from or 0
        return self._year(paper, first) >= first

    def _until(self, paper: Paper) -> bool:
        last = self._ask.year_to or 0
        return self._year(paper, last) <= last

    def _year(self, paper: Paper, otherwise: int) -> int:
        if paper.year is None:
            self.undated += 1
            return otherwise
        return paper.year

    def _note(self, name: str, title: str) -> str:
        kept = f"; {self.undated} without a year were kept" if self.undated else ""
        how = f"by year{kept}" if name.startswith("year") else "by what is known of them"
        return f"Results of {title} were checked {how}."


def _group(name: str) -> str:
    """The provider's word for a constraint."""
    return "year" if name.startswith("year") else name


def has_text(paper: Paper) -> bool:
    """Whether somebody knows a place where the whole text can be read freely."""
    held = Scheme.PMCID in paper.ids or Scheme.ARXIV in paper.ids
    return held or paper.pdf_url is not None or bool(paper.copies)


def from_source(paper: Paper, source: str) -> bool:
    if source in ("all", paper.source):
        return True
    if any(scheme in paper.ids for scheme in _IDS.get(source, ())):
        return True
    if (paper.doi or "").startswith(_PREFIXES.get(source, ("\0",))):
        return True
    words = f"{paper.venue or ''} {paper.publisher or ''} {paper.url}".casefold()
    return source in words if source != "nature" else "nature.com" in words


def newest(papers: Iterable[Paper]) -> list[Paper]:
    """The latest first; what has no date comes last, in the order it came."""
    return sorted(papers, key=lambda paper: paper.published or str(paper.year or ""), reverse=True)
