"""Reads presentations: each slide as a heading with its text, tables and speaker notes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import DocumentLimits, ParsedDocument
from citewell.fetch.documents.markdown_tables import format_markdown_cell, render_markdown_table
from citewell.fetch.documents.office.office_properties import read_office_properties
from citewell.fetch.documents.office.package_relations import read_package_relations
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.fetch.markdown.markdown_text import escape_markdown, resolve_link, squeeze_spaces

_TITLE_PLACEHOLDERS = frozenset({"title", "ctrTitle"})
_IGNORED_PLACEHOLDERS = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_MAX_SHAPE_DEPTH = 20


def read_pptx(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    names, hidden = _collect_slide_parts(archive)
    chosen = choose_pages(pages, len(names)) if names else []
    parts = [_render_slide(archive, names[place], place + 1) for place in chosen]
    about = read_office_properties(archive)
    notes = (f"{hidden} hidden slides were left out.",) if hidden else ()
    return ParsedDocument(markdown="\n\n".join(parts), title=about.title, author=about.author,
                  created=about.created, page_count=len(names), language=about.language,
                  notes=notes)  # fmt: skip


def read_odp(body: bytes, limits: DocumentLimits) -> ParsedDocument:
    from citewell.fetch.documents.office.opendocument import OpenDocument

    archive = ZipDocument(body, limits)
    document = OpenDocument(archive)
    markdown, count = document.render_slides()
    about = read_office_properties(archive)
    return ParsedDocument(markdown=markdown, title=about.title, author=about.author, created=about.created,
                  page_count=count, language=about.language, notes=document.describe_hidden_text())  # fmt: skip


def _collect_slide_parts(archive: ZipDocument) -> tuple[list[str], int]:
    """The part names of the visible slides in order, and the number of hidden slides."""
    root = xml_tree.parse_xml_bytes(archive.read_member("ppt/presentation.xml"))
    targets = read_package_relations(archive, "ppt/presentation.xml")
    listing = next(
        (item for item in root.iter() if xml_tree.strip_namespace(item) == "sldIdLst"), None
    )
    ids = [item.attrib.get(key, "") for item in (listing if listing is not None else ())
           for key in item.attrib if key.endswith("}id")]  # fmt: skip
    names = [
        targets[key].target for key in ids if key in targets and targets[key].target in archive
    ]
    shown = [
        name
        for name in names
        if xml_tree.parse_xml_bytes(archive.read_member(name)).attrib.get("show") != "0"
    ]
    return shown, len(names) - len(shown)


def _render_slide(archive: ZipDocument, name: str, number: int) -> str:
    links = {
        key: relation.target
        for key, relation in read_package_relations(archive, name).items()
        if relation.external
    }
    shapes = sorted(
        _iterate_slide_shapes(xml_tree.parse_xml_bytes(archive.read_member(name))),
        key=_measure_shape_position,
    )
    title = ""
    blocks: list[str] = []
    for shape in shapes:
        kind = _find_placeholder_kind(shape)
        if kind in _TITLE_PLACEHOLDERS and not title:
            title = " ".join(text for _, text in _read_shape_paragraphs(shape, links))
        elif kind not in _IGNORED_PLACEHOLDERS:
            blocks += _render_shape(shape, links)
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    notes = _read_speaker_notes(archive, name)
    return "\n\n".join([heading, *blocks, *([f"> Notes: {notes}"] if notes else [])])


def _iterate_slide_shapes(root: Element, depth: int = 0) -> Iterator[Element]:
    for item in root:
        name = xml_tree.strip_namespace(item)
        if name in {"sp", "graphicFrame", "pic"}:
            yield item
        elif (
            name in {"cSld", "spTree", "grpSp", "AlternateContent", "Choice"}
            and depth < _MAX_SHAPE_DEPTH
        ):
            yield from _iterate_slide_shapes(item, depth + 1)


def _measure_shape_position(shape: Element) -> tuple[int, int]:
    """Sort key: top to bottom, then left to right; shapes without a position come first."""
    for item in shape.iter():
        if xml_tree.strip_namespace(item) == "off":
            x, y = item.attrib.get("x", "0"), item.attrib.get("y", "0")
            if x.lstrip("-").isdigit() and y.lstrip("-").isdigit():
                return int(y) // 360_000, int(x)  # shapes within a centimetre form one row
    return -1, 0


def _find_placeholder_kind(shape: Element) -> str:
    for item in shape.iter():
        if xml_tree.strip_namespace(item) == "ph":
            return item.attrib.get("type", "body")
    return ""


def _render_shape(shape: Element, links: dict[str, str]) -> list[str]:
    if xml_tree.strip_namespace(shape) == "pic":
        return _render_picture_text(shape)
    tables = [item for item in shape.iter() if xml_tree.strip_namespace(item) == "tbl"]
    if tables:
        return [_render_slide_table(item, links) for item in tables]
    paragraphs = _read_shape_paragraphs(shape, links)
    listed = _find_placeholder_kind(shape) not in {"", "subTitle"} or any(
        level for level, _ in paragraphs
    )
    if listed and len(paragraphs) > 1:
        return ["\n".join("  " * level + f"- {text}" for level, text in paragraphs)]
    return [text for _, text in paragraphs]


def _render_picture_text(shape: Element) -> list[str]:
    for item in shape.iter():
        if xml_tree.strip_namespace(item) == "cNvPr" and item.attrib.get("descr"):
            return [f"![{escape_markdown(squeeze_spaces(item.attrib['descr']))}]()"]
    return []


def _render_slide_table(item: Element, links: dict[str, str]) -> str:
    rows = [
        [
            format_markdown_cell(" ".join(text for _, text in _read_shape_paragraphs(cell, links)))
            for cell in xml_tree.collect_child_elements(row, "tc")
        ]
        for row in xml_tree.collect_child_elements(item, "tr")
    ]
    return render_markdown_table(rows)


def _read_shape_paragraphs(shape: Element, links: dict[str, str]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for item in shape.iter():
        if xml_tree.strip_namespace(item) != "p" or "drawingml" not in item.tag:
            continue
        text = "".join(_render_text_run(run, links) for run in item).strip()
        if text:
            found.append((_parse_indent_level(item), text))
    return found


def _parse_indent_level(paragraph: Element) -> int:
    properties = xml_tree.find_child_element(paragraph, "pPr")
    said = properties.attrib.get("lvl", "0") if properties is not None else "0"
    return min(int(said), 8) if said.isascii() and said.isdigit() else 0


def _render_text_run(run: Element, links: dict[str, str]) -> str:
    if xml_tree.strip_namespace(run) == "br":
        return " "
    text = "".join(item.text or "" for item in run if xml_tree.strip_namespace(item) == "t")
    link = next(
        (item for item in run.iter() if xml_tree.strip_namespace(item) == "hlinkClick"), None
    )
    target = links.get(xml_tree.find_xml_attribute(link, "id"), "") if link is not None else ""
    address = resolve_link("", target) if target.startswith(("http", "mailto:")) else ""
    return (
        f"[{escape_markdown(text)}]({address})"
        if address and text.strip()
        else escape_markdown(squeeze_spaces(text))
    )


def _read_speaker_notes(archive: ZipDocument, name: str) -> str:
    for relation in read_package_relations(archive, name).values():
        if relation.kind == "notesSlide" and relation.target in archive:
            shapes = _iterate_slide_shapes(
                xml_tree.parse_xml_bytes(archive.read_member(relation.target))
            )
            bodies = [shape for shape in shapes if _find_placeholder_kind(shape) == "body"]
            return " ".join(
                text for shape in bodies for _, text in _read_shape_paragraphs(shape, {})
            )
    return ""
