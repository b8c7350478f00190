"""Judges what registries answer about a reference: which record it means, and what it means if there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from citewell.citations import author_matching, cited_kinds, title_matching
from citewell.citations.cited_kinds import CitedForm
from citewell.core.values.paper import Paper
from citewell.routing.provider_panel import FAILED
from citewell.scholar.reference_matching import GENERAL_INDEXES, ReferenceMatches
from citewell.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    WorkIdentity,
    compare_guessed_title,
    compare_with_record,
    list_foreign_words,
)

MIN_DECIDING_REGISTRIES = 3  # registries that cover the field and must answer
_MIN_GENERAL_REGISTRIES = 2  # of those, registries of every field
_MIN_TITLE_WORDS = 4  # significant words that a title must have to be looked for
_MIN_PLACED_WORDS = 3  # or these, if the citation has volume and pages
_MEDICAL_REGISTRIES = frozenset({"europepmc", "pubmed"})
_PREPRINT_REGISTRIES = frozenset({"arxiv", "datacite"})
_QUOTED_TITLE_PATTERN = re.compile(r"[“\"‘«„'][^“”\"«»„]{15,600}?[”\"’»“'][,.]?")

HIGH, MEDIUM, LOW, NONE = "high", "medium", "low", "none"
MIN_TELLING_WORDS = 4  # significant words; a shorter title alone does not identify a work
_MIN_SHORT_WORDS = 3  # words of any kind; such a title identifies a work together with its place
_SAME_TITLE_NEARNESS = 0.8  # from which two titles are the same but for slips
_MEDIUM_NEARNESS = 0.5
_MIN_PLACED_NEARNESS = 0.25  # of the titles of two works at the same volume and page
_MIN_SHARED_AUTHORS = 0.5  # of the cited authors, for another title to be a variant
# Of 600 references, 12 then have a neighbour among 3,767 titles (29 from 0.55 on), and 565 of 598
# titles with a quarter of their words changed are still found (582).
_MIN_SHOWN_NEARNESS = 0.65
_MAX_NEAREST = 3  # records shown
_FIRST_NUMBER_PATTERN = re.compile(r"\d+")
_SHORTENED_NEARNESS = 0.7  # of a cited title whose words are all in a longer one
_MIN_SHORTENED_SHARE = 0.4  # of the longer title's words


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCandidate:
    """One record, its comparison with the citation, and how sure it is that it is the work meant."""

    paper: Paper
    identity: WorkIdentity
    nearness: float  # of the titles, judged both ways
    confidence: str
    shares_place: bool | None  # volume and page agree; None if that cannot be compared
    shares_venue: bool
    shares_first_author: bool  # and at least half of the cited authors

    @property
    def is_near_miss(self) -> bool:
        """Whether it is probably the work meant, though author or title contradict the citation."""
        wrong = FieldAgreement.MISMATCH
        author, year = self.identity.author.state, self.identity.year.state
        if self.nearness == 1:
            return self._has_telling_title and not (author is wrong and year is wrong)
        if self.nearness >= _SAME_TITLE_NEARNESS:
            # Works on one subject have similar titles, so something else must agree.
            known = year is FieldAgreement.MATCH or self.shares_venue
            return bool(self.shares_place) or (self.shares_first_author and known)
        if author is not FieldAgreement.MATCH or year is not FieldAgreement.MATCH:
            return False
        if self.shares_place:
            return self.nearness >= _MIN_PLACED_NEARNESS
        if self.shares_place is False or not self.shares_first_author:
            return False
        return self.nearness >= _MEDIUM_NEARNESS and self.identity.title.state is wrong

    @property
    def _has_telling_title(self) -> bool:
        """Whether the title is long enough to identify a work, or somewhat shorter with its place."""
        words = count_title_words(self.paper.title)
        if words >= MIN_TELLING_WORDS:
            return True
        dated = self.identity.year.state is FieldAgreement.MATCH
        placed = self.shares_place or (self.shares_venue and self.shares_place is None)
        return dated and bool(placed) and len(self.paper.title.split()) >= _MIN_SHORT_WORDS


def rank_record_candidates(
    cited: CitedWork, papers: Iterable[Paper]
) -> tuple[RankedCandidate, ...]:
    """The records that share a title word with the citation, the likeliest first."""
    ranked = []
    for paper in papers:
        nearness = measure_title_nearness(cited, paper)
        if not nearness and cited.title:
            continue
        identity = compare_with_record(cited, paper)
        if _is_found_by_place(cited, paper, identity):
            ranked.append(_build_placed_candidate(paper, identity))
        elif nearness > 0:
            if nearness < _SAME_TITLE_NEARNESS:
                identity = replace(identity, title=compare_guessed_title(cited, paper))
            confidence = _judge_match_confidence(cited, paper, identity, nearness)
            ranked.append(
                RankedCandidate(
                    paper=paper,
                    identity=identity,
                    nearness=nearness,
                    confidence=confidence,
                    shares_place=compare_cited_places(cited, paper),
                    shares_venue=_names_same_venue(cited, paper),
                    shares_first_author=_has_same_authors(cited, paper),
                )
            )
    return tuple(sorted(ranked, key=_rank_candidate))


def _is_found_by_place(cited: CitedWork, paper: Paper, identity: WorkIdentity) -> bool:
    """Whether a citation without a title has the record's volume, first page, first author and year."""
    agreed = FieldAgreement.MATCH
    if cited.title or not cited.text or identity.year.state is not agreed:
        return False
    if identity.author.state is not agreed and not _has_same_authors(cited, paper):
        return False
    numbers = set(_FIRST_NUMBER_PATTERN.findall(cited.text))
    theirs = [_FIRST_NUMBER_PATTERN.search(part or "") for part in (paper.volume, paper.pages)]
    return _names_same_venue(cited, paper) and all(
        their and their[0] in numbers for their in theirs
    )


def _build_placed_candidate(paper: Paper, identity: WorkIdentity) -> RankedCandidate:
    title = FieldVerdict(state=FieldAgreement.NOT_CHECKED, reason="the citation gives no title")
    return RankedCandidate(
        paper=paper,
        identity=replace(identity, title=title),
        nearness=1.0,
        confidence=HIGH,
        shares_place=True,
        shares_venue=True,
        shares_first_author=True,
    )


def choose_nearest_candidates(candidates: Iterable[RankedCandidate]) -> tuple[Paper, ...]:
    """The few records to show where none is the work meant."""
    near = [candidate for candidate in candidates if candidate.nearness >= _MIN_SHOWN_NEARNESS]
    near.sort(key=lambda item: -item.nearness)
    return tuple(candidate.paper for candidate in near[:_MAX_NEAREST])


def measure_title_nearness(cited: CitedWork, paper: Paper) -> float:
    """How near the titles are, 0 to 1: a record's short title is not near to every text that has its words."""
    if cited.text and title_matching.has_title_within(cited.text, paper.title):
        return 1.0
    if not cited.title:
        return _measure_loose_nearness(cited.text, cited.text, paper)
    near = title_matching.measure_title_agreement(cited.title, paper.title)
    if cited.structured or not cited.text:
        held = title_matching.measure_title_coverage(paper.title, cited.title)
        whole = title_matching.measure_title_coverage(cited.title, paper.title) == 1
        shortened_nearness = (
            max(held, _SHORTENED_NEARNESS) if whole and held >= _MIN_SHORTENED_SHARE else 0.0
        )
        return max(near, shortened_nearness)
    # A guessed title may have names or the venue in it, or lack its end.
    return max(near, _measure_loose_nearness(cited.text, cited.title, paper))


def _measure_loose_nearness(text: str, claimed: str, paper: Paper) -> float:
    """The share of the record's title in the text, or of the claimed words in the record if that is lower."""
    words = [
        word for word in title_matching.extract_title_words(claimed) if not word.isdigit()
    ] or [""]
    foreign = len(list_foreign_words(claimed, paper))
    return min(title_matching.measure_title_coverage(paper.title, text), 1 - foreign / len(words))


def _rank_candidate(candidate: RankedCandidate) -> tuple[int, int, float]:
    """Sort key: confidence, then matching minus contradicting fields, then the titles."""
    states = [part.state for part in candidate.identity.parts]
    balance = states.count(FieldAgreement.MATCH) - states.count(FieldAgreement.MISMATCH)
    return (HIGH, MEDIUM, LOW).index(candidate.confidence), -balance, -candidate.nearness


def _judge_match_confidence(
    cited: CitedWork, paper: Paper, identity: WorkIdentity, nearness: float
) -> str:
    author, year = identity.author.state, identity.year.state
    agreed = FieldAgreement.MATCH
    telling = count_title_words(paper.title) >= MIN_TELLING_WORDS
    if nearness < _MEDIUM_NEARNESS or (not telling and author is not agreed and year is not agreed):
        return LOW
    opposed = author is FieldAgreement.MISMATCH
    unsure = identity.title.state is not agreed
    if nearness < _SAME_TITLE_NEARNESS or opposed or unsure:
        return MEDIUM
    if author is not agreed and not (telling or _names_same_venue(cited, paper)):
        return MEDIUM
    if nearness < 1 and not (author is agreed and year is agreed):
        # Works on one subject have similar titles.
        return MEDIUM
    vouched = agreed in {author, year}
    uncompared = {author, year} == {FieldAgreement.NOT_CHECKED}
    return HIGH if vouched or cited.is_identifier_only or uncompared else MEDIUM


def compare_cited_places(cited: CitedWork, paper: Paper) -> bool | None:
    """Whether volume and first page agree; None if either side lacks them."""
    theirs = [_FIRST_NUMBER_PATTERN.search(part or "") for part in (paper.volume, paper.pages)]
    ours = [_FIRST_NUMBER_PATTERN.search(part) for part in (cited.volume, cited.pages)]
    if not all(theirs) or not any(ours):
        return None
    numbers = set(_FIRST_NUMBER_PATTERN.findall(f"{cited.text} {cited.volume} {cited.pages}"))
    shared = [number is not None and number[0] in numbers for number in theirs]
    return True if all(shared) else None if any(shared) else False


def _names_same_venue(cited: CitedWork, paper: Paper) -> bool:
    text = f"{cited.text} {cited.venue}"
    return title_matching.measure_title_coverage(paper.venue or "", text) == 1


def count_title_words(title: str) -> int:
    """The number of distinctive words."""
    return len(title_matching.extract_title_words(title_matching.strip_translation_marks(title)))


def _has_same_authors(cited: CitedWork, paper: Paper) -> bool:
    """Whether the first authors are the same, and at least half of the cited ones in the record."""
    if not cited.authors or not paper.authors:
        return False
    shared = sum(
        any(author_matching.match_authors(author, other) for other in paper.authors)
        for author in cited.authors
    )
    first = author_matching.match_authors(cited.authors[0], paper.authors[0])
    return bool(first) and shared >= _MIN_SHARED_AUTHORS * len(cited.authors)


# Judges whether it means anything that no registry has a work: who answered, and what is claimed.


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
    answered = tuple(
        dict.fromkeys(reply.provider for reply in matches.asked if reply.outcome != FAILED)
    )
    silent = (reply.provider for reply in matches.asked if reply.outcome == FAILED)
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
