"""Entries of a list of notes that only repeat an earlier one: "Ibid., 80", "Kurlansky, Salt, 231"."""

from __future__ import annotations

import re

from citewell.model.reference import Reference
from citewell.text.drafts.name_index import fold_name, list_first_names

_SAME_PATTERN = re.compile(
    r"\s{0,5}(?:see |vgl\. |voir )?(?:ibid(?:em)?|ibíd(?:em)?|ebd(?:a)?|ebenda|id(?:em)?|a\.\s?a\.\s?O|loc\.\s?cit)\b",
    re.IGNORECASE,
)
_YEAR_PATTERN = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_PAGE_PATTERN = re.compile(r"(?:op\.\s?cit\.|art\.\s?cit\.)|\d{1,4}(?:[-–]\d{1,4})?\.?\s{0,3}\Z")
_MAX_SHORT_CHARS = 120


def is_same_work(text: str) -> bool:
    """Whether a note only says that it means the work of the note before it."""
    return _SAME_PATTERN.match(text) is not None


class RepeatedEntries:
    """Knows the entries so far, and finds the one that a shorter one means."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._by_name: dict[str, int] = {}

    def add_entry(self, reference: Reference, place: int) -> None:
        self._last = place
        for name in list_first_names(reference):
            self._by_name.setdefault(name, place)

    def find_repeated(self, reference: Reference) -> int | None:
        """The place of the earlier work; None if the entry stands for itself."""
        text = reference.raw
        if is_same_work(text):
            return self._last
        if (
            len(text) > _MAX_SHORT_CHARS
            or reference.ids
            or reference.url
            or _YEAR_PATTERN.search(text)
            or not _PAGE_PATTERN.search(text)
        ):
            return None
        return self.find_by_author(text)

    def find_by_author(self, text: str) -> int | None:
        """The work whose first author a short note begins with."""
        name = text.partition(",")[0].strip(" .:;")
        found = self._by_name.get(fold_name(name.rpartition(" ")[2]))
        return found if found is not None else self._by_name.get(fold_name(name.partition(" ")[0]))
