"""Joins the citations of a text into cases: parallel citations, repetitions, and short forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from citewell.core.values.court_case import LegalCitation
from citewell.domains.law.citation_forms import build_citation_key

# full: can be looked up. database: Westlaw or Lexis number. pending: page not yet assigned.
# invented_series, unknown_reporter: no reporter of that name. short, id, supra: refer to a full one.
CitationForm = Literal[
    "full", "database", "pending", "invented_series", "unknown_reporter", "short", "id", "supra"
]
REFERRING_FORMS = frozenset({"short", "id", "supra"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCitation:
    citation: LegalCitation  # offsets are those of the original text
    form: CitationForm = "full"
    has_full_name: bool = False  # the name beside it names both parties
    long_name: str = ""  # the name with words that may belong to its first party
    is_parallel: bool = False  # another citation of the case right before it
    is_certain: bool = True  # False if it may be other words that look like a citation
    antecedent: str = ""  # of a short form: the party that it names
    quote: str = ""  # the words around it


_MAX_READINGS = 20  # names and years told apart under one citation
_MAX_PARALLELS = 8  # of one case
_MIN_INDEX_CHARS = 3  # of a word by which a case is found again


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedCase:
    """One case as a text cites it: the first full citation with its parallels, and how often it is meant."""

    main: FoundCitation
    parallels: tuple[FoundCitation, ...] = ()
    mention_count: int = 1
    is_orphan: bool = False  # only short forms of it are in the text

    @property
    def citation_key(self) -> CaseKey:
        cited = self.main.citation
        return (
            f"{cited.kind}:{build_citation_key(cited.normalized)}",
            (cited.case_name or "").casefold() if self.main.has_full_name else "",
            cited.year,
            (cited.court or "").casefold(),
        )


CaseKey = tuple[str, str, int | None, str]  # citation, name, year, court


class _CaseIndex:
    """The cases so far, found by citation, by volume and by the words of their names without a search."""

    def __init__(self) -> None:
        self.cases: list[CitedCase] = []
        self.last: int | None = None
        self._by_citation: dict[str, list[tuple[CaseKey, int]]] = {}
        self._by_volume: dict[str, int] = {}  # "410 U.S." to the last case cited there
        self._by_word: dict[str, int] = {}

    def add_full(self, citation: FoundCitation) -> None:
        made = CitedCase(main=citation)
        key = made.citation_key
        known = self._by_citation.setdefault(key[0], [])
        index = next((at for other, at in known if _repeats_citation(key, other)), None)
        if index is None:
            index = self._append_case(made)
            if len(known) < _MAX_READINGS:
                known.append((key, index))
        else:
            self.count_mention(index)
        self._by_volume[_build_volume_key(citation)] = index
        self.last = index

    def add_parallel(self, citation: FoundCitation, index: int) -> None:
        case = self.cases[index]
        key = build_citation_key(citation.citation.normalized)
        known = {build_citation_key(twin.citation.normalized) for twin in case.parallels}
        if key not in known and len(known) < _MAX_PARALLELS:
            self.cases[index] = replace(case, parallels=(*case.parallels, citation))
        self._by_volume[_build_volume_key(citation)] = index

    def add_referring(self, citation: FoundCitation) -> None:
        """Count a short form for the case it means; a short form of an unknown case is an orphan."""
        index = self._find_meant_case(citation)
        if index is None and citation.form == "short":
            index = self._append_case(CitedCase(main=citation, mention_count=0, is_orphan=True))
            self._by_volume.setdefault(_build_volume_key(citation), index)
        if index is not None:
            self.count_mention(index)
            self.last = index

    def count_mention(self, index: int) -> None:
        case = self.cases[index]
        self.cases[index] = replace(case, mention_count=case.mention_count + 1)

    def _append_case(self, made: CitedCase) -> int:
        self.cases.append(made)
        index = len(self.cases) - 1
        for word in _list_index_words(made.main.citation.case_name or ""):
            self._by_word[word] = index
        return index

    def _find_meant_case(self, citation: FoundCitation) -> int | None:
        if citation.form == "id":
            return self.last
        if citation.form == "short":
            return self._by_volume.get(_build_volume_key(citation))
        words = _list_index_words(citation.antecedent)
        return next((self._by_word[word] for word in words if word in self._by_word), None)


def group_citations(found: Iterable[FoundCitation]) -> tuple[CitedCase, ...]:
    """The cases in the order of their first citation; a short form counts for its full citation.

    The same citation with another name, year or court is a case of its own, because it may be wrong.
    """
    index = _CaseIndex()
    for citation in found:
        if citation.form in REFERRING_FORMS:
            index.add_referring(citation)
        elif citation.is_parallel and index.last is not None:
            index.add_parallel(citation, index.last)
        else:
            index.add_full(citation)
    return tuple(index.cases)


def _repeats_citation(key: CaseKey, other: CaseKey) -> bool:
    """Whether a citation says nothing that an earlier one under the same numbers does not say."""
    return all(not part or part == known for part, known in zip(key[1:], other[1:], strict=True))


def _list_index_words(name: str) -> list[str]:
    words = (word.strip(".,'()").casefold() for word in name.split())
    return [word for word in words if len(word) >= _MIN_INDEX_CHARS]


def _build_volume_key(citation: FoundCitation) -> str:
    return build_citation_key(
        f"{citation.citation.volume or ''} {citation.citation.reporter or ''} 1"
    )
