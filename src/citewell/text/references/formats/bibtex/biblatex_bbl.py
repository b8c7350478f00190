r"""Parses the .bbl files that biber writes for biblatex: \entry … \endentry with \field and \name."""

from __future__ import annotations

import re

from citewell.model.paper import WorkAuthor
from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import build_partial_date, extract_year
from citewell.text.references import reference_people
from citewell.text.references.field_cleaning import MAX_RECORDS, clean_reference_value
from citewell.text.references.formats import latex_text, tagged_records
from citewell.text.references.formats.bibtex import bibtex_references
from citewell.text.references.line_numbers import LineIndex

_ENTRY_PATTERN = re.compile(r"\\entry\{([^{}]{1,300})\}\{([^{}]{1,60})\}")
_FIELD_PATTERN = re.compile(r"\\(?:field|strng)\{([a-z]{1,30})\}\{")
_NAME_PATTERN = re.compile(r"\\name\{(author|editor)\}")
_NAME_END_PATTERN = re.compile(r"\\(?:strng|field|list|name|endentry|verb)\b")
_NAME_PART_PATTERN = re.compile(r"\b(family|given|prefix|suffix)=\{")
_PUBLISHER_PATTERN = re.compile(r"\\list\{(?:publisher|institution|organization)\}\{\d{1,3}\}\{")
_VERBATIM_PATTERN = re.compile(r"\\verb\{(doi|url|eprint)\}\s{1,10}\\verb ([^\n]{1,2000})")
_BRACE_PATTERN = re.compile(r"(?<!\\)[{}]")
_MAX_ENTRY_CHARS = 100_000


def parse_biblatex_bbl(text: str) -> BibliographyDocument:
    index = LineIndex(text)
    matches = list(_ENTRY_PATTERN.finditer(text))[:MAX_RECORDS]
    ends = [*(match.start() for match in matches[1:]), len(text)]
    found: dict[str, Reference] = {}
    for match, end in zip(matches, ends, strict=True):
        body = text[match.end() : min(end, match.end() + _MAX_ENTRY_CHARS)]
        # Entries come once for every sorting of the list.
        found.setdefault(
            match[1], _build_bbl_reference(match, body, index.find_line_number(match.start()))
        )
    return BibliographyDocument(format="latex", references=tuple(found.values()))


def _build_bbl_reference(match: re.Match[str], body: str, line: int) -> Reference:
    fields = {
        found[1]: clean_reference_value(
            latex_text.convert_latex_text(_read_braced(body, found.end()))
        )
        for found in _FIELD_PATTERN.finditer(body)
    }
    codes = {
        found[1]: latex_text.convert_latex_address(found[2])
        for found in _VERBATIM_PATTERN.finditer(body)
    }
    numbers = [fields.get(name, "") for name in ("year", "month", "day")]
    year, month, day = (int(one) if one.isdecimal() and len(one) < 5 else 0 for one in numbers)
    published = build_partial_date(year, month, day) if year else ""
    title, subtitle = fields.get("title", ""), fields.get("subtitle", "")
    house = _PUBLISHER_PATTERN.search(body)
    return Reference(
        raw=f"{match[0]}{body}".strip(),
        title=f"{title}: {subtitle}" if subtitle else title,
        authors=_list_bbl_people(body),
        year=extract_year(published),
        published=published,
        venue=fields.get("journaltitle", "") or fields.get("booktitle", ""),
        volume=fields.get("volume", ""),
        issue=fields.get("number", "") or fields.get("issue", ""),
        pages=tagged_records.clean_page_range(fields.get("pages", "")),
        publisher=clean_reference_value(
            latex_text.convert_latex_text(_read_braced(body, house.end())).strip()
        )
        if house
        else "",
        url=codes.get("url", ""),
        ids=tagged_records.collect_field_ids(
            doi=codes.get("doi", ""),
            isbn=fields.get("isbn", ""),
            urls=[
                codes.get("url", ""),
                f"https://arxiv.org/abs/{codes['eprint']}"
                if codes.get("eprint") and fields.get("eprinttype", "arxiv").lower() == "arxiv"
                else "",
            ],
        ),
        kind=bibtex_references.BIBTEX_KINDS.get(match[2].lower(), ""),
        key=match[1],
        line=line,
    )


def _list_bbl_people(body: str) -> tuple[WorkAuthor, ...]:
    start = _NAME_PATTERN.search(body)
    if start is None:
        return ()
    end = _NAME_END_PATTERN.search(body, start.end())
    people: list[dict[str, str]] = []
    for match in _NAME_PART_PATTERN.finditer(body, start.end(), end.start() if end else len(body)):
        if match[1] == "family" or not people:
            people.append({})
        value = latex_text.convert_latex_text(_read_braced(body, match.end()))
        people[-1].setdefault(match[1], clean_reference_value(value))
    return tuple(
        reference_people.build_person(
            family=" ".join(filter(None, (one.get("prefix", ""), one.get("family", "")))),
            given=one.get("given", ""),
            suffix=one.get("suffix", ""),
        )
        if one.get("given")
        else reference_people.parse_whole_name(one.get("family", ""))
        for one in people
        if one.get("family")
    )


def _read_braced(text: str, start: int) -> str:
    """The text up to the brace that closes the one before `start`, within reason."""
    depth = 1
    for match in _BRACE_PATTERN.finditer(text, start, start + 8000):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return text[start : match.start()]
    return ""
