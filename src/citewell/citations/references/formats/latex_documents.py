r"""Parses LaTeX manuscripts and .bbl files: \bibitem lists, and the keys and files that \cite names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from citewell.citations.references import prose_references, reference_fields
from citewell.citations.references.formats import bibtex_references, file_records, latex_text
from citewell.citations.references.reference_fields import (
    MAX_PROSE_REFERENCES,
    MAX_RECORDS,
    PROSE_LIMIT_REASON,
    BibliographyDocument,
    LineIndex,
    MalformedEntry,
    Reference,
    clean_reference_value,
)
from citewell.core.lazy_patterns import compile_on_use
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import WorkAuthor
from citewell.text.calendar_dates import build_partial_date, extract_year
from citewell.text.data_tables import load_texts

_ENTRY_PATTERN = compile_on_use(r"\\entry\{([^{}]{1,300})\}\{([^{}]{1,60})\}")
_FIELD_PATTERN = compile_on_use(r"\\(?:field|strng)\{([a-z]{1,30})\}\{")
_NAME_PATTERN = compile_on_use(r"\\name\{(author|editor)\}")
_NAME_END_PATTERN = compile_on_use(r"\\(?:strng|field|list|name|endentry|verb)\b")
_NAME_PART_PATTERN = compile_on_use(r"\b(family|given|prefix|suffix)=\{")
_PUBLISHER_PATTERN = compile_on_use(
    r"\\list\{(?:publisher|institution|organization)\}\{\d{1,3}\}\{"
)
_VERBATIM_PATTERN = compile_on_use(r"\\verb\{(doi|url|eprint)\}\s{1,10}\\verb ([^\n]{1,2000})")
_BRACE_PATTERN = compile_on_use(r"(?<!\\)[{}]")
_MAX_ENTRY_CHARS = 100_000

LATEX_FORMAT = "latex"
_COMMENT_PATTERN = compile_on_use(r"(?<!\\)%[^\n]*+")
_CITE_PATTERN = compile_on_use(
    r"\\(?:no|auto|paren|text|foot|smart|super|full|footfull|short)?[cC]ite"
    r"(?:s|p|t|alp|alt|author|year|yearpar|title|text|num|url)?\*?"
    r"(?:\s{0,3}[\[(][^\[\](){}]{0,300}[\])]){0,2}\s{0,3}\{([^{}]{1,5000})\}"
)
_RESOURCE_PATTERN = compile_on_use(
    r"\\(?:bibliography|addbibresource|addglobalbib|addsectionbib)\s{0,3}(?:\[[^\[\]]{0,300}\])?\s{0,3}\{([^{}]{1,2000})\}"
)
_INPUT_PATTERN = compile_on_use(r"\\(?:input|include|subfile)\s{0,3}\{([^{}]{1,300})\}")
_FILECONTENTS_PATTERN = compile_on_use(
    r"\\begin\{filecontents\*?\}(?:\[[^\[\]]{0,100}\])?\s{0,3}\{[^{}]{1,200}\.bib\}"
)
_FILECONTENTS_END_PATTERN = compile_on_use(r"\\end\{filecontents\*?\}")
BIBITEM_PATTERN = compile_on_use(r"\\bibitem(?![a-zA-Z])")
_BIBITEM_KEY_PATTERN = compile_on_use(r"\s{0,5}\{([^{}]{0,200})\}")
_LIST_END_PATTERN = compile_on_use(r"\\end\s{0,3}\{thebibliography\}")
_BIBLATEX_ENTRY_PATTERN = compile_on_use(r"\\entry\{")
_BLOCK_COMMAND_PATTERN = compile_on_use(
    r"\\(?:newblock|par|penalty0|BibitemOpen|bibAnnoteFile)(?![a-zA-Z])"
)
_MAX_LABEL_CHARS = 3000
_MAX_LISTED_KEYS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedKeys:
    """What a manuscript cites: keys with the line of their first citation, and files it names."""

    lines: Mapping[str, int]
    cites_all: bool
    bib_files: tuple[str, ...]
    input_files: tuple[str, ...]


def parse_latex_document(text: str) -> BibliographyDocument:
    r"""The references inside the text itself: \bibitem lists, biblatex's .bbl, embedded .bib files."""
    embedded = _extract_embedded_bib(text)
    if embedded:
        return select_cited_entries(bibtex_references.parse_bibtex_document(embedded), [text])
    # LaTeX comments are blanked out, so that lines keep their numbers.
    plain = _COMMENT_PATTERN.sub("", text)
    if _BIBLATEX_ENTRY_PATTERN.search(plain):
        return parse_biblatex_bbl(text)
    if BIBITEM_PATTERN.search(plain):
        return _parse_bibitem_list(plain)
    cited = find_cited_keys(text)
    reason = "The text has no list of references."
    if cited.bib_files:
        files = ", ".join(cited.bib_files)
        reason = f"The text cites {len(cited.lines)} {pluralize(len(cited.lines), 'key')} of {files}; give that file too, or audit the .tex file where the file lies beside it."
    return BibliographyDocument(
        format=LATEX_FORMAT, references=(), malformed=(MalformedEntry(line=1, reason=reason),)
    )


def find_cited_keys(text: str) -> CitedKeys:
    plain = _COMMENT_PATTERN.sub("", text)
    index = LineIndex(plain)
    lines: dict[str, int] = {}
    for match in _CITE_PATTERN.finditer(plain):
        for key in match[1].split(","):
            lines.setdefault(" ".join(key.split()), index.find_line_number(match.start()))
    lines.pop("", None)
    named = (
        name.strip() for match in _RESOURCE_PATTERN.finditer(plain) for name in match[1].split(",")
    )
    return CitedKeys(
        cites_all=lines.pop("*", None) is not None,
        lines=lines,
        bib_files=tuple(dict.fromkeys(_add_suffix(name, ".bib") for name in named if name)),
        input_files=tuple(
            dict.fromkeys(
                _add_suffix(match[1].strip(), ".tex") for match in _INPUT_PATTERN.finditer(plain)
            )
        ),
    )


def select_cited_entries(
    document: BibliographyDocument, texts: Collection[str]
) -> BibliographyDocument:
    """The entries that the texts cite; missing keys are reported as damage, uncited ones as a note.

    All entries are kept if nothing is cited, or everything is.
    """
    found = [find_cited_keys(text) for text in texts]
    cited: dict[str, int] = {}
    for part in found:
        for key, line in part.lines.items():
            cited.setdefault(key, line)
    if not cited or any(part.cites_all for part in found):
        return replace(document, format=LATEX_FORMAT)
    wanted = {key.lower() for key in cited}
    kept = tuple(part for part in document.references if part.key.lower() in wanted)
    present = {reference.key.lower() for reference in document.references}
    missing = tuple(
        MalformedEntry(
            line=line, reason=f"The key {clean_reference_value(key)} is cited, and no entry has it."
        )
        for key, line in cited.items()
        if key.lower() not in present
    )
    left = [part.key for part in document.references if part.key.lower() not in wanted]
    return BibliographyDocument(
        format=LATEX_FORMAT,
        references=kept,
        malformed=(*missing, *document.malformed),
        notes=_describe_uncited_keys(left),
    )


def _describe_uncited_keys(keys: list[str]) -> tuple[str, ...]:
    if not keys:
        return ()
    shown = ", ".join(key or "(no key)" for key in keys[:_MAX_LISTED_KEYS])
    more = f" and {len(keys) - _MAX_LISTED_KEYS} more" if len(keys) > _MAX_LISTED_KEYS else ""
    entries = "1 entry is" if len(keys) == 1 else f"{len(keys)} entries are"
    return (f"{entries} not cited, and so not checked: {shown}{more}.",)


def _add_suffix(name: str, suffix: str) -> str:
    return name if PurePosixPath(name).suffix else f"{name}{suffix}"


def _extract_embedded_bib(text: str) -> str:
    """The .bib files that filecontents environments hold, with the lines where they stand."""
    parts: list[str] = []
    done = 0
    for match in _FILECONTENTS_PATTERN.finditer(text):
        end = _FILECONTENTS_END_PATTERN.search(text, match.end())
        if match.start() >= done and end is not None:
            parts.append("\n" * text.count("\n", done, match.end()))
            parts.append(text[match.end() : end.start()])
            done = end.start()
    return "".join(parts)


def _parse_bibitem_list(text: str) -> BibliographyDocument:
    index = LineIndex(text)
    starts = [match.start() for match in BIBITEM_PATTERN.finditer(text)]
    references: list[Reference] = []
    malformed: list[MalformedEntry] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line = index.find_line_number(start)
        if len(references) + len(malformed) >= MAX_PROSE_REFERENCES:
            malformed.append(MalformedEntry(line=line, reason=PROSE_LIMIT_REASON))
            break
        key, body = split_bibitem(text[start:end])
        if not body:
            malformed.append(MalformedEntry(line=line, reason=f"The item {key} is empty."))
            continue
        before = references[-1] if references else None
        read = prose_references.parse_prose_reference(
            body[: prose_references.MAX_REFERENCE_CHARS], before=before
        )
        references.append(replace(read, key=key, line=line))
    return BibliographyDocument(
        format=LATEX_FORMAT,
        references=tuple(references),
        malformed=tuple(malformed),
        is_guessed=True,
    )


def split_bibitem(item: str) -> tuple[str, str]:
    """The key and the plain text of an item."""
    ending = _LIST_END_PATTERN.search(item)
    body = item[len("\\bibitem") : ending.start() if ending else len(item)].lstrip()
    if body.startswith("["):
        body = body[_find_label_end(body) :]
    match = _BIBITEM_KEY_PATTERN.match(body)
    key = clean_reference_value(match[1]) if match else ""
    words = _BLOCK_COMMAND_PATTERN.sub(" ", body[match.end() if match else 0 :])[:8000]
    words = latex_text.unwrap_link_commands(words)
    return key, clean_reference_value(latex_text.convert_latex_text(words))[:4000]


def _find_label_end(body: str) -> int:
    """The offset after the label in brackets, which may hold braces with brackets in them."""
    depth = 0
    for place, char in enumerate(body[:_MAX_LABEL_CHARS]):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "]" and depth <= 0:
            return place + 1
    return 0


# Parses the .bbl files that biber writes for biblatex: \entry … \endentry with \field and \name.


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
    year, month, day = (
        int(number) if number.isdecimal() and len(number) < 5 else 0 for number in numbers
    )
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
        pages=file_records.clean_page_range(fields.get("pages", "")),
        publisher=clean_reference_value(
            latex_text.convert_latex_text(_read_braced(body, house.end())).strip()
        )
        if house
        else "",
        url=codes.get("url", ""),
        ids=file_records.collect_field_ids(
            doi=codes.get("doi", ""),
            isbn=fields.get("isbn", ""),
            urls=[
                codes.get("url", ""),
                f"https://arxiv.org/abs/{codes['eprint']}"
                if codes.get("eprint") and fields.get("eprinttype", "arxiv").lower() == "arxiv"
                else "",
            ],
        ),
        kind=load_texts(__package__, "bibtex_references", "bibtex_kinds").get(match[2].lower(), ""),
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
        reference_fields.build_person(
            family=" ".join(filter(None, (person.get("prefix", ""), person.get("family", "")))),
            given=person.get("given", ""),
            suffix=person.get("suffix", ""),
        )
        if person.get("given")
        else reference_fields.parse_whole_name(person.get("family", ""))
        for person in people
        if person.get("family")
    )


def _read_braced(text: str, start: int) -> str:
    """The text up to the brace that closes the one before `start`, within reason."""
    depth = 1
    for match in _BRACE_PATTERN.finditer(text, start, start + 8000):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return text[start : match.start()]
    return ""
