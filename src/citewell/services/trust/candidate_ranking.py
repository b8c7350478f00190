"""Chooses, among the records that registries offer for a reference, the one that it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from citewell.model.paper import Paper
from citewell.services.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    WorkIdentity,
    compare_guessed_title,
    compare_with_record,
    list_foreign_words,
)
from citewell.text.citations import author_matching, title_matching

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
    theirs = [_FIRST_NUMBER_PATTERN.search(one or "") for one in (paper.volume, paper.pages)]
    return _names_same_venue(cited, paper) and all(one and one[0] in numbers for one in theirs)


def _build_placed_candidate(paper: Paper, identity: WorkIdentity) -> RankedCandidate:
    said = FieldVerdict(state=FieldAgreement.NOT_CHECKED, reason="the citation gives no title")
    return RankedCandidate(
        paper=paper,
        identity=replace(identity, title=said),
        nearness=1.0,
        confidence=HIGH,
        shares_place=True,
        shares_venue=True,
        shares_first_author=True,
    )


def choose_nearest_candidates(candidates: Iterable[RankedCandidate]) -> tuple[Paper, ...]:
    """The few records to show where none is the work meant."""
    near = [one for one in candidates if one.nearness >= _MIN_SHOWN_NEARNESS]
    near.sort(key=lambda one: -one.nearness)
    return tuple(one.paper for one in near[:_MAX_NEAREST])


def measure_title_nearness(cited: CitedWork, paper: Paper) -> float:
    """How near the titles are, 0 to 1: a record's short title is not near to every text that has its words."""
    if cited.text and title_matching.has_title_within(cited.text, paper.title):
        return 1.0
    if not cited.title:
        return _measure_loose_nearness(cited.text, cited.text, paper)
    near = title_matching.measure_title_agreement(cited.title, paper.title)
    if cited.structured or not cited.text:
        return max(near, _measure_shortened_nearness(cited.title, paper.title))
    # A guessed title may have names or the venue in it, or lack its end.
    return max(near, _measure_loose_nearness(cited.text, cited.title, paper))


def _measure_shortened_nearness(cited: str, record: str) -> float:
    held = title_matching.measure_title_coverage(record, cited)
    whole = title_matching.measure_title_coverage(cited, record) == 1
    return max(held, _SHORTENED_NEARNESS) if whole and held >= _MIN_SHORTENED_SHARE else 0.0


def _measure_loose_nearness(text: str, claimed: str, paper: Paper) -> float:
    """The share of the record's title in the text, or of the claimed words in the record if that is lower."""
    words = [
        word for word in title_matching.extract_title_words(claimed) if not word.isdigit()
    ] or [""]
    foreign = len(list_foreign_words(claimed, paper))
    return min(title_matching.measure_title_coverage(paper.title, text), 1 - foreign / len(words))


def _rank_candidate(one: RankedCandidate) -> tuple[int, int, float]:
    """Sort key: confidence, then matching minus contradicting fields, then the titles."""
    states = [part.state for part in one.identity.parts]
    balance = states.count(FieldAgreement.MATCH) - states.count(FieldAgreement.MISMATCH)
    return (HIGH, MEDIUM, LOW).index(one.confidence), -balance, -one.nearness


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
    theirs = [_FIRST_NUMBER_PATTERN.search(one or "") for one in (paper.volume, paper.pages)]
    ours = [_FIRST_NUMBER_PATTERN.search(one) for one in (cited.volume, cited.pages)]
    if not all(theirs) or not any(ours):
        return None
    said = set(_FIRST_NUMBER_PATTERN.findall(f"{cited.text} {cited.volume} {cited.pages}"))
    shared = [number is not None and number[0] in said for number in theirs]
    return True if all(shared) else None if any(shared) else False


def _names_same_venue(cited: CitedWork, paper: Paper) -> bool:
    said = f"{cited.text} {cited.venue}"
    return title_matching.measure_title_coverage(paper.venue or "", said) == 1


def count_title_words(title: str) -> int:
    """The number of distinctive words."""
    return len(title_matching.extract_title_words(title_matching.strip_translation_marks(title)))


def _has_same_authors(cited: CitedWork, paper: Paper) -> bool:
    """Whether the first authors are the same, and at least half of the cited ones in the record."""
    if not cited.authors or not paper.authors:
        return False
    shared = sum(
        any(author_matching.match_authors(one, other) for other in paper.authors)
        for one in cited.authors
    )
    first = author_matching.match_authors(cited.authors[0], paper.authors[0])
    return bool(first) and shared >= _MIN_SHARED_AUTHORS * len(cited.authors)
