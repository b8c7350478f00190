"""Judges whether it means anything that no registry has a work: who answered, and what is claimed.

Nobody is accused for a registry's silence: absence is told only of a citation that clearly claims to be
an article in a journal, at a conference or in a preprint archive, after enough registries that cover its
field answered and offered other works.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.services.routing.provider_panel import FAILED
from citewell.services.scholar.reference_matching import GENERAL_INDEXES, ReferenceMatches
from citewell.services.trust.work_identity import CitedWork
from citewell.text.citations import cited_kinds, title_matching
from citewell.text.citations.cited_kinds import CitedForm

MIN_DECIDING_REGISTRIES = 3  # registries that cover the field and must answer
_MIN_GENERAL_REGISTRIES = 2  # of those, registries of every field
_MIN_TITLE_WORDS = 4  # significant words that a title must have to be looked for
_MIN_PLACED_WORDS = 3  # or these, if the citation has volume and pages
_MEDICAL_REGISTRIES = frozenset({"europepmc", "pubmed"})
_PREPRINT_REGISTRIES = frozenset({"arxiv", "datacite"})
_QUOTED_TITLE_PATTERN = re.compile(r"[“\"‘«„'][^“”\"«»„]{15,600}?[”\"’»“'][,.]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsenceVerdict:
    """Whether absence is conclusive, and if not, why."""

    is_conclusive: bool
    uncovered_kind: str = ""  # what the work is, if registries need not have it: "a book"
    says_too_little: bool = False
    answered: tuple[str, ...] = ()  # registries that were searched by words
    failed: tuple[str, ...] = ()


def judge_absence(
    cited: CitedWork, matches: ReferenceMatches, *, has_address: bool = False
) -> AbsenceVerdict:
    answered = tuple(dict.fromkeys(one.provider for one in matches.asked if one.outcome != FAILED))
    silent = (one.provider for one in matches.asked if one.outcome == FAILED)
    failed = tuple(dict.fromkeys(name for name in silent if name not in answered))
    too_little = _says_too_little(cited)
    kind = find_claimed_gap(cited)
    enough = _has_enough_answers(cited, answered) and bool(matches.papers)
    return AbsenceVerdict(
        is_conclusive=enough and not (too_little or kind or has_address),
        uncovered_kind=kind,
        says_too_little=too_little,
        answered=answered,
        failed=failed,
    )


def find_claimed_gap(cited: CitedWork) -> str:
    """The kind of work that the citation claims, if registries often lack such works; else empty."""
    outside = cited.text.replace(cited.title, " ", 1) if cited.title else cited.text
    return cited_kinds.find_uncovered_kind(
        CitedForm(
            title=cited.title,
            text=outside,
            kind=cited.kind,
            venue=cited.venue,
            volume=cited.volume,
            pages=cited.pages,
            publisher=cited.publisher,
            year=cited.year,
            author_count=len(cited.authors) + 3 * cited.and_others,
            is_quoted=bool(_QUOTED_TITLE_PATTERN.search(cited.text)),
        )
    )


def _says_too_little(cited: CitedWork) -> bool:
    """Whether there is no title to look for: chemists leave it out, and some entries are only a year."""
    if not cited.title:
        return True
    placed = bool(cited.volume and cited.pages)
    needed = _MIN_PLACED_WORDS if placed else _MIN_TITLE_WORDS
    return len(title_matching.extract_title_words(cited.title)) < needed


def _has_enough_answers(cited: CitedWork, answered: tuple[str, ...]) -> bool:
    words = f"{cited.title} {cited.venue} {cited.text}"
    general = sum(name in GENERAL_INDEXES for name in answered)
    medical = cited_kinds.is_life_science(words) and bool(_MEDICAL_REGISTRIES & set(answered))
    exact = cited_kinds.is_exact_science(words) and bool(_PREPRINT_REGISTRIES & set(answered))
    special = medical + exact
    return general >= _MIN_GENERAL_REGISTRIES and general + special >= MIN_DECIDING_REGISTRIES
