"""Presentations: each slide a heading with its text, tables and speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive
from citewell.fetch.documents.document import Limits, Parsed
from citewell.fetch.documents.grid import marked_cell, table
from citewell.fetch.documents.packages import relations
from citewell.fetch.documents.pages import choose_pages
from citewell.fetch.documents.properties import read_properties
from citewell.fetch.markdown.text import absolute, escape, squeeze

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_DEEPEST = 20


def read_pptx(body: bytes, limits: Limits, pages: str | None) -> Parsed:
    archive = Archive(body, limits)
    names, hidden = _slides(archive)
    chosen = choose_pages(pages, len(names)) if names else []
    parts = [_slide(archive, names[place], place + 1) for place in chosen]
    about = read_properties(archive)
    notes = (f"{hidden} hidden slides were left out.",) if hidden else ()
    return Parsed(markdown="\n\n".join(parts), title=about.title, author=about.author,
                  created=about.created, page_count=len(names), language=about.language,
                  notes=notes)  # fmt: skip


def read_odp(body: bytes, limits: Limits) -> Parsed:
    from citewell.fetch.documents.odf import Odf

    archive = Archive(body, limits)
    document = Odf(archive)
    markdown, count = document.slides()
    about = read_properties(archive)
    return Parsed(markdown=markdown, title=about.title, author=about.author, created=about.created,
                  page_count=count, language=about.language, notes=document.notes())  # fmt: skip


def _slides(archive: Archive) -> tuple[list[str], int]:
    """The parts of the slides in the order they are shown, and how many are hidden."""
    root = trees.parse(archive.read("ppt/presentation.xml"))
    targets = relations(archive, "ppt/presentation.xml")
    listing = next((item for item in root.iter() if trees.local(item) == "sldIdLst"), None)
    ids = [item.attrib.get(key, "") for item in (listing if listing is not None else ())
           for key in item.attrib if key.endswith("}id")]  # fmt: skip
    names = [
        targets[key].target for key in ids if key in targets and targets[key].target in archive
    ]
    shown = [name for name in names if trees.parse(archive.read(name)).attrib.get("show") != "0"]
    return shown, len(names) - len(shown)


def _slide(archive: Archive, name: str, number: int) -> str:
    links = {
        key: relation.target
        for key, relation in relations(archive, name).items()
        if relation.external
    }
    shapes = sorted(_shapes(trees.parse(archive.read(name))), key=_place)
    title = ""
    blocks: list[str] = []
    for shape in shapes:
        kind = _placeholder(shape)
        if kind in _TITLES and not title:
            title = " ".join(text for _, text in _paragraphs(shape, links))
        elif kind not in _FURNITURE:
            blocks += _content(shape, links)
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    notes = _notes(archive, name)
    return "\n\n".join([heading, *blocks, *([f"> Notes: {notes}"] if notes else [])])


def _shapes(root: Element, depth: int = 0) -> Iterator[Element]:
    for item in root:
        name = trees.local(item)
        if name in {"sp", "graphicFrame", "pic"}:
            yield item
        elif name in {"cSld", "spTree", "grpSp", "AlternateContent", "Choice"} and depth < _DEEPEST:
            yield from _shapes(item, depth + 1)


def _place(shape: Element) -> tuple[int, int]:
    """From top to bottom, then from left to right; inherited positions keep their order."""
    for item in shape.iter():
        if trees.local(item) == "off":
            x, y = item.attrib.get("x", "0"), item.attrib.get("y", "0")
            if x.lstrip("-").isdigit() and y.lstrip("-").isdigit():
                return int(y) // 360_000, int(x)  # a centimetre up or down is the same row
    return -1, 0


def _placeholder(shape: Element) -> str:
    for item in shape.iter():
        if trees.local(item) == "ph":
            return item.attrib.get("type", "body")
    return ""


def _content(shape: Element, links: dict[str, str]) -> list[str]:
    if trees.local(shape) == "pic":
        return _picture(shape)
    tables = [item for item in shape.iter() if trees.local(item) == "tbl"]
    if tables:
        return [_table(item, links) for item in tables]
    paragraphs = _paragraphs(shape, links)
    listed = _placeholder(shape) not in {"", "subTitle"} or any(level for level, _ in paragraphs)
    if listed and len(paragraphs) > 1:
        return ["\n".join("  " * level + f"- {text}" for level, text in paragraphs)]
    return [text for _, text in paragraphs]


def _picture(shape: Element) -> list[str]:
    for item in shape.iter():
        if trees.local(item) == "cNvPr" and item.attrib.get("descr"):
            return [f"![{escape(squeeze(item.attrib['descr']))}]()"]
    return []


def _table(item: Element, links: dict[str, str]) -> str:
    rows = [
        [
            marked_cell(" ".join(text for _, text in _paragraphs(cell, links)))
            for cell in trees.children(row, "tc")
        ]
        for row in trees.children(item, "tr")
    ]
    return table(rows)


def _paragraphs(shape: Element, links: dict[str, str]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for item in shape.iter():
        if trees.local(item) != "p" or "drawingml" not in item.tag:
            continue
        text = "".join(_run(run, links) for run in item).strip()
        if text:
            found.append((_level(item), text))
    return found


def _level(paragraph: Element) -> int:
    properties = trees.child(paragraph, "pPr")
    said = properties.attrib.get("lvl", "0") if properties is not None else "0"
    return min(int(said), 8) if said.isascii() and said.isdigit() else 0


def _run(run: Element, links: dict[str, str]) -> str:
    if trees.local(run) == "br":
        return " "
    text = "".join(item.text or "" for item in run if trees.local(item) == "t")
    link = next((item for item in run.iter() if trees.local(item) == "hlinkClick"), None)
    target = links.get(trees.attribute(link, "id"), "") if link is not None else ""
    address = absolute("", target) if target.startswith(("http", "mailto:")) else ""
    return f"[{escape(text)}]({address})" if address and text.strip() else escape(squeeze(text))


def _notes(archive: Archive, name: str) -> str:
    for relation in relations(archive, name).values():
        if relation.kind == "notesSlide" and relation.target in archive:
            shapes = _shapes(trees.parse(archive.read(relation.target)))
            bodies = [shape for shape in shapes if _placeholder(shape) == "body"]
            return " ".join(text for shape in bodies for _, text in _paragraphs(shape, {}))
    return ""
