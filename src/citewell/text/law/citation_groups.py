"""Joins the citations of a text into cases: parallel citations, repetitions, and short forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from citewell.text.law.court_citations import build_citation_key
from citewell.text.law.found_citation import REFERRING_FORMS, FoundCitation
from citewell.text.law.name_matching import is_single_party_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedCase:
    """One case as a text cites it: the first full citation with its parallels, and how often it is meant."""

    main: FoundCitation
    parallels: tuple[FoundCitation, ...] = ()
    mention_count: int = 1
    is_orphan: bool = False  # only short forms of it are in the text

    @property
    def citation_key(self) -> tuple[str, str, int | None, str]:
        cited = self.main.citation
        return (
            f"{cited.kind}:{build_citation_key(cited.normalized)}",
            (cited.case_name or "").casefold() if self.main.has_full_name else "",
            cited.year,
            (cited.court or "").casefold(),
        )


def group_citations(found: Iterable[FoundCitation]) -> tuple[CitedCase, ...]:
    """The cases in the order of their first citation; a short form counts for its full citation.

    The same citation with another name, year or court is a case of its own, because it may be wrong.
    """
    cases: list[CitedCase] = []
    places: dict[tuple[str, str, int | None, str], int] = {}
    volumes: dict[str, int] = {}  # "410 U.S." to the last case cited there
    last: int | None = None
    for one in found:
        if one.form in REFERRING_FORMS:
            target = _find_meant_case(one, cases, volumes, last)
            if target is None and one.form == "short":
                target = len(cases)
                cases.append(CitedCase(main=one, mention_count=0, is_orphan=True))
                volumes.setdefault(_build_volume_key(one), target)
            if target is not None:
                cases[target] = _count_mention(cases[target])
                last = target
        elif one.is_parallel and last is not None:
            _add_parallel(cases, last, one)
            volumes[_build_volume_key(one)] = last
        else:
            last = _add_case(cases, places, one)
            volumes[_build_volume_key(one)] = last
    return tuple(cases)


def _add_case(
    cases: list[CitedCase], places: dict[tuple[str, str, int | None, str], int], one: FoundCitation
) -> int:
    made = CitedCase(main=one)
    key = made.citation_key
    known = places.get(key)
    if known is None:
        known = next((at for other, at in places.items() if _repeats_citation(key, other)), None)
    if known is not None:
        cases[known] = _count_mention(cases[known])
        return known
    places[key] = len(cases)
    cases.append(made)
    return len(cases) - 1


def _repeats_citation(
    key: tuple[str, str, int | None, str], other: tuple[str, str, int | None, str]
) -> bool:
    """Whether a citation says nothing that an earlier one under the same numbers does not say."""
    return key[0] == other[0] and all(
        not part or part == known for part, known in zip(key[1:], other[1:], strict=True)
    )


def _add_parallel(cases: list[CitedCase], index: int, one: FoundCitation) -> None:
    case = cases[index]
    key = build_citation_key(one.citation.normalized)
    if key not in {build_citation_key(twin.citation.normalized) for twin in case.parallels}:
        cases[index] = replace(case, parallels=(*case.parallels, one))


def _find_meant_case(
    one: FoundCitation, cases: list[CitedCase], volumes: dict[str, int], last: int | None
) -> int | None:
    if one.form == "id":
        return last
    if one.form == "short" and (known := volumes.get(_build_volume_key(one))) is not None:
        return known
    if one.form == "short" or not one.antecedent:
        return None
    for index in range(len(cases) - 1, -1, -1):
        name = cases[index].main.citation.case_name
        if name and is_single_party_of(one.antecedent, name):
            return index
    return None


def _count_mention(case: CitedCase) -> CitedCase:
    return replace(case, mention_count=case.mention_count + 1)


def _build_volume_key(one: FoundCitation) -> str:
    return build_citation_key(f"{one.citation.volume or ''} {one.citation.reporter or ''} 1")
