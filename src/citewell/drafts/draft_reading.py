"""Reads a draft: its statements, its citations and its references, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citewell.citations import references
from citewell.citations.references.reference_fields import Reference
from citewell.core.errors import InvalidInput
from citewell.core.values.counted_words import pluralize
from citewell.drafts.citation_linking import CitationLinker, LinkedMark, NoteTable, choose_marks
from citewell.drafts.draft import (
    DOCUMENT_FORMATS,
    DRAFT_FORMATS,
    CitationForm,
    CitationMark,
    Draft,
    DraftBlock,
    DraftBlockKind,
    DraftCitation,
    DraftReference,
    DraftView,
    TargetKind,
    TextSpan,
    blank_spans,
    build_mark,
    detect_draft_format,
    list_targets,
    print_document_text,
    select_blocks,
)
from citewell.drafts.list_sections import ListSection, find_list_sections
from citewell.drafts.listed_references import (
    ListedEntry,
    read_defined_entries,
    read_listed_entries,
)
from citewell.drafts.marks import address_marks, name_marks, number_marks
from citewell.drafts.marks.address_marks import find_legal_marks
from citewell.drafts.reference_table import PlaceIndex, ReferenceTable, TextSegment
from citewell.drafts.statement_reading import StatementReader
from citewell.drafts.structured_entries import read_html_entries, read_latex_entries
from citewell.drafts.views.html_views import build_html_view
from citewell.drafts.views.latex_views import build_latex_view
from citewell.drafts.views.markdown_views import build_markdown_view, list_note_brackets
from citewell.text.language.detection import detect_language

_KEY_REGEX = r"@(?:\{([^{}\s]{1,200})\}|([^\W_][\w:.#$%&+?<>~/-]{0,200}))"
_KEY_PATTERN = re.compile(_KEY_REGEX)
_GROUP_PATTERN = re.compile(r"\[([^\[\]@]{0,200}@[^\[\]]{1,2000})\](?!\()")
_BARE_KEY_PATTERN = re.compile(rf"(?<![\w@.;/\[-])-?{_KEY_REGEX}(?:\s\[([^\[\]\n]{{1,80}})\])?")
_CROSS_REFERENCE_PATTERN = re.compile(
    r"(?:fig|tbl|tab|sec|eq|lst|thm|lem|cor|prp|exm|exr|def|apx)[-:]"
)
_NOTE_MARK_PATTERN = re.compile(r"\[\^([^\[\]\s]{1,60})\](?!:)")
_TRAILING_CHARS = ".:#$%&+?<>~/-"

MAX_DRAFT_CHARS = 4_000_000  # a book of more than a thousand pages
_MAX_LANGUAGE_CHARS = 20_000
_MAX_LISTED_KEYS = 20
_ENTRY_READERS = {"html": read_html_entries, "latex": read_latex_entries}


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSource:
    """A draft to be read, with what is known of it beside its text."""

    text: str
    format: str = "auto"
    name: str = ""
    bibliography: str = ""
    segments: tuple[TextSegment, ...] = ()  # the files that a LaTeX text was put together from
    marks: tuple[CitationMark, ...] = ()  # citations that are known already, such as Word fields
    notes: tuple[str, ...] = ()


def read_draft_source(source: DraftSource) -> Draft:
    """All that is read of a draft; its `bibliography` is the text of a .bib file or the like beside it.

    Raises InvalidInput for an unknown format, and for a text that is too long or empty.
    """
    _check_source(source)
    text = source.text
    chosen = source.format if source.format != "auto" else detect_draft_format(text, source.name)
    view = build_draft_view(text, chosen)
    places = PlaceIndex(
        text, segments=source.segments, counts_paragraphs=chosen in DOCUMENT_FORMATS
    )
    sections = find_list_sections(view, is_plain=chosen in {"plain", "pdf"})
    entries = _ENTRY_READERS.get(chosen, read_listed_entries)(view, sections)
    entries += read_defined_entries(view, len(sections))
    entries += [
        ListedEntry(reference=work, start=start, end=end, section=len(sections) + 1)
        for (start, end), work in view.works
    ]
    notes: list[str] = list(source.notes)
    table = ReferenceTable(
        entries=entries,
        sections=sections,
        bibliography=_parse_given_bibliography(source.bibliography, notes),
        places=places,
    )
    linked, note_table, silent = _link_citations(view, source, sections, table, chosen)
    view = replace(view, spoken=blank_spans(view.spoken, silent))
    ids = [f"c{number}" for number in range(1, len(linked) + 1)]
    language = detect_language(view.spoken[:_MAX_LANGUAGE_CHARS]) or ""
    reader = StatementReader(
        view, linked=linked, ids=ids, places=places, draft_format=chosen, language=language
    )
    citations = tuple(
        _build_draft_citation(link, name, view, table, places)
        for link, name in zip(linked, ids, strict=True)
    )
    if chosen in DOCUMENT_FORMATS:
        citations = tuple(
            replace(citation, text=print_document_text(citation.text)) for citation in citations
        )
    cited = {name for citation in citations for name in citation.reference_ids}
    kept = _keep_cited(table, cited, view.listed_keys, notes)
    if not citations:
        notes.append("No citation was found in the text.")
    return Draft(
        text=text,
        format=chosen,
        language=language,
        statements=reader.read_statements(_select_body(view, sections, note_table)),
        citations=citations,
        references=tuple(kept),
        uncited_reference_ids=tuple(
            reference.id
            for reference in kept
            if reference.is_listed and reference.place is not None and reference.id not in cited
        ),
        notes=tuple(notes),
    )


def _check_source(source: DraftSource) -> None:
    if source.format != "auto" and source.format not in DRAFT_FORMATS:
        raise InvalidInput(
            f"Unknown format {source.format}; use one of {', '.join(('auto', *DRAFT_FORMATS))}."
        )
    if len(source.text) > MAX_DRAFT_CHARS:
        raise InvalidInput(describe_long_draft(len(source.text)))
    if not source.text.strip():
        raise InvalidInput("The draft is empty.")


def describe_long_draft(chars: int) -> str:
    return f"The draft has {chars:,} {pluralize(chars, 'character')}, and at most {MAX_DRAFT_CHARS:,} are read. Check it in parts, such as one chapter at a time, each with its list of references."


def build_draft_view(text: str, draft_format: str) -> DraftView:
    """The view of a text in one of DRAFT_FORMATS."""
    if draft_format == "html":
        return build_html_view(text)
    if draft_format == "latex":
        return build_latex_view(text)
    return build_markdown_view(
        text,
        is_plain=draft_format in {"plain", "pdf"},
        is_document=draft_format in DOCUMENT_FORMATS,
    )


def _parse_given_bibliography(text: str, notes: list[str]) -> Sequence[Reference]:
    if not text.strip():
        return ()
    document = references.parse_bibliography(text)
    if document.malformed:
        count = len(document.malformed)
        entries = "1 entry" if count == 1 else f"{count} entries"
        notes.append(
            f"{entries} of the bibliography could not be read; the first is in line {document.malformed[0].line}: {document.malformed[0].reason}"
        )
    return document.references


def _link_citations(
    view: DraftView,
    source: DraftSource,
    sections: tuple[ListSection, ...],
    table: ReferenceTable,
    chosen: str,
) -> tuple[list[LinkedMark], NoteTable, list[TextSpan]]:
    """The citations, the notes, and where marks of notes stand that cite nothing."""
    lists = list(_iterate_list_spans(view, sections))
    hidden = [place for _, _, place in view.definitions]
    marks = choose_marks(
        (*source.marks, *view.marks, *_iterate_marks(view, table, chosen)), [*lists, *hidden]
    )
    notes: list[TextSpan] = [(entry.start, entry.end) for entry in view.note_entries]
    inside = choose_marks(marks, notes)
    outside = {id(mark) for mark in inside}
    noted = [mark for mark in marks if id(mark) not in outside]
    note_table = NoteTable(view, table, noted)
    linker = CitationLinker(table, note_table)
    linked = linker.link_marks(inside)
    if not any(link.mark.form is CitationForm.NUMBER for link in linked) and table.has_numbers:
        linked = _link_doubtful_numbers(view, inside, linker, [*lists, *hidden, *notes])
    kept = {link.mark.start for link in linked}
    silent = [
        span
        for mark in inside
        if mark.form is CitationForm.NOTE and mark.start not in kept
        for span in mark.hidden
    ]
    return linked, note_table, silent


def _iterate_list_spans(view: DraftView, sections: tuple[ListSection, ...]) -> Iterator[TextSpan]:
    """The lists of references without the notes that stand among them."""
    for section in sections:
        at = section.heading_start
        for block in select_blocks(view, section.start, section.end):
            if block.kind is DraftBlockKind.NOTE:
                yield at, block.start
                at = block.end
        yield at, section.end


def _link_doubtful_numbers(
    view: DraftView,
    marks: list[CitationMark],
    linker: CitationLinker,
    excluded: list[TextSpan],
) -> list[LinkedMark]:
    """With a numbered list and no numbers in square brackets, other numbers may cite it.

    Those are numbers in parentheses or, if no names and years cite works, superscripts pasted as digits:
    whichever cite the list more often.
    """
    found = number_marks.find_number_marks(view.spoken, has_parentheses=True)
    bracketed = linker.link_marks(choose_marks((*marks, *found), excluded))
    if any(link.references and link.mark.form is CitationForm.AUTHOR_YEAR for link in bracketed):
        return bracketed
    flat = number_marks.find_flat_marks(blank_spans(view.spoken, excluded))
    raised = linker.link_marks(choose_marks((*marks, *flat), excluded))
    return max(
        bracketed,
        raised,
        key=lambda linked: sum(
            link.mark.form is CitationForm.NUMBER and bool(link.references) for link in linked
        ),
    )


def _iterate_marks(
    view: DraftView, table: ReferenceTable, draft_format: str
) -> Iterator[CitationMark]:
    """Marks of all kinds; where two overlap, the one that comes first here counts."""
    definitions = {label.casefold(): address for label, address, _ in view.definitions}
    if draft_format in {"html", "latex"}:
        yield from address_marks.find_bare_marks(view.spoken, [])
    else:
        # The brackets of a note are not those of a group of keys or of a link.
        brackets = [span for note in view.note_entries for span in list_note_brackets(note)]
        bare = blank_spans(view.text, brackets) if brackets else view.text
        yield from address_marks.find_address_marks(bare, definitions)
        for match in _NOTE_MARK_PATTERN.finditer(view.text):
            yield number_marks.build_note_mark(match.start(), match.end(), match[1])
        yield from find_key_marks(bare)
    yield from find_legal_marks(view.spoken)
    yield from number_marks.find_number_marks(view.spoken)
    yield from number_marks.find_raised_marks(view.text)
    if table.has_labels:
        yield from number_marks.find_label_marks(view.spoken)
    yield from name_marks.find_name_marks(view.spoken)
    if table.listed_count:
        yield from name_marks.find_bare_name_marks(view.spoken)
        yield from name_marks.find_page_marks(view.spoken)


def _select_body(
    view: DraftView, sections: tuple[ListSection, ...], notes: NoteTable
) -> list[DraftBlock]:
    """The blocks that hold statements: all but lists of references and notes that are citations."""
    remarks = {entry.start for entry in notes.remarks}
    ends = iter(sections)
    section = next(ends, None)
    kept: list[DraftBlock] = []
    for block in view.blocks:
        while section is not None and block.start >= section.end:
            section = next(ends, None)
        if section is not None and block.start >= section.heading_start:
            continue
        if block.kind is DraftBlockKind.NOTE and block.start not in remarks:
            continue
        kept.append(block)
    return kept


def _keep_cited(
    table: ReferenceTable, cited: set[str], listed_keys: tuple[str, ...], notes: list[str]
) -> list[DraftReference]:
    """The references without entries of the bibliography beside it that the draft does not use."""
    printed = {key.casefold() for key in listed_keys}
    unused = [
        reference
        for reference in table.bibliography
        if reference.id not in cited
        and "*" not in printed
        and reference.reference.key.casefold() not in printed
    ]
    if unused:
        shown = ", ".join(
            entry.reference.key or entry.reference.title[:60] for entry in unused[:_MAX_LISTED_KEYS]
        )
        more = (
            f" and {len(unused) - _MAX_LISTED_KEYS} more" if len(unused) > _MAX_LISTED_KEYS else ""
        )
        entries = (
            "1 entry of the bibliography is"
            if len(unused) == 1
            else f"{len(unused)} entries of the bibliography are"
        )
        notes.append(f"{entries} not cited: {shown}{more}.")
    left_out = {entry.id for entry in unused}
    return [reference for reference in table.references if reference.id not in left_out]


def _build_draft_citation(
    link: LinkedMark, name: str, view: DraftView, table: ReferenceTable, places: PlaceIndex
) -> DraftCitation:
    return DraftCitation(
        id=name,
        form=link.mark.form,
        text=" ".join(view.text[link.mark.start : link.mark.end].split()),
        place=places.build_place(link.mark.start, link.mark.end),
        reference_ids=tuple(table.references[place].id for place in link.references),
        missing=link.missing,
    )


# Citations by key in markdown, as pandoc and Quarto write them: [@key; @other, p.


def find_key_marks(text: str) -> Iterator[CitationMark]:
    ends = 0
    for match in _GROUP_PATTERN.finditer(text):
        keys = [_clean_key(found) for found in _KEY_PATTERN.finditer(match[1])]
        keys = [key for key in keys if key and not _CROSS_REFERENCE_PATTERN.match(key)]
        if keys and "@" not in text[match.start() - 1 : match.start()]:
            yield from _find_bare_keys(text, ends, match.start())
            ends = match.end()
            yield _build_key_mark(match.start(), match.end(), keys, is_textual=False)
    yield from _find_bare_keys(text, ends, len(text))


def _find_bare_keys(text: str, start: int, end: int) -> Iterator[CitationMark]:
    """Keys in running text, which may as well be names of accounts."""
    for match in _BARE_KEY_PATTERN.finditer(text, start, end):
        key = _clean_key(match)
        if not key or _CROSS_REFERENCE_PATTERN.match(key):
            continue
        stop = match.end() if match[3] else match.start() + match[0].index("@") + 1 + len(key)
        yield _build_key_mark(match.start(), stop, [key], is_textual=True)


def _clean_key(match: re.Match[str]) -> str:
    return match[1] or match[2].rstrip(_TRAILING_CHARS)


def _build_key_mark(start: int, end: int, keys: list[str], *, is_textual: bool) -> CitationMark:
    return build_mark(
        (start, end),
        CitationForm.KEY,
        list_targets(TargetKind.KEY, keys, is_optional=is_textual),
        is_textual=is_textual,
        shows_authors=is_textual,
    )
