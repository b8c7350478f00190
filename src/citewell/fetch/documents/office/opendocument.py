"""Reads OpenDocument text, slides and sheets (content.xml) as markdown."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import Broken, EncryptedDocument, TookTooMuch
from citewell.fetch.documents.list_markers import format_list_marker
from citewell.fetch.documents.markdown_tables import (
    format_markdown_cell,
    format_plain_cell,
    render_markdown_table,
)
from citewell.fetch.documents.office.opendocument_styles import (
    OpenDocumentStyles,
    parse_list_value,
)
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.fetch.markdown.markdown_text import (
    escape_line_starts,
    escape_markdown,
    resolve_link,
    squeeze_spaces,
)
from citewell.model.counted_words import pluralize

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


class OpenDocument:
    """One OpenDocument file, with the names of its styles that hide text or number lists."""

    def __init__(self, archive: ZipDocument) -> None:
        if "content.xml" not in archive:
            raise Broken("The document has no content.xml part.")
        manifest = archive.find_member("META-INF/manifest.xml") or b""
        if b"encryption-data" in manifest:
            raise EncryptedDocument("The document is encrypted and opens only with a password.")
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
        found = xml_tree.find_child_element(body, kind) if body is not None else None
        if found is not None:
            return found
        raise Broken("The document's content.xml has no body.")

    def describe_hidden_text(self) -> tuple[str, ...]:
        slides = f"{self._hidden_slides} {pluralize(self._hidden_slides, 'hidden slide was', 'hidden slides were')} left out."
        text = f"{self._dropped} {pluralize(self._dropped, 'piece of hidden text was', 'pieces of hidden text were')} left out."
        return ((slides,) if self._hidden_slides else ()) + ((text,) if self._dropped else ())

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
            said = " ".join(self._render_child_blocks(notes)) if notes is not None else ""
            if said:
                parts.append(f"> Notes: {said}")
        return "\n\n".join(parts), len(pages)

    def read_sheets(self) -> list[tuple[str, list[list[str]]]]:
        found = xml_tree.collect_child_elements(self._require_body("spreadsheet"), "table")
        return [
            (xml_tree.find_xml_attribute(sheet, "name"), self._read_odf_rows(sheet, plain=True))
            for sheet in found
            if not self._styles.is_hidden(sheet)
        ]

    def list_hidden_sheets(self) -> list[str]:
        found = xml_tree.collect_child_elements(self._require_body("spreadsheet"), "table")
        return [
            xml_tree.find_xml_attribute(sheet, "name")
            for sheet in found
            if self._styles.is_hidden(sheet)
        ]

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
            return [
                _guard_paragraph(self._render_inline_text(item).strip()),
                *self._render_text_boxes(item, depth),
            ]
        if name == "list":
            return self._render_list_blocks(item, depth)
        if name == "table":
            return [render_markdown_table(self._read_odf_rows(item, plain=False))]
        if name == "section" and xml_tree.find_xml_attribute(item, "display") == "none":
            self._dropped += 1
            return []
        return self._render_child_blocks(item, depth + 1) if name in _CONTAINER_ELEMENTS else []

    def _render_text_boxes(self, item: Element, depth: int) -> list[str]:
        """Blocks of the text boxes anchored in a paragraph."""
        return [
            block
            for frame in item.iter()
            if xml_tree.strip_namespace(frame) == "text-box"
            for block in self._render_child_blocks(frame, depth + 1)
        ]

    def _render_list_blocks(self, item: Element, depth: int) -> list[str]:
        """The list as one block, or the headings in it, which a list may number, as headings."""
        if all(xml_tree.strip_namespace(part) != "h" for part in item.iter()):
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
                raise TookTooMuch("The table has more cells than are allowed.")
            rows += [made] * (_parse_repeat_count(row, "number-rows-repeated") if any(made) else 1)
        while rows and not any(rows[-1]):
            rows.pop()
        return rows

    def _read_odf_row(self, row: Element, *, plain: bool) -> list[str]:
        made: list[str] = []
        for cell in row:
            if xml_tree.strip_namespace(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            made += [self._format_odf_cell(cell, plain=plain)] * _parse_repeat_count(
                cell, "number-columns-repeated"
            )
        while made and not made[-1]:
            made.pop()
        return made

    def _format_odf_cell(self, cell: Element, *, plain: bool) -> str:
        if plain:
            return format_plain_cell(
                " ".join(
                    xml_tree.join_element_text(p)
                    for p in xml_tree.collect_child_elements(cell, "p")
                )
            )
        return format_markdown_cell(" ".join(self._render_child_blocks(cell)))

    def _render_inline_text(self, element: Element) -> str:
        return "".join(self._iterate_inline_pieces(element, 0))

    def _iterate_inline_pieces(self, element: Element, depth: int) -> Iterator[str]:
        if depth > _MAX_ELEMENT_DEPTH:
            return
        yield escape_markdown(squeeze_spaces(element.text or ""))
        for item in element:
            yield from self._render_inline_piece(item, depth + 1)
            yield escape_markdown(squeeze_spaces(item.tail or ""))

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
            address = resolve_link("", xml_tree.find_xml_attribute(item, "href"))
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


def _guard_paragraph(text: str) -> str:
    return escape_line_starts(text) if text else ""


def _iterate_table_rows(sheet: Element) -> Iterator[Element]:
    for item in sheet:
        name = xml_tree.strip_namespace(item)
        if name == "table-row":
            if xml_tree.find_xml_attribute(item, "visibility") not in {"collapse", "filter"}:
                yield item
        elif name in {"table-header-rows", "table-row-group", "table-rows"}:
            yield from _iterate_table_rows(item)


def _parse_repeat_count(element: Element, name: str) -> int:
    said = xml_tree.find_xml_attribute(element, name)
    return (
        min(int(said), _MAX_REPEATS) if said.isascii() and said.isdigit() and len(said) < 9 else 1
    )
