"""Judges a cited author list by the lists of several registries: one that agrees acquits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.citations import author_matching
from citewell.citations.author_matching import AuthorListDifference, compare_author_lists
from citewell.citations.title_matching import fold_text
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import WorkAuthor
from citewell.text.safety.text_cleaning import clean_markup

_MAX_NAMED_AUTHORS = 3  # authors named in a sentence
_MIN_RENAMED = 2  # authors with other given names; a single one may have changed it
_MIN_CERTAIN_MATCHES = 2  # cited authors in the record, before one left out is held against a list
_COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NAME_PATTERN = re.compile(r"[^\W\d_]{2,}")
_ELISION_PATTERN = re.compile(
    r"\bet\.? ?al\b|…|\.\.\.|\b(?:and|&) (?:others|colleagues|co-?workers)\b|и др|等", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAuthors:
    """The authors of a citation; `text` is the whole reference if they were guessed from it."""

    people: tuple[WorkAuthor, ...]
    text: str = ""
    is_elided: bool = False  # the list ends in "et al."
    other_words: frozenset[str] = frozenset()  # of the record's title, venue and publisher

    @property
    def leaves_out_others(self) -> bool:
        return self.is_elided or bool(_ELISION_PATTERN.search(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorJudgement:
    agreement: bool | None  # None if that cannot be told
    reason: str = ""
    is_open: bool = False  # some cited authors are on no list, which may be incomplete


def judge_author_lists(
    cited: CitedAuthors, lists: Sequence[tuple[WorkAuthor, ...]]
) -> AuthorJudgement | None:
    """Whether the cited authors are those of the work; None if no list has any of them.

    A list that is the beginning of the cited one may be a registry's shortened one, so that a second
    registry has to have the same.
    """
    compared = [(compare_author_lists(cited.people, record), record) for record in lists]
    if not any(found.matched_count for found, _ in compared):
        return None
    judged = [_judge_difference(cited, found, record) for found, record in compared]
    order = {True: 0, None: 1, False: 2}
    best = min(judged, key=lambda item: order[item.agreement])
    is_alone = len(lists) == 1 or len({len(record) for record in lists}) > 1
    if best.agreement is False and is_alone and all(found.is_extension for found, _ in compared):
        return AuthorJudgement(
            agreement=None,
            reason=f"{best.reason}; a single registry names so few, and may leave some out",
            is_open=True,
        )
    return best


def _judge_difference(
    cited: CitedAuthors, found: AuthorListDifference, record: tuple[WorkAuthor, ...]
) -> AuthorJudgement:
    added = tuple(person for person in found.added if _is_certain_name(person, cited))
    if added:
        return AuthorJudgement(agreement=False, reason=_describe_added(cited, added, record))
    if found.doubtful or len(added) < len(found.added):
        return AuthorJudgement(
            agreement=True if found.matched_count > len(cited.people) / 2 else None,
            reason="some names are organizations or in another script, and were not compared",
        )
    if difference := _describe_other_difference(cited, found, record):
        return AuthorJudgement(agreement=False, reason=difference)
    return AuthorJudgement(agreement=True, reason=_describe_partial_list(cited, record))


def _describe_other_difference(
    cited: CitedAuthors, found: AuthorListDifference, record: tuple[WorkAuthor, ...]
) -> str:
    if found.is_reordered:
        return f"its authors are in another order than on the record, which begins with {name_listed_authors(record)}"
    unnamed = [
        person
        for person in found.skipped
        if not (cited.text and author_matching.is_author_mentioned(person, cited.text))
    ]
    is_certain = found.matched_count >= _MIN_CERTAIN_MATCHES and not cited.leaves_out_others
    if unnamed and is_certain:
        return f"it leaves out {_spell_count(len(unnamed))} {pluralize(len(unnamed), 'author')} of the record: {name_listed_authors(unnamed)}"
    count = len(found.renamed)
    if count >= _MIN_RENAMED and count * 2 >= found.matched_count:
        return (
            f"{_spell_count(count)} of its authors have other given"
            f" names on the record, which names {name_listed_authors(record, whole=True)}"
        )
    return ""


def _describe_added(
    cited: CitedAuthors, added: Sequence[WorkAuthor], record: tuple[WorkAuthor, ...]
) -> str:
    count, total = len(added), len(cited.people)
    return (
        f"{_spell_count(count)} of its {_spell_count(total)} {pluralize(total, 'author')} {pluralize(count, 'is', 'are')} not on the record ({name_listed_authors(added)});"
        f" the record names {name_listed_authors(record)}"
    )


def _describe_partial_list(cited: CitedAuthors, record: tuple[WorkAuthor, ...]) -> str:
    first = cited.people[0]
    if author_matching.match_authors(first, record[0]) is False:
        return f"{format_surname(first)} is an author of the record, but not the first"
    if len(cited.people) < len(record) and not cited.leaves_out_others:
        return f"the citation names the first {len(cited.people)} of {len(record)} {pluralize(len(record), 'author')}"
    return ""


def _is_certain_name(person: WorkAuthor, cited: CitedAuthors) -> bool:
    """Whether this is a person's name for certain, and not words that were taken for one."""
    if not cited.text:
        return True
    words = list_name_words(person.family or person.name)
    return bool(words) and not words <= cited.other_words


def list_name_words(text: str) -> frozenset[str]:
    """The words of names or titles, folded, without the punctuation around them."""
    return frozenset(_NAME_PATTERN.findall(fold_text(text)))


def name_listed_authors(people: Sequence[WorkAuthor], *, whole: bool = False) -> str:
    """The first few authors, and whether there are more."""
    names = [
        clean_markup(person.name) if whole else format_surname(person)
        for person in people[:_MAX_NAMED_AUTHORS]
    ]
    return f"{', '.join(names)}{' et al.' if len(people) > _MAX_NAMED_AUTHORS else ''}"


def _spell_count(count: int) -> str:
    return _COUNT_WORDS[count] if count < len(_COUNT_WORDS) else str(count)


def format_surname(person: WorkAuthor) -> str:
    return shorten_text(clean_markup(person.family or person.name))


def shorten_text(text: str, max_chars: int = 120) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"
