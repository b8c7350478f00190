"""Reads the text inside a Word paragraph: runs, links, fields, equations, notes and text boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from citewell.reading.documents import xml_tree
from citewell.reading.documents.document_markdown import (
    TextPiece,
    format_superscript,
    render_picture_text,
    resolve_web_link,
)
from citewell.reading.documents.document_packages import PackageRelation
from citewell.reading.documents.office import word_citations
from citewell.reading.documents.office.equation_latex import EquationConverter
from citewell.reading.documents.office.package_graphics import GraphicReader
from citewell.reading.documents.office.word_styles import (
    WordStyles,
    has_word_shade,
    read_word_switch,
)

_MAX_INLINE_DEPTH = 40
_WRAPPER_ELEMENTS = frozenset({"ins", "moveTo", "smartTag", "sdt", "sdtContent", "customXml", "dir",
                               "bdo", "ruby", "rubyBase", "r", "hyperlink", "fldSimple"})  # fmt: skip
_CHARACTERS_BY_ELEMENT = {
    "tab": " ",
    "ptab": " ",
    "cr": "\n",
    "noBreakHyphen": "-",
    "softHyphen": "",
}
_HYPERLINK_FIELD = re.compile(r'\s*HYPERLINK\s+(?!\\)"?([^"\s]+)', re.IGNORECASE)
_RAISED_NUMBERS = re.compile(r"\s{0,3}\d{1,4}(?:\s?[,;–—-]\s?\d{1,4}){0,60}\s{0,3}")
_LINE_BREAK = TextPiece("  \n", ready=True)
_SYMBOL_FONT_LETTERS = dict(zip(
    "abgdezhqiklmnxoprstufcywABGDEZHQIKLMNXOPRSTUFCYW",
    "αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", strict=True,
))  # fmt: skip
_SYMBOL_FONT_SIGNS = {0xA3: "≤", 0xA5: "∞", 0xAE: "→", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×",
                      0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈", 0xC5: "⊕", 0xCE: "∈", 0xD6: "√",
                      0xDE: "⇒", 0xE5: "∑", 0xF2: "∫", 0x2D: "−"}  # fmt: skip
_CHECKED_SIGNS = frozenset({0xFE, 0xFC, 0x52, 0x78, 0x54})  # in Wingdings fonts


@dataclass(slots=True)
class _OpenField:
    """A field between its begin and end marks, such as a link or a date."""

    code: list[str] = field(default_factory=list)
    shows_result: bool = False
    is_marked: bool = False  # the beginning of its result was marked as a citation

    def find_field_link(self) -> str:
        match = _HYPERLINK_FIELD.match("".join(self.code))
        return resolve_web_link(match[1]) if match is not None else ""


class RunReader:
    """Reads paragraphs of one part; fields may go on from one paragraph to the next."""

    def __init__(
        self,
        *,
        relations: dict[str, PackageRelation],
        styles: WordStyles,
        equations: EquationConverter,
        graphics: GraphicReader,
        citations: word_citations.CitationFields | None = None,
    ) -> None:
        """With `citations`, fields of reference managers and raised numbers are marked."""
        self.hidden_count = 0
        self._citations = citations
        self.note_marks: list[tuple[str, str]] = []  # kind and id of each note, in order
        self.relations = relations  # of the part that is read; they hold its links and pictures
        self._styles = styles
        self._equations = equations
        self._graphics = graphics
        self._fields: list[_OpenField] = []
        self.text_boxes: list[Element] = []  # their paragraphs are blocks of their own
        self.graphic_blocks: list[str] = []  # charts and diagrams
        self._shaded = False
        self._part_readers: dict[str, Callable[[Element], Iterator[TextPiece]]] = {
            "br": _read_line_break,
            "fldChar": self._follow_field,
            "instrText": self._add_field_code,
            "footnoteReference": self._mark_note,
            "endnoteReference": self._mark_note,
            "drawing": self._read_drawing,
            "pict": self._read_drawing,
            "object": self._read_drawing,
        }

    def read_pieces(self, paragraph: Element, *, shaded: bool) -> list[TextPiece]:
        """The visible text of a paragraph; `shaded` if it stands on a coloured ground."""
        self._shaded = shaded
        return list(self._iterate_pieces(paragraph, "", 0))

    def _iterate_pieces(self, parent: Element, link: str, depth: int) -> Iterator[TextPiece]:
        if depth > _MAX_INLINE_DEPTH:
            return
        for item in parent:
            name = xml_tree.strip_namespace(item)
            if name == "r" and self._is_hidden_run(item):
                self.hidden_count += 1
            elif name == "r":
                yield from self._read_run(item, link, depth + 1)
            elif name in {"oMath", "oMathPara"}:
                yield from self._read_equations(item)
            elif name == "AlternateContent":
                yield from self._iterate_pieces(_choose_alternative(item), link, depth + 1)
            elif name in _WRAPPER_ELEMENTS:
                yield from self._read_wrapper(item, name, link, depth)

    def _read_wrapper(self, item: Element, name: str, link: str, depth: int) -> Iterator[TextPiece]:
        codes: list[str] = []
        if name == "hyperlink":
            link = self._find_link(item) or link
        elif name == "fldSimple":
            codes = [xml_tree.find_xml_attribute(item, "instr")]
            link = _OpenField(codes).find_field_link() or link
        elif name == "sdt" and self._citations is not None:
            properties = xml_tree.find_child_element(item, "sdtPr")
            tag = xml_tree.read_child_value(properties, "tag") or ""
            codes = list(word_citations.decode_control_tag(tag))
        yield from self._mark_citation(codes, self._iterate_pieces(item, link, depth + 1))

    def _mark_citation(self, codes: list[str], pieces: Iterator[TextPiece]) -> Iterator[TextPiece]:
        """The pieces of a field, between marks if it holds a citation and these are wanted."""
        mark = self._citations.open_mark(codes) if self._citations is not None else ""
        if mark:
            yield TextPiece(mark, ready=True)
        yield from pieces
        if mark:
            yield TextPiece(word_citations.CITATION_END_MARK, ready=True)

    def _find_link(self, item: Element) -> str:
        relation = self.relations.get(xml_tree.find_xml_attribute(item, "id"))
        return resolve_web_link(relation.target) if relation and relation.external else ""

    def _read_equations(self, item: Element) -> Iterator[TextPiece]:
        if self._is_inside_code():
            return
        is_inline = xml_tree.strip_namespace(item) == "oMath"
        shown = [item] if is_inline else xml_tree.collect_child_elements(item, "oMath")
        mark = "$" if is_inline else "$$"
        for equation in shown:
            if latex := self._equations.convert_equation(equation):
                yield TextPiece(f"{mark}{latex}{mark}", ready=True)

    def _is_inside_code(self) -> bool:
        """Whether the place is inside the code of a field, which a reader does not see."""
        return any(not opened.shows_result for opened in self._fields)

    def _is_hidden_run(self, run: Element) -> bool:
        properties = xml_tree.find_child_element(run, "rPr")
        style = self._styles.find_style(xml_tree.read_child_value(properties, "rStyle") or "")
        if read_word_switch(properties, "vanish", default=style.is_hidden):
            return _has_visible_text(run)
        if properties is None:
            return False
        size = xml_tree.read_child_value(properties, "sz") or ""
        color = (xml_tree.read_child_value(properties, "color") or "").lower()
        unseen = color == "ffffff" and not self._shaded and not has_word_shade(properties)
        return (unseen or size in {"0", "1", "2"}) and _has_visible_text(run)

    def _read_run(self, run: Element, link: str, depth: int) -> Iterator[TextPiece]:
        properties = xml_tree.find_child_element(run, "rPr")
        style = self._styles.find_style(xml_tree.read_child_value(properties, "rStyle") or "")
        form = TextPiece(
            "",
            bold=bool(read_word_switch(properties, "b", default=style.is_bold)),
            italic=bool(read_word_switch(properties, "i", default=style.is_italic)),
            struck=bool(read_word_switch(properties, "strike")),
            code=style.is_code,
        )
        raised = xml_tree.read_child_value(properties, "vertAlign") == "superscript"
        for item in run:
            for piece in self._read_run_part(item, link, depth):
                if piece.ready or piece.link:
                    yield piece
                elif not self._is_inside_code():
                    text = piece.text
                    if raised and self._citations is not None and _RAISED_NUMBERS.fullmatch(text):
                        text = f"^{text.strip()}^"
                    elif raised:
                        text = format_superscript(text)
                    open_links = (opened.find_field_link() for opened in self._fields)
                    shown_link = link or next(filter(None, open_links), "")
                    yield form._replace(text=text, link=shown_link)

    def _read_run_part(self, item: Element, link: str, depth: int) -> Iterator[TextPiece]:
        name = xml_tree.strip_namespace(item)
        if name == "t":
            yield TextPiece(item.text or "")
        elif name in _CHARACTERS_BY_ELEMENT:
            yield TextPiece(_CHARACTERS_BY_ELEMENT[name])
        elif name == "sym":
            yield TextPiece(_convert_symbol(item))
        elif name in self._part_readers:
            yield from self._part_readers[name](item)
        elif name == "AlternateContent" and depth < _MAX_INLINE_DEPTH:
            for part in _choose_alternative(item):
                yield from self._read_run_part(part, link, depth + 1)
        elif name in _WRAPPER_ELEMENTS:
            yield from self._iterate_pieces(item, link, depth + 1)

    def _add_field_code(self, item: Element) -> Iterator[TextPiece]:
        if self._fields:
            self._fields[-1].code.append(item.text or "")
        yield from ()

    def _follow_field(self, item: Element) -> Iterator[TextPiece]:
        match xml_tree.find_xml_attribute(item, "fldCharType"):
            case "begin":
                if len(self._fields) < _MAX_INLINE_DEPTH:
                    data = (
                        word_citations.decode_field_data(item)
                        if self._citations is not None
                        else ()
                    )
                    self._fields.append(_OpenField(list(data)))
                yield from _read_check_box(item)
            case "separate" if self._fields:
                self._fields[-1].shows_result = True
                yield from self._open_citation(self._fields[-1])
            case "end" if self._fields:
                yield from self._close_field()

    def _open_citation(self, opened: _OpenField) -> Iterator[TextPiece]:
        mark = self._citations.open_mark(opened.code) if self._citations is not None else ""
        if mark and not self._is_inside_code():
            opened.is_marked = True
            yield TextPiece(mark, ready=True)

    def _close_field(self) -> Iterator[TextPiece]:
        closed = self._fields.pop()
        if closed.is_marked:
            yield TextPiece(word_citations.CITATION_END_MARK, ready=True)
        elif self._citations is not None and self._fields:
            self._fields[-1].code += closed.code  # EndNote keeps its records in a field within

    def _mark_note(self, item: Element) -> Iterator[TextPiece]:
        kind = xml_tree.strip_namespace(item).removesuffix("Reference")
        mark = (kind, xml_tree.find_xml_attribute(item, "id"))
        if mark not in self.note_marks:
            self.note_marks.append(mark)
        yield TextPiece(f"[^{self.note_marks.index(mark) + 1}]", ready=True)

    def _read_drawing(self, item: Element) -> Iterator[TextPiece]:
        """A picture's description in its place; text boxes, charts and diagrams are kept for later."""
        boxes = list(xml_tree.find_descendants(item, "txbxContent"))
        self.text_boxes += boxes
        self.graphic_blocks += self._graphics.render_graphics(item, self.relations)
        for part in xml_tree.find_descendants(item, "docPr") if not boxes else ():
            for text in render_picture_text(part.attrib.get("descr", "")):
                yield TextPiece(text, ready=True)


def _has_visible_text(run: Element) -> bool:
    return any((part.text or "").strip() for part in run if xml_tree.strip_namespace(part) == "t")


def _choose_alternative(item: Element) -> Element:
    """The newer form of a drawing or equation, or the older one if the newer one is empty."""
    choices = xml_tree.collect_child_elements(item, "Choice")
    fallback = xml_tree.find_child_element(item, "Fallback")
    for choice in choices:
        shown = ("t", "txbxContent", "chart", "relIds", "oMath", "docPr")
        if next(xml_tree.find_descendants(choice, *shown), None) is not None:
            return choice
    return fallback if fallback is not None else item


def _read_check_box(item: Element) -> Iterator[TextPiece]:
    """A check box of a form, which is a field without a result."""
    box = next(xml_tree.find_descendants(item, "checkBox"), None)
    if box is None:
        return
    checked = read_word_switch(box, "checked", default=read_word_switch(box, "default"))
    yield TextPiece("[x]" if checked else "[ ]", ready=True)


def _read_line_break(item: Element) -> Iterator[TextPiece]:
    if xml_tree.find_xml_attribute(item, "type") in {"", "textWrapping"}:
        yield _LINE_BREAK


def _convert_symbol(item: Element) -> str:
    """A character of a symbol font as the Unicode character it looks like; "" if unknown."""
    digits = xml_tree.find_xml_attribute(item, "char")
    font = xml_tree.find_xml_attribute(item, "font").lower()
    if not re.fullmatch("[0-9A-Fa-f]{1,6}", digits):
        return ""
    code = int(digits, 16)
    place = code - 0xF000 if 0xF000 <= code <= 0xF0FF else code
    if font == "symbol":
        return _SYMBOL_FONT_SIGNS.get(place, _SYMBOL_FONT_LETTERS.get(chr(place), ""))
    if font.startswith("wingdings"):
        return "☒" if place in _CHECKED_SIGNS else "☐" if place in {0x6F, 0xA8, 0xA3} else "•"
    return chr(code) if code < 0xD800 else ""
