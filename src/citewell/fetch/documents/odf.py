"""OpenDocument text, slides and sheets: their content.xml to markdown."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive
from citewell.fetch.documents.document import Broken, Encrypted, TookTooMuch
from citewell.fetch.documents.grid import marked_cell, plain_cell, table
from citewell.fetch.markdown.text import absolute, escape, guard_line_starts, squeeze

_MOST_REPEATS = 256  # rows and columns are repeated a million times to fill a sheet's end
_MOST_CELLS = 2_000_000
_SILENT = frozenset(
    {"annotation", "tracked-changes", "bookmark", "sequence-decls", "forms", "note-citation"}
)
_WRAPPERS = frozenset(
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
_DEEPEST = 60


class Odf:
    """One document's body, with the names of styles that hide text or number lists."""

    def __init__(self, archive: Archive) -> None:
        if "content.xml" not in archive:
            raise Broken("The document lacks its content.")
        manifest = archive.read_or_none("META-INF/manifest.xml") or b""
        if b"encryption-data" in manifest:
            raise Encrypted("The document is encrypted and opens only with a password.")
        self._root = trees.parse(archive.read("content.xml"))
        styles = archive.read_or_none("styles.xml")
        self._styles_root = trees.parse(styles) if styles else None
        self._hidden: set[str] = set()
        self._numbered: set[str] = set()
        self._footnotes: list[str] = []
        self._dropped = 0
        self._read_styles()

    def _read_styles(self) -> None:
        for root in (self._root, self._styles_root):
            for element in root.iter() if root is not None else ():
                name = trees.attribute(element, "name")
                if trees.local(element) == "style":
                    display = (trees.attribute(item, "display") for item in element)
                    if "none" in display:
                        self._hidden.add(name)
                elif (
                    trees.local(element) == "list-style"
                    and trees.child(element, "list-level-style-number") is not None
                ):
                    self._numbered.add(name)

    def _body(self, kind: str) -> Element:
        for element in self._root.iter():
            if trees.local(element) == kind:
                return element
        raise Broken("The document lacks its content.")

    def notes(self) -> tuple[str, ...]:
        return (f"{self._dropped} pieces of hidden text were left out.",) if self._dropped else ()

    def text(self) -> str:
        blocks = self._blocks(self._body("text"))
        return "\n\n".join(blocks + self._footnotes)

    def slides(self) -> tuple[str, int]:
        parts: list[str] = []
        pages = trees.children(self._body("presentation"), "page")
        for number, page in enumerate(pages, 1):
            title = next(
                (frame for frame in page if trees.attribute(frame, "class") == "title"), None
            )
            name = " ".join(self._blocks(title)) if title is not None else ""
            parts.append(f"## {name}" if name else f"## Slide {number}")
            for frame in page:
                if frame is not title and trees.local(frame) != "notes":
                    parts += self._blocks(frame)
            notes = trees.child(page, "notes")
            said = " ".join(self._blocks(notes)) if notes is not None else ""
            if said:
                parts.append(f"> Notes: {said}")
        return "\n\n".join(parts), len(pages)

    def sheets(self) -> list[tuple[str, list[list[str]]]]:
        found = trees.children(self._body("spreadsheet"), "table")
        return [(trees.attribute(sheet, "name"), self._rows(sheet, plain=True)) for sheet in found]

    def _blocks(self, element: Element, depth: int = 0) -> list[str]:
        if depth > _DEEPEST:
            return []
        made: list[str] = []
        for item in element:
            made += self._block(item, depth)
        return [block for block in made if block.strip()]

    def _block(self, item: Element, depth: int) -> list[str]:
        name = trees.local(item)
        if name == "h":
            level = trees.attribute(item, "outline-level")
            hashes = "#" * min(int(level), 6) if level.isascii() and level.isdigit() else "#"
            text = self._inline(item).strip()
            return [f"{hashes} {text}"] if text else []
        if name == "p":
            return [_guarded(self._inline(item).strip()), *self._framed(item, depth)]
        if name == "list":
            return ["\n".join(self._list(item, 0))]
        if name == "table":
            return [table(self._rows(item, plain=False))]
        return self._blocks(item, depth + 1) if name in _WRAPPERS else []

    def _framed(self, item: Element, depth: int) -> list[str]:
        """Text boxes anchored in a paragraph."""
        return [
            block
            for frame in item.iter()
            if trees.local(frame) == "text-box"
            for block in self._blocks(frame, depth + 1)
        ]

    def _list(self, item: Element, level: int) -> list[str]:
        numbered = trees.attribute(item, "style-name") in self._numbered
        lines: list[str] = []
        number = 0
        for entry in item:
            if trees.local(entry) not in {"list-item", "list-header"} or level > 12:
                continue
            number += 1
            mark = f"{number}. " if numbered else "- "
            for place, part in enumerate(entry):
                if trees.local(part) == "list":
                    lines += self._list(part, level + 1)
                elif trees.local(part) in {"p", "h"}:
                    text = self._inline(part).strip()
                    lines.append("  " * level + (mark if place == 0 else "  ") + text)
        return lines

    def _rows(self, sheet: Element, *, plain: bool) -> list[list[str]]:
        rows: list[list[str]] = []
        cells = 0
        for row in _table_rows(sheet):
            made = self._row(row, plain=plain)
            cells += len(made) + 1
            if cells > _MOST_CELLS:
                raise TookTooMuch("The table has more cells than can be read.")
            rows += [made] * (_repeats(row, "number-rows-repeated") if any(made) else 1)
        while rows and not any(rows[-1]):
            rows.pop()
        return rows

    def _row(self, row: Element, *, plain: bool) -> list[str]:
        made: list[str] = []
        for cell in row:
            if trees.local(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            made += [self._cell(cell, plain=plain)] * _repeats(cell, "number-columns-repeated")
        while made and not made[-1]:
            made.pop()
        return made

    def _cell(self, cell: Element, *, plain: bool) -> str:
        if plain:
            return plain_cell(" ".join(trees.words(p) for p in trees.children(cell, "p")))
        return marked_cell(" ".join(self._blocks(cell)))

    def _inline(self, element: Element) -> str:
        return "".join(self._pieces(element, 0))

    def _pieces(self, element: Element, depth: int) -> Iterator[str]:
        if depth > _DEEPEST:
            return
        yield escape(squeeze(element.text or ""))
        for item in element:
            yield from self._piece(item, depth + 1)
            yield escape(squeeze(item.tail or ""))

    def _piece(self, item: Element, depth: int) -> Iterator[str]:
        name = trees.local(item)
        if name in {"s", "tab"}:
            yield " "
        elif name == "line-break":
            yield "  \n"
        elif name == "note":
            yield self._note(item)
        elif name == "hidden-text" or trees.attribute(item, "style-name") in self._hidden:
            self._dropped += 1
        elif name == "a":
            text = "".join(self._pieces(item, depth)).strip()
            address = absolute("", trees.attribute(item, "href"))
            yield (
                f"[{text}]({address})" if text and address.startswith(("http", "mailto")) else text
            )
        elif name not in _SILENT and name not in _WRAPPERS:
            yield from self._pieces(item, depth)

    def _note(self, item: Element) -> str:
        body = trees.child(item, "note-body")
        label = str(len(self._footnotes) + 1)
        if body is None:
            return ""
        self._footnotes.append("")  # keeps the place while notes inside are counted
        self._footnotes[int(label) - 1] = f"[^{label}]: " + " ".join(self._blocks(body))
        return f"[^{label}]"


def _guarded(text: str) -> str:
    return guard_line_starts(text) if text else ""


def _table_rows(sheet: Element) -> Iterator[Element]:
    for item in sheet:
        name = trees.local(item)
        if name == "table-row":
            yield item
        elif name in {"table-header-rows", "table-row-group", "table-rows"}:
            yield from _table_rows(item)


def _repeats(element: Element, name: str) -> int:
    said = trees.attribute(element, name)
    return (
        min(int(said), _MOST_REPEATS) if said.isascii() and said.isdigit() and len(said) < 9 else 1
    )
