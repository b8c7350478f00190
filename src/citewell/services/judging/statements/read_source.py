"""The text of a source that statements are compared with, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """The text of a source, or why there is none."""

    text: str = ""
    language: str | None = None
    url: str = ""
    asked_url: str = ""  # before redirects
    title: str = ""
    is_whole: bool = False  # what is not in the text is not in the source
    note: str = ""  # what of it was read, if not all
    complaint: str = ""  # why nothing could be read
    years: frozenset[int] = frozenset()  # of the record and the page
    authors: str = ""  # their names and the site's, which a draft gives and the text need not
    was_read: bool = False  # also if the text is no longer kept
    is_unanswered: bool = False  # nothing was read because of a failure that may pass

    @property
    def is_read(self) -> bool:
        return bool(self.text)

    @property
    def known_names(self) -> str:
        """Names that belong to the source, whether its text has them or not."""
        return f"{self.title} {self.authors} {self.url} {self.asked_url}"
