"""Whether a record is the work that a citation means: title, first author and year, each by itself.

Every doubt is settled in the citation's favour: only what the two sides plainly contradict each
other on is a mismatch, and what one side leaves out was not checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from citewell.model.paper import Paper, Person
from citewell.model.reference import Reference
from citewell.text import language, surnames, titles
from citewell.text.markup import clean

_ABSENT = 2  # telling words a record must lack before it is another work's
_SHARE = 0.3  # and of all those cited
_HELD = 0.8  # of a record's title in a reference, for it to be there
_HALF = 0.5
_FOREIGN = 0.34  # of a record's title in a text that is not parted, below which it is elsewhere
_APART = 2  # years; one is the way from first online to print
_LATER = 3  # years a journal may take over a preprint
_EDITIONS = frozenset({"book", "monograph", "collection", "edited-book", "reference-book"})
_PREPRINTS = frozenset({"article", "posted-content", "preprint"})
_YEAR = re.compile(r"(?<![\d./:-])(1[5-9]\d\d|20\d\d)(?=[a-z]?(?!\w))(?!\s?[-–/]\s?\d)")
# What stands in references and belongs to no title.
_LISTED = (
    "vol volume issue pages page doi url http https www org com retrieved available accessed press"
    " journal proceedings eds editors edition chapter article preprint arxiv january february march"
    " april may june july august september october november december jan feb mar apr jun jul aug sep"
    " sept oct nov dec et al pp see also cited source link here note paper study figure fig table"
    " supplement supplementary appendix reference ref version full text pdf online date"
)
_APPARATUS = frozenset(_LISTED.split())


class Agreement(StrEnum):
    MATCH = "match"
    MISMATCH = "mismatch"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    state: Agreement
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What a citation says of its work; `parted` when its fields are its author's own, not our guess."""

    text: str = ""
    title: str = ""
    authors: tuple[Person, ...] = ()
    year: int | None = None
    parted: bool = False

    @property
    def silent(self) -> bool:
        """Nothing but an identifier."""
        return not (self.title or self.authors or self.year or self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    title: Verdict
    author: Verdict
    year: Verdict
    parts: tuple[Verdict, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", (self.title, self.author, self.year))

    @property
    def state(self) -> Agreement:
        """A mismatch in any part is one of the whole; agreement needs the title."""
        if any(part.state is Agreement.MISMATCH for part in self.parts):
            return Agreement.MISMATCH
        return self.title.state

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(part.reason for part in self.parts if part.state is Agreement.MISMATCH)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(
            part.reason for part in self.parts if part.reason and part.state is Agreement.MATCH
        )


def of_reference(reference: Reference, *, parted: bool, text: str = "") -> Cited:
    return Cited(
        text=text,
        title=reference.title,
        authors=reference.authors,
        year=reference.year,
        parted=parted,
    )


def compare(cited: Cited, paper: Paper) -> Identity:
    return Identity(
        title=_title(cited, paper), author=_author(cited, paper), year=_year(cited, paper)
    )


def _title(cited: Cited, paper: Paper) -> Verdict:
    record = clean(paper.title)
    if not titles.telling(titles.bare(record)):
        return _unknown("the record has no title to compare with")
    if cited.title and cited.parted:
        return _titles(cited.title, record)
    if not cited.text:
        return _unknown("the citation gives no title")
    held = titles.coverage(record, cited.text)
    if held >= _HELD:
        return _unknown("the title goes on otherwise") if _padded(cited, paper) else _agreed()
    if cited.title:
        found = _titles(cited.title, record)
        known = len(_foreign(cited.title, paper)) < _ABSENT or _names_within(cited, paper)
        doubtful = found.state is Agreement.MISMATCH and (known or held >= _HALF)
        return _unknown("the title could not be made out for certain") if doubtful else found
    return _loose(cited.text, record, paper, held)


def _names_within(cited: Cited, paper: Paper) -> bool:
    """Whether names and a journal were taken for a title, where the citation has none."""
    lead = paper.authors[:1]
    return not cited.authors and any(surnames.mentioned(one, cited.title) for one in lead)


def _titles(cited: str, record: str) -> Verdict:
    if titles.same(cited, record) or titles.begins(cited, record) or titles.begins(record, cited):
        return _agreed()
    wanted = titles.telling(titles.bare(cited))
    if not wanted:
        return _unknown("the citation gives no title")
    missing = titles.absent(wanted, record)
    if len(missing) < _ABSENT:
        return (
            _agreed() if len(missing) < len(wanted) else _unknown("the title is too short to tell")
        )
    if (why := _untranslatable(cited, record)) is not None:
        return _unknown(why)
    lacking = ", ".join(missing[:6])
    if len(missing) / len(wanted) < _SHARE:
        return _agreed(f"the record's title lacks: {lacking}")
    return _contradicted(f"the record's title is “{_short(record)}”, which lacks: {lacking}")


def _untranslatable(cited: str, record: str) -> str | None:
    if titles.script(cited) != titles.script(record):
        return "the titles are in different scripts"
    if titles.translated(cited) or titles.translated(record):
        return "one of the titles is a translation"
    spoken = {_spoken(cited), _spoken(record)} - {None}
    return "the titles are in different languages" if len(spoken) > 1 else None


@lru_cache(maxsize=1024)  # a citation is held against several records
def _spoken(title: str) -> str | None:
    return language.detect(title)


def _loose(text: str, record: str, paper: Paper, held: float) -> Verdict:
    """Words beside an identifier: a title, if what they say is nowhere in the record."""
    if titles.script(text) != titles.script(record):
        return _unknown("the titles are in different scripts")
    missing = _foreign(text, paper)
    if len(missing) >= _ABSENT and held < _FOREIGN:
        lacking = ", ".join(missing[:6])
        return _contradicted(f"the record's title is “{_short(record)}”, which lacks: {lacking}")
    return _agreed() if held >= _HALF else _unknown("the citation gives no title")


def _padded(cited: Cited, paper: Paper) -> bool:
    """Whether a title holds the record's and then a good deal that nobody says of the work."""
    if not cited.title or titles.begins(paper.title, cited.title):
        return False
    missing = _foreign(cited.title, paper)
    return len(missing) > _ABSENT and len(missing) >= _SHARE * len(titles.telling(cited.title))


def _foreign(text: str, paper: Paper) -> tuple[str, ...]:
    """The telling words of a text that are nowhere in the record."""
    people = (person.name for person in paper.authors)
    rest = " ".join([clean(paper.title), *people, paper.venue or "", paper.publisher or ""])
    words = [word for word in titles.telling(text) if not word.isdigit() and word not in _APPARATUS]
    return _unabbreviated(titles.absent(words, rest), rest)


def _unabbreviated(words: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Without those that begin a word of the text, as the names of journals are shortened."""
    whole = titles.telling(text)
    return tuple(word for word in words if not any(other.startswith(word) for other in whole))


def _author(cited: Cited, paper: Paper) -> Verdict:
    if not paper.authors:
        return _unknown("the record names no authors")
    if not (cited.parted and cited.authors):
        return _mentioned(cited, paper)
    first, lead = cited.authors[0], paper.authors[0]
    alike = surnames.same(first, lead)
    if alike:
        return _agreed()
    if any(surnames.same(first, person) for person in paper.authors[1:]):
        return _agreed(f"{_name(first)} is an author of the record, but not the first")
    if alike is None:
        return _unknown("a body and a person, or names in different scripts, cannot be compared")
    return _another(_name(first), paper)


def _mentioned(cited: Cited, paper: Paper) -> Verdict:
    """In a text any author of the record will do; another name before the title contradicts it."""
    text, lead = cited.text, paper.authors[0]
    if text and surnames.mentioned(lead, text):
        return _agreed()
    if text and any(surnames.mentioned(person, text) for person in paper.authors):
        if _replaced(cited, paper):
            return _another(_name(cited.authors[0]), paper)
        return _agreed("an author of the record is named, but not the first")
    named = _name(cited.authors[0]) if cited.authors else titles.before(paper.title, text)
    if not named or not surnames.comparable(named, lead):
        return _unknown("the citation names no author that could be made out")
    return _another(named, paper)


def _replaced(cited: Cited, paper: Paper) -> bool:
    """Whether the second author is the record's second and the first is none of the record's."""
    if len(cited.authors) < 2 or len(paper.authors) < 2:
        return False
    (first, second), (lead, next_) = cited.authors[:2], paper.authors[:2]
    aligned = surnames.same(second, next_) and surnames.same(first, lead) is False
    return bool(aligned) and not any(surnames.same(first, person) for person in paper.authors)


def _another(named: str, paper: Paper) -> Verdict:
    lead = paper.authors[0]
    if paper.kind in _EDITIONS:
        return _unknown("editors and authors of books are often exchanged")
    return _contradicted(f"the citation names {named}, the record {_name(lead)}")


def _year(cited: Cited, paper: Paper) -> Verdict:
    known = {year for year in (paper.year, _begun(paper.published)) if year}
    if not known:
        return _unknown("the record has no year")
    stated = _stated(cited, paper)
    if not stated:
        return _unknown("the citation gives no year")
    apart = min(abs(one - other) for one in stated for other in known)
    if apart < _APART:
        near = f"one year from the record's {paper.year}: first online, in print, or a preprint"
        return _agreed(near if apart else "")
    return _far(max(stated), paper)


def _far(year: int, paper: Paper) -> Verdict:
    record = paper.year or _begun(paper.published) or 0
    if paper.kind in _EDITIONS:
        return _unknown(f"the record's year is {record}; books have editions")
    early = paper.kind in _PREPRINTS or paper.preprint_of is not None
    if early and 0 < year - record <= _LATER:
        return _unknown(f"the record is a preprint of {record}")
    return _contradicted(f"the citation says {year}, the record {record}")


def _stated(cited: Cited, paper: Paper) -> set[int]:
    """The year of the citation; in a text, all that may be it."""
    found = set() if cited.parted else _years(cited.text, paper)
    return found or ({cited.year} if cited.year else set())


def _years(text: str, paper: Paper) -> set[int]:
    """Numbers in a text that can be its year; those of the title and the proceedings are not."""
    taken = {int(year) for year in _YEAR.findall(f"{paper.title} {paper.venue or ''}")}
    return {int(year) for year in _YEAR.findall(text)} - taken


def _begun(published: str | None) -> int | None:
    return int(published[:4]) if published and published[:4].isdigit() else None


def _name(person: Person) -> str:
    return _short(clean(person.family or person.name))


def _short(text: str, most: int = 120) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _agreed(note: str = "") -> Verdict:
    return Verdict(state=Agreement.MATCH, reason=note)


def _contradicted(reason: str) -> Verdict:
    return Verdict(state=Agreement.MISMATCH, reason=reason)


def _unknown(reason: str) -> Verdict:
    return Verdict(state=Agreement.NOT_CHECKED, reason=reason)
