"""Reads OpenDocument text, slides and sheets (content.xml) as markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from citewell.reading.documents import document_text, xml_tree
from citewell.reading.documents.document_markdown import (
    format_list_marker,
    format_list_number,
    format_markdown_cell,
    format_plain_cell,
    render_markdown_table,
)
from citewell.reading.documents.document_packages import ZipDocument, read_office_properties
from citewell.reading.documents.office.excel_workbook import SheetRows
from citewell.reading.markdown import markdown_text

_NUMBER_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}

_MAX_REPEATS = 256  # a sheet may end in one row or column repeated a million times
_MAX_OPENDOCUMENT_CELLS = 2_000_000
_SKIPPED_ELEMENTS = frozenset(
    {"annotation", "tracked-changes", "bookmark", "sequence-decls", "forms", "note-citation"}
)
_CONTAINER_ELEMENTS = frozenset(
    {
        "section",
        "index-body",
        "table-of-content",
        "frame",
        "text-box",
        "g",
        "page",
        "custom-shape",
        "rect",
        "note-body",
    }
)
_MAX_ELEMENT_DEPTH = 60


def read_odt(job: document_text.DocumentRequest) -> document_text.DocumentText:
    archive = ZipDocument(job.body, job.limits)
    document = OpenDocument(archive)
    about = read_office_properties(archive)
    return replace(about, markdown=document.render_text(), notes=document.describe_hidden_text())


def read_odp(job: document_text.DocumentRequest) -> document_text.DocumentText:
    archive = ZipDocument(job.body, job.limits)
    document = OpenDocument(archive)
    markdown, count = document.render_slides()
    return replace(
        read_office_properties(archive),
        markdown=markdown,
        page_count=count,
        notes=document.describe_hidden_text(),
    )


class OpenDocument:
    """One OpenDocument file, with the names of its styles that hide text or number lists."""

    def __init__(self, archive: ZipDocument) -> None:
        if "content.xml" not in archive:
            raise document_text.Broken("The document has no content.xml part.")
        manifest = archive.find_member("META-INF/manifest.xml") or b""
        if b"encryption-data" in manifest:
            raise document_text.EncryptedDocument(
                "The document is encrypted and opens only with a password."
            )
        self._root = xml_tree.parse_xml_bytes(archive.read_member("content.xml"))
        styles = archive.find_member("styles.xml")
        self._styles = OpenDocumentStyles(
            self._root, *([xml_tree.parse_xml_bytes(styles)] if styles else [])
        )
        self._list_numbers: dict[str, int] = {}  # the next number of a list that may go on
        self._footnotes: list[str] = []
        self._dropped = 0
        self._hidden_slides = 0

    def _require_body(self, kind: str) -> Element:
        body = xml_tree.find_child_element(self._root, "body")
        content = xml_tree.find_child_element(body, kind)
        if content is not None:
            return content
        raise document_text.Broken("The document's content.xml has no body.")

    def describe_hidden_text(self) -> tuple[str, ...]:
        slides = document_text.describe_hidden_slides(self._hidden_slides)
        return slides + document_text.describe_hidden_text(self._dropped)

    def render_text(self) -> str:
        blocks = self._render_child_blocks(self._require_body("text"))
        return "\n\n".join(blocks + self._footnotes)

    def render_slides(self) -> tuple[str, int]:
        parts: list[str] = []
        listed = xml_tree.collect_child_elements(self._require_body("presentation"), "page")
        pages = [page for page in listed if not self._styles.is_hidden(page)]
        self._hidden_slides = len(listed) - len(pages)
        for number, page in enumerate(pages, 1):
            title = next(
                (frame for frame in page if xml_tree.find_xml_attribute(frame, "class") == "title"),
                None,
            )
            name = " ".join(self._render_child_blocks(title)) if title is not None else ""
            parts.append(f"## {name}" if name else f"## Slide {number}")
            for frame in page:
                if frame is not title and xml_tree.strip_namespace(frame) != "notes":
                    parts += self._render_child_blocks(frame)
            notes = xml_tree.find_child_element(page, "notes")
            spoken = " ".join(self._render_child_blocks(notes)) if notes is not None else ""
            if spoken:
                parts.append(f"> Notes: {spoken}")
        return "\n\n".join(parts), len(pages)

    def list_sheets(self) -> tuple[list[Element], list[str]]:
        """The visible sheets, and the names of the hidden ones."""
        sheets = xml_tree.collect_child_elements(self._require_body("spreadsheet"), "table")
        hidden = [sheet for sheet in sheets if self._styles.is_hidden(sheet)]
        names = [xml_tree.find_xml_attribute(sheet, "name") for sheet in hidden]
        return [sheet for sheet in sheets if sheet not in hidden], names

    def read_sheet(self, sheet: Element) -> SheetRows:
        name = xml_tree.find_xml_attribute(sheet, "name")
        return SheetRows(name, self._read_odf_rows(sheet, plain=True))

    def _render_child_blocks(self, element: Element, depth: int = 0) -> list[str]:
        if depth > _MAX_ELEMENT_DEPTH:
            return []
        made: list[str] = []
        for item in element:
            made += self._render_odf_block(item, depth)
        return [block for block in made if block.strip()]

    def _render_odf_block(self, item: Element, depth: int) -> list[str]:
        name = xml_tree.strip_namespace(item)
        if name == "h":
            level = xml_tree.find_xml_attribute(item, "outline-level")
            hashes = "#" * min(int(level), 6) if level.isascii() and level.isdigit() else "#"
            text = self._render_inline_text(item).strip()
            return [f"{hashes} {text}"] if text else []
        if name == "p":
            text = self._render_inline_text(item).strip()
            boxes = [
                block
                for frame in xml_tree.find_descendants(item, "text-box")
                for block in self._render_child_blocks(frame, depth + 1)
            ]
            return [markdown_text.escape_line_starts(text) if text else "", *boxes]
        if name == "list":
            return self._render_list_blocks(item, depth)
        if name == "table":
            return [render_markdown_table(self._read_odf_rows(item, plain=False))]
        if name == "section" and xml_tree.find_xml_attribute(item, "display") == "none":
            self._dropped += 1
            return []
        return self._render_child_blocks(item, depth + 1) if name in _CONTAINER_ELEMENTS else []

    def _render_list_blocks(self, item: Element, depth: int) -> list[str]:
        """The list as one block, or the headings in it, which a list may number, as headings."""
        if next(xml_tree.find_descendants(item, "h"), None) is None:
            return ["\n".join(self._render_list_lines(item, 0))]
        if depth > _MAX_ELEMENT_DEPTH:
            return []
        return [
            block
            for entry in item
            for part in entry
            for block in self._render_odf_block(part, depth + 1)
        ]

    def _render_list_lines(self, item: Element, level: int, style: str = "") -> list[str]:
        style = xml_tree.find_xml_attribute(item, "style-name") or style
        rule = self._styles.list_levels.get((style, level))
        number = self._find_list_start(item, style, level)
        lines: list[str] = []
        for entry in item:
            if xml_tree.strip_namespace(entry) not in {"list-item", "list-header"} or level > 12:
                continue
            shown = rule is not None and xml_tree.strip_namespace(entry) == "list-item"
            number = parse_list_value(entry, "start-value", number) if shown else number
            mark = format_list_marker(rule.format_label(number) if rule and shown else "")
            number += shown
            for place, part in enumerate(entry):
                if xml_tree.strip_namespace(part) == "list":
                    lines += self._render_list_lines(part, level + 1, style)
                elif xml_tree.strip_namespace(part) in {"p", "h"}:
                    text = self._render_inline_text(part).strip()
                    lines.append("  " * level + (mark if place == 0 else "  ") + text)
        if rule is not None and level == 0:
            self._list_numbers[style] = number
        return lines

    def _find_list_start(self, item: Element, style: str, level: int) -> int:
        """The number of a list's first item: it may go on from the list of its style before it."""
        rule = self._styles.list_levels.get((style, level))
        goes_on = xml_tree.find_xml_attribute(item, "continue-numbering") == "true" or (
            xml_tree.find_xml_attribute(item, "continue-list") != ""
        )
        start = rule.start if rule is not None else 1
        return self._list_numbers.get(style, start) if goes_on and level == 0 else start

    def _read_odf_rows(self, sheet: Element, *, plain: bool) -> list[list[str]]:
        rows: list[list[str]] = []
        cells = 0
        for row in _iterate_table_rows(sheet):
            made = self._read_odf_row(row, plain=plain)
            cells += len(made) + 1
            if cells > _MAX_OPENDOCUMENT_CELLS:
                raise document_text.TookTooMuch("The table has more cells than are allowed.")
            rows += [made] * (_parse_repeat_count(row, "number-rows-repeated") if any(made) else 1)
        while rows and not any(rows[-1]):
            rows.pop()
        return rows

    def _read_odf_row(self, row: Element, *, plain: bool) -> list[str]:
        made: list[str] = []
        for cell in row:
            if xml_tree.strip_namespace(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            if plain:
                paragraphs = xml_tree.collect_child_elements(cell, "p")
                text = format_plain_cell(" ".join(map(xml_tree.join_element_text, paragraphs)))
            else:
                text = format_markdown_cell(" ".join(self._render_child_blocks(cell)))
            made += [text] * _parse_repeat_count(cell, "number-columns-repeated")
        while made and not made[-1]:
            made.pop()
        return made

    def _render_inline_text(self, element: Element) -> str:
        return "".join(self._iterate_inline_pieces(element, 0))

    def _iterate_inline_pieces(self, element: Element, depth: int) -> Iterator[str]:
        if depth > _MAX_ELEMENT_DEPTH:
            return
        yield markdown_text.escape_markdown(markdown_text.squeeze_spaces(element.text or ""))
        for item in element:
            yield from self._render_inline_piece(item, depth + 1)
            yield markdown_text.escape_markdown(markdown_text.squeeze_spaces(item.tail or ""))

    def _render_inline_piece(self, item: Element, depth: int) -> Iterator[str]:
        name = xml_tree.strip_namespace(item)
        if name in {"s", "tab"}:
            yield " "
        elif name == "line-break":
            yield "  \n"
        elif name == "note":
            yield self._add_footnote(item)
        elif (
            name == "hidden-text"
            or xml_tree.find_xml_attribute(item, "style-name") in self._styles.hidden_names
        ):
            self._dropped += 1
        elif name == "a":
            text = "".join(self._iterate_inline_pieces(item, depth)).strip()
            address = markdown_text.resolve_link("", xml_tree.find_xml_attribute(item, "href"))
            yield (
                f"[{text}]({address})" if text and address.startswith(("http", "mailto")) else text
            )
        elif name not in _SKIPPED_ELEMENTS and name not in _CONTAINER_ELEMENTS:
            yield from self._iterate_inline_pieces(item, depth)

    def _add_footnote(self, item: Element) -> str:
        body = xml_tree.find_child_element(item, "note-body")
        label = str(len(self._footnotes) + 1)
        if body is None:
            return ""
        self._footnotes.append("")  # reserves the number while nested notes are read
        self._footnotes[int(label) - 1] = f"[^{label}]: " + " ".join(
            self._render_child_blocks(body)
        )
        return f"[^{label}]"


def _iterate_table_rows(sheet: Element) -> Iterator[Element]:
    for item in sheet:
        name = xml_tree.strip_namespace(item)
        if name == "table-row":
            if xml_tree.find_xml_attribute(item, "visibility") not in {"collapse", "filter"}:
                yield item
        elif name in {"table-header-rows", "table-row-group", "table-rows"}:
            yield from _iterate_table_rows(item)


def _parse_repeat_count(element: Element, name: str) -> int:
    count = xml_tree.find_xml_attribute(element, name)
    return min(xml_tree.parse_short_number(count, 1), _MAX_REPEATS)


# Reads which styles of an OpenDocument file hide content or number lists.


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLevelStyle:
    """How one level of a numbered list shows its numbers."""

    number_format: str
    prefix: str
    suffix: str
    start: int

    def format_label(self, number: int) -> str:
        """The label that stands before an item, such as "2." or "(b)"."""
        shown = format_list_number(number, _NUMBER_FORMATS.get(self.number_format, "decimal"))
        return f"{self.prefix}{shown}{self.suffix}".strip()


class OpenDocumentStyles:
    """The styles of the roots that define any: content and styles."""

    def __init__(self, *roots: Element) -> None:
        self.hidden_names: set[str] = set()
        self.list_levels: dict[tuple[str, int], ListLevelStyle] = {}
        for root in roots:
            for element in root.iter():
                name = xml_tree.find_xml_attribute(element, "name")
                if xml_tree.strip_namespace(element) == "style":
                    if any(map(_hides_content, element)):
                        self.hidden_names.add(name)
                elif xml_tree.strip_namespace(element) == "list-style":
                    self._collect_list_levels(element, name)

    def is_hidden(self, element: Element) -> bool:
        """Whether the style of a text, sheet or slide hides it."""
        return xml_tree.find_xml_attribute(element, "style-name") in self.hidden_names

    def _collect_list_levels(self, style: Element, name: str) -> None:
        for level in xml_tree.collect_child_elements(style, "list-level-style-number"):
            place = parse_list_value(level, "level", 1) - 1
            self.list_levels[name, place] = ListLevelStyle(
                number_format=xml_tree.find_xml_attribute(level, "num-format"),
                prefix=xml_tree.find_xml_attribute(level, "num-prefix")[:20],
                suffix=xml_tree.find_xml_attribute(level, "num-suffix")[:20],
                start=parse_list_value(level, "start-value", 1),
            )


def _hides_content(properties: Element) -> bool:
    return (
        xml_tree.find_xml_attribute(properties, "display") in {"none", "false"}
        or xml_tree.find_xml_attribute(properties, "visibility") == "hidden"
    )


def parse_list_value(element: Element, name: str, default: int) -> int:
    """A small number in an attribute; `default` if it is absent or no number."""
    number = xml_tree.find_xml_attribute(element, name)
    return xml_tree.parse_short_number(number, default, max_digits=5)
