"""Compares a record with a citation: every word of the title, every author, and the year.

Doubt counts in the citation's favour: only a plain contradiction is a mismatch, and what either
side leaves out is reported as not checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from citewell.citations import author_matching, cited_kinds, title_differences, title_matching
from citewell.citations.references.reference_fields import Reference
from citewell.citations.title_differences import TitleDifference
from citewell.citations.title_matching import compare_venues
from citewell.core.values.paper import Paper, WorkAuthor
from citewell.text.data_tables import load_words
from citewell.text.language import detection
from citewell.text.language.scripts import classify_script
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust import author_judgement
from citewell.trust.author_judgement import CitedAuthors

_MIN_MISSING_WORDS = (
    2  # a mismatch needs this many words of the cited title missing from the record
)
_MIN_MISSING_SHARE = 0.3  # and this share of all its words
_TITLE_PRESENT_SHARE = 0.8  # of the record's title words in a reference: the title is in it
_TITLE_LIKELY_SHARE = 0.5
_TITLE_ABSENT_SHARE = (
    0.34  # of the record's title words in free text: with fewer it is another title
)
_MISMATCH_YEARS = 2  # a difference of one year is normal between online and print
_BEFORE_FIGURE = re.compile(r"\A\D+")
_MAX_PREPRINT_YEARS = 3  # how long after a preprint the journal version may appear
_MAX_NAMED_AUTHORS = 3  # authors of a record that are named
_BOOK_KINDS = frozenset({"book", "monograph", "collection", "edited-book", "reference-book"})
PREPRINT_KINDS = frozenset({"article", "posted-content", "preprint"})
_MAX_SHOWN_DIFFERENCES = 3  # altered words of a title
_MIN_VERSION_SHARE = 0.5  # of words in common, for one title to be a version of the other
_SAME_LANGUAGE_SHARE = 0.8  # of words in common, from which both are in one language


class FieldAgreement(StrEnum):
    MATCH = "match"
    MISMATCH = "mismatch"
    NOT_CHECKED = "not_checked"


_VERDICT_ORDER = (FieldAgreement.MATCH, FieldAgreement.NOT_CHECKED, FieldAgreement.MISMATCH)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldVerdict:
    state: FieldAgreement
    reason: str = ""
    is_altered: bool = False  # a mismatch in words of a title that is otherwise the record's
    is_open: bool = (
        False  # part of it is not on the record, which may be a slip or the record's gap
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedWork:
    """What a citation says about its work; `structured` if its fields were given, not guessed from text."""

    text: str = ""
    title: str = ""
    authors: tuple[WorkAuthor, ...] = ()
    year: int | None = None
    venue: str = ""
    volume: str = ""
    pages: str = ""
    publisher: str = ""
    kind: str = ""  # a CSL type, if a format states it
    and_others: bool = False  # the list of authors ends in "et al."
    structured: bool = False

    @property
    def is_identifier_only(self) -> bool:
        """Whether the citation gives nothing besides an identifier."""
        return not (self.title or self.authors or self.year or self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkIdentity:
    title: FieldVerdict
    author: FieldVerdict
    year: FieldVerdict
    parts: tuple[FieldVerdict, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", (self.title, self.author, self.year))

    @property
    def state(self) -> FieldAgreement:
        """A mismatch if any part is one; otherwise the state of the title."""
        if any(part.state is FieldAgreement.MISMATCH for part in self.parts):
            return FieldAgreement.MISMATCH
        return self.title.state

    @property
    def is_another_title(self) -> bool:
        """Whether the titles are those of two works, not one title with some words altered."""
        return self.title.state is FieldAgreement.MISMATCH and not self.title.is_altered

    @property
    def is_open(self) -> bool:
        return any(part.is_open for part in self.parts)

    @property
    def differs_only_in_year(self) -> bool:
        others = {self.title.state, self.author.state}
        year = self.year.state is FieldAgreement.MISMATCH
        return year and FieldAgreement.MISMATCH not in others

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(part.reason for part in self.parts if part.state is FieldAgreement.MISMATCH)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(
            part.reason
            for part in self.parts
            if part.reason and (part.is_open or part.state is FieldAgreement.MATCH)
        )


def build_cited_work(reference: Reference, *, structured: bool, text: str = "") -> CitedWork:
    return CitedWork(
        text=text,
        title=reference.title,
        authors=reference.authors,
        year=reference.year,
        venue=reference.venue,
        volume=reference.volume,
        pages=reference.pages,
        publisher=reference.publisher,
        kind=reference.kind,
        and_others=reference.and_others,
        structured=structured,
    )


def compare_with_record(cited: CitedWork, paper: Paper) -> WorkIdentity:
    """The comparison with what registries say of the work; in each field the one that agrees counts."""
    titles = dict.fromkeys((paper.title, *(reading.title for reading in paper.list_readings())))
    verdicts = [_compare_title(cited, paper, clean_markup(title)) for title in titles]
    return WorkIdentity(
        title=min(verdicts, key=lambda item: _VERDICT_ORDER.index(item.state)),
        author=_compare_author(cited, paper),
        year=_compare_year(cited, paper),
    )


def _compare_title(cited: CitedWork, paper: Paper, record: str) -> FieldVerdict:
    found = _compare_whole_title(cited, paper, record)
    if found.state is FieldAgreement.MISMATCH:
        return found
    if found.state is FieldAgreement.MATCH and (added := _find_added_words(cited, paper, record)):
        return added
    return _find_altered_words(cited, record) or found


def _find_added_words(cited: CitedWork, paper: Paper, record: str) -> FieldVerdict | None:
    """A mismatch if the cited title runs on, before or after the record's, in words of its own."""
    own = list_foreign_words(title_differences.find_added_words(cited.title, record), paper)
    if not own:
        return None
    reason = f"the record's title is “{author_judgement.shorten_text(record)}”: it lacks “{' '.join(own)}”"
    return FieldVerdict(state=FieldAgreement.MISMATCH, reason=reason, is_altered=True)


def _find_altered_words(cited: CitedWork, record: str) -> FieldVerdict | None:
    """A mismatch if a title that is otherwise the record's says something else in some words."""
    title, is_exact = cited.title, cited.structured
    if not is_exact:
        if title_differences.has_title_words(cited.text, record):
            return None
        if title_differences.measure_shared_words(title, record) < _MIN_VERSION_SHARE:
            title = title_differences.find_title_stretch(cited.text, record)
    shared = title_differences.measure_shared_words(title, record)
    if shared < _MIN_VERSION_SHARE:
        return None
    found = title_differences.list_title_differences(title, record, is_exact=is_exact)
    is_foreign = shared < _SAME_LANGUAGE_SHARE and _find_language_difference(title, record)
    if not found or is_foreign:
        return None
    changes = "; ".join(map(_describe_altered_words, found[:_MAX_SHOWN_DIFFERENCES]))
    reason = f"the record's title is “{author_judgement.shorten_text(record)}”: {changes}"
    if all(difference.is_mere_loss for difference in found):
        return FieldVerdict(state=FieldAgreement.MATCH, reason=reason, is_open=True)
    return FieldVerdict(state=FieldAgreement.MISMATCH, reason=reason, is_altered=True)


def _describe_altered_words(difference: TitleDifference) -> str:
    ours, theirs = " ".join(difference.cited), " ".join(difference.record)
    if ours and theirs:
        return f"it says “{theirs}”, the citation “{ours}”"
    return f"it lacks “{ours}”" if ours else f"the citation lacks “{theirs}”"


def _compare_whole_title(cited: CitedWork, paper: Paper, record: str) -> FieldVerdict:
    if not title_matching.extract_title_words(title_matching.strip_translation_marks(record)):
        return _build_not_checked("the record has no title to compare with")
    if cited.title and cited.structured:
        return _compare_titles(cited.title, record)
    if not cited.text:
        return _build_not_checked("the citation gives no title")
    held = title_matching.measure_title_coverage(record, cited.text)
    if held >= _TITLE_PRESENT_SHARE:
        return (
            _build_not_checked("the cited title continues with other words")
            if _has_extra_title_words(cited, paper)
            else _build_match()
        )
    if cited.title:
        found = _compare_titles(cited.title, record)
        # A guessed title that contains the first author is probably no title.
        named = not cited.authors and any(
            author_matching.is_author_mentioned(author, cited.title) for author in paper.authors[:1]
        )
        known = named or len(list_foreign_words(cited.title, paper)) < _MIN_MISSING_WORDS
        doubtful = found.state is FieldAgreement.MISMATCH and (known or held >= _TITLE_LIKELY_SHARE)
        return (
            _build_not_checked("the title could not be identified with certainty")
            if doubtful
            else found
        )
    return _compare_loose_text(cited.text, record, paper, held)


def compare_guessed_title(cited: CitedWork, paper: Paper) -> FieldVerdict:
    """Compare the title as it was parsed, even if that may be wrong."""
    record = clean_markup(paper.title)
    if not cited.title:
        return _compare_title(cited, paper, record)
    found = _compare_titles(cited.title, record)
    altered = (
        _find_altered_words(cited, record) if found.state is not FieldAgreement.MISMATCH else None
    )
    return altered or found


def _compare_titles(cited: str, record: str) -> FieldVerdict:
    if (
        title_matching.has_same_letters(cited, record)
        or title_matching.is_title_beginning(cited, record)
        or title_matching.is_title_beginning(record, cited)
    ):
        return _build_match()
    wanted = title_matching.extract_title_words(title_matching.strip_translation_marks(cited))
    if not wanted:
        return _build_not_checked("the citation gives no title")
    missing = title_matching.find_absent_words(wanted, record)
    if len(missing) < _MIN_MISSING_WORDS:
        return (
            _build_match()
            if len(missing) < len(wanted)
            else _build_not_checked("the title is too short to tell")
        )
    if (why := _find_language_difference(cited, record)) is not None:
        return _build_not_checked(why)
    lacking = ", ".join(missing[:6])
    if len(missing) / len(wanted) < _MIN_MISSING_SHARE:
        return _build_match(f"the record's title lacks: {lacking}")
    return _build_mismatch(
        f"the record's title is “{author_judgement.shorten_text(record)}”, which lacks: {lacking}"
    )


def _find_language_difference(cited: str, record: str) -> str | None:
    if classify_script(cited) != classify_script(record):
        return "the titles are in different scripts"
    if title_matching.is_translated_title(cited) or title_matching.is_translated_title(record):
        return "one of the titles is a translation"
    spoken = {_detect_title_language(cited), _detect_title_language(record)} - {None}
    return "the titles are in different languages" if len(spoken) > 1 else None


@lru_cache(maxsize=1024)  # a citation is compared with several records
def _detect_title_language(title: str) -> str | None:
    return detection.detect_language(title)


def _compare_loose_text(text: str, record: str, paper: Paper, held: float) -> FieldVerdict:
    """Compare free text with the record's title; a mismatch needs words found nowhere in the record."""
    if classify_script(text) != classify_script(record):
        return _build_not_checked("the titles are in different scripts")
    missing = list_foreign_words(text, paper)
    if len(missing) >= _MIN_MISSING_WORDS and held < _TITLE_ABSENT_SHARE:
        lacking = ", ".join(missing[:6])
        return _build_mismatch(
            f"the record's title is “{author_judgement.shorten_text(record)}”, which lacks: {lacking}"
        )
    return (
        _build_match()
        if held >= _TITLE_LIKELY_SHARE
        else _build_not_checked("the citation gives no title")
    )


def _has_extra_title_words(cited: CitedWork, paper: Paper) -> bool:
    """Whether the cited title has many words that occur nowhere in the record."""
    if not cited.title or title_matching.is_title_beginning(paper.title, cited.title):
        return False
    missing = list_foreign_words(cited.title, paper)
    return len(missing) > _MIN_MISSING_WORDS and len(missing) >= _MIN_MISSING_SHARE * len(
        title_matching.extract_title_words(cited.title)
    )


def list_foreign_words(text: str, paper: Paper) -> tuple[str, ...]:
    """The significant words of a text that occur nowhere in the record."""
    people = (person.name for person in paper.authors)
    rest = " ".join([clean_markup(paper.title), *people, paper.venue or "", paper.publisher or ""])
    # Words that occur in references but belong to no title.
    apparatus = load_words(__package__, "common_words", "apparatus_words")
    words = [
        word
        for word in title_matching.extract_title_words(_drop_venue_subtitle(text, paper.venue))
        if not word.isdigit() and word not in apparatus
    ]
    # Abbreviated names of journals begin a word of the record.
    known = title_matching.extract_title_words(rest)
    return tuple(
        word
        for word in title_matching.find_absent_words(words, rest)
        if not any(other.startswith(word) for other in known)
    )


def _drop_venue_subtitle(text: str, venue: str | None) -> str:
    """The text without what follows the record's venue after a colon, up to the next figure."""
    start = text.lower().find(venue.lower()) if venue else -1
    if start < 0 or not venue:
        return text
    after = text[start + len(venue) :].lstrip()
    if not after.startswith(":"):
        return text
    return text[: start + len(venue)] + " " + _BEFORE_FIGURE.sub("", after, count=1)


def _compare_author(cited: CitedWork, paper: Paper) -> FieldVerdict:
    lists = tuple(
        dict.fromkeys(reading.authors for reading in paper.list_readings() if reading.authors)
    )
    if not lists:
        return _build_not_checked("the record names no authors")
    judged = _judge_cited_authors(cited, paper, lists) if cited.authors else None
    if judged is not None:
        return judged
    if not (cited.structured and cited.authors):
        return _compare_mentioned_author(cited, paper)
    first, lead = cited.authors[0], paper.authors[0]
    if author_matching.match_authors(first, lead) is None:
        return _build_not_checked(
            "an organization and a person, or names in different scripts, cannot be compared"
        )
    around = (paper.venue, paper.publisher, paper.title)
    if not cited.title and any(name and compare_venues(first.name, name) for name in around):
        return _build_not_checked("the citation names the journal in place of an author")
    return _judge_other_author(author_judgement.format_surname(first), paper)


def _judge_cited_authors(
    cited: CitedWork, paper: Paper, lists: tuple[tuple[WorkAuthor, ...], ...]
) -> FieldVerdict | None:
    """The verdict on the whole list; None if nobody in it is an author of the record."""
    words = author_judgement.list_name_words(
        f"{paper.title} {paper.venue or ''} {paper.publisher or ''}"
    )
    judgement = author_judgement.judge_author_lists(
        CitedAuthors(
            people=cited.authors,
            text="" if cited.structured else cited.text,
            is_elided=cited.and_others,
            other_words=words,
        ),
        lists,
    )
    if judgement is None:
        return None
    if judgement.agreement:
        return _build_match(judgement.reason)
    if paper.kind in _BOOK_KINDS:
        return _build_not_checked("editors and authors of books are often confused")
    if judgement.agreement is None:
        return FieldVerdict(
            state=FieldAgreement.NOT_CHECKED, reason=judgement.reason, is_open=judgement.is_open
        )
    return _build_mismatch(judgement.reason)


def _compare_mentioned_author(cited: CitedWork, paper: Paper) -> FieldVerdict:
    """Compare authors in free text: any author of the record matches; another name is a mismatch."""
    text, lead = cited.text, paper.authors[0]
    if text and author_matching.is_author_mentioned(lead, text):
        return _build_match()
    if text and any(author_matching.is_author_mentioned(person, text) for person in paper.authors):
        return _build_match("an author of the record is named, but not the first")
    named = (
        author_judgement.format_surname(cited.authors[0])
        if cited.authors
        else title_matching.find_leading_name(paper.title, text)
    )
    if not named or not author_matching.can_compare_surname(named, lead):
        return _build_not_checked("the citation names no author that could be identified")
    return _judge_other_author(named, paper)


def _judge_other_author(named: str, paper: Paper) -> FieldVerdict:
    lead = paper.authors[0]
    if paper.kind in _BOOK_KINDS:
        return _build_not_checked("editors and authors of books are often confused")
    others = ", ".join(map(author_judgement.format_surname, paper.authors[1:_MAX_NAMED_AUTHORS]))
    more = " et al." if len(paper.authors) > _MAX_NAMED_AUTHORS else ""
    real = f"{author_judgement.format_surname(lead)}{f', {others}' if others else ''}{more}"
    return _build_mismatch(f"the citation names {named}, the record {real}")


def _compare_year(cited: CitedWork, paper: Paper) -> FieldVerdict:
    dates = (paper.year, _parse_publication_year(paper.published))
    known = {
        year for year in (*dates, *(reading.year for reading in paper.list_readings())) if year
    }
    if not known:
        return _build_not_checked("the record has no year")
    stated = _collect_stated_years(cited, paper)
    if not stated:
        return _build_not_checked("the citation gives no year")
    apart = min(abs(year - other) for year in stated for other in known)
    if apart < _MISMATCH_YEARS:
        near = f"one year from the record's {paper.year}: first online, in print, or a preprint"
        return _build_match(near if apart else "")
    return _judge_distant_year(max(stated), paper)


def _judge_distant_year(year: int, paper: Paper) -> FieldVerdict:
    record = paper.year or _parse_publication_year(paper.published) or 0
    if paper.kind in _BOOK_KINDS:
        return _build_not_checked(f"the record's year is {record}; books have editions")
    early = paper.kind in PREPRINT_KINDS or paper.preprint_of is not None
    if early and 0 < year - record <= _MAX_PREPRINT_YEARS:
        return _build_not_checked(f"the record is a preprint of {record}")
    return _build_mismatch(f"the citation says {year}, the record {record}")


def _collect_stated_years(cited: CitedWork, paper: Paper) -> frozenset[int]:
    """The year of the citation; for free text, every year that may be its own."""
    if cited.structured or not cited.text:
        return frozenset({cited.year} if cited.year else ())
    found = cited_kinds.find_own_years(
        cited.text,
        titles=(paper.title, paper.venue or "", cited.venue),
        volume=cited.volume,
        year=cited.year,
    )
    return found or frozenset({cited.year} if cited.year else ())


def _parse_publication_year(published: str | None) -> int | None:
    return int(published[:4]) if published and published[:4].isdigit() else None


def _build_match(note: str = "") -> FieldVerdict:
    return FieldVerdict(state=FieldAgreement.MATCH, reason=note)


def _build_mismatch(reason: str) -> FieldVerdict:
    return FieldVerdict(state=FieldAgreement.MISMATCH, reason=reason)


def _build_not_checked(reason: str) -> FieldVerdict:
    return FieldVerdict(state=FieldAgreement.NOT_CHECKED, reason=reason)
