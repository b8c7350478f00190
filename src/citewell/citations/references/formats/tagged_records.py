"""Records of formats in which every line begins with a tag: RIS, MEDLINE, EndNote, Web of Science."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from citewell.citations.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.citations.references import reference_fields
from citewell.citations.references.reference_fields import (
    MAX_RECORDS,
    RECORDS_LIMIT_REASON,
    clean_reference_value,
)
from citewell.core.values.paper import PaperId, WorkAuthor

_PAGE_DASHES = str.maketrans("–—‐‑", "----")


@dataclass(slots=True)
class TaggedRecord:
    """The values of one record by tag; a value has the lines that it was written on."""

    line: int
    lines: list[str] = field(default_factory=list)
    values: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))
    # The lines of the value that an untagged line continues.
    open_value: list[str] = field(default_factory=list)

    def add_value(self, tag: str, value: str) -> None:
        self.open_value = [value]
        self.values[tag].append(self.open_value)

    def list_values(self, *tags: str) -> list[str]:
        """All non-empty values of the first of these tags that has any."""
        for tag in tags:
            found = [
                clean_reference_value("\n".join(pieces)) for pieces in self.values.get(tag, ())
            ]
            if any(found):
                return [value for value in found if value]
        return []

    def list_lines(self, *tags: str) -> list[str]:
        """Like `list_values`, for tags whose every line is a value of its own."""
        for tag in tags:
            found = [
                clean_reference_value(line)
                for pieces in self.values.get(tag, ())
                for line in pieces
            ]
            if any(found):
                return [value for value in found if value]
        return []

    def first_value(self, *tags: str) -> str:
        return next(iter(self.list_values(*tags)), "")


@dataclass(slots=True)
class RecordCollector:
    """Collects records until the limit of one document, and builds the document."""

    format: str
    build: Callable[[TaggedRecord], Reference]
    references: list[Reference] = field(default_factory=list)
    malformed: list[MalformedEntry] = field(default_factory=list)

    def add_record(self, record: TaggedRecord | None) -> None:
        if record is not None and record.values:
            self.references.append(self.build(record))

    def report_damage(self, line: int, reason: str, excerpt: str = "") -> None:
        self.malformed.append(
            MalformedEntry(line=line, reason=reason, excerpt=clean_reference_value(excerpt)[:120])
        )

    def is_full(self, line: int) -> bool:
        """Whether no more records are read; if so, the report says it."""
        if len(self.references) + len(self.malformed) < MAX_RECORDS:
            return False
        self.report_damage(line, RECORDS_LIMIT_REASON)
        return True

    def build_document(self) -> BibliographyDocument:
        if not self.references and not self.malformed:
            self.report_damage(1, "No record was found.")
        return BibliographyDocument(
            format=self.format,
            references=tuple(self.references),
            malformed=tuple(self.malformed),
        )


def parse_record_people(names: Iterable[str]) -> tuple[tuple[WorkAuthor, ...], bool]:
    """The people, and whether the list ends in "et al."."""
    named = [name for name in names if name.strip(" ,;.")]
    people = tuple(
        reference_fields.parse_whole_name(name)
        for name in named
        if name.lower() not in reference_fields.AND_OTHERS_NAMES
    )
    return people, len(people) < len(named)


def parse_initials_name(name: str) -> WorkAuthor:
    """A person written as "Smith JA" or "van der Berg J Jr", the way MEDLINE does it."""
    words = name.replace(",", " ").split()
    suffix = words.pop() if len(words) > 2 and words[-1] in {"Jr", "Sr", "2nd", "3rd"} else ""
    if len(words) > 1 and words[-1].isalpha() and words[-1].isupper() and len(words[-1]) < 5:
        return reference_fields.build_person(
            family=" ".join(words[:-1]), given=" ".join(words[-1]), suffix=suffix
        )
    return reference_fields.parse_whole_name(name)


def join_page_numbers(first: str, last: str) -> str:
    """A range of pages; the second number may be missing, or already be part of the first."""
    first, last = (clean_page_range(part) for part in (first, last))
    if first and last and "-" not in first and first != last:
        return f"{first}-{last}"
    return first or last


def clean_page_range(pages: str) -> str:
    """The pages with plain hyphens and without "pp."."""
    plain = pages.translate(_PAGE_DASHES).replace("--", "-").strip(" .")
    for label in ("pp.", "pp ", "p.", "p "):
        plain = plain.removeprefix(label).strip()
    return plain.replace(" - ", "-")


def collect_field_ids(
    *, doi: str = "", pmid: str = "", pmcid: str = "", isbn: str = "", urls: Iterable[str] = ()
) -> tuple[PaperId, ...]:
    """The identifiers that separate fields of a record state."""
    return reference_fields.order_paper_ids(
        reference_fields.parse_doi_id(doi),
        reference_fields.parse_pmid_id(pmid),
        reference_fields.parse_pmcid_id(pmcid),
        reference_fields.parse_isbn_id(isbn),
        *reference_fields.find_ids_in_addresses(urls),
    )


def expand_short_pages(pages: str) -> str:
    """Pages as PubMed shortens them, in full: 436-44 is 436-444."""
    plain = clean_page_range(pages)
    first, dash, last = plain.partition("-")
    if dash and first.isdigit() and last.isdigit() and len(last) < len(first):
        return f"{first}-{first[: len(first) - len(last)]}{last}"
    return plain
