"""Reads presentations, PPTX and ODP: each visible slide under a heading of its own."""

from __future__ import annotations

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import DocumentLimits, ParsedDocument
from citewell.fetch.documents.office.office_properties import read_office_properties
from citewell.fetch.documents.office.package_relations import read_package_relations
from citewell.fetch.documents.office.slide_shapes import SlideReader
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.model.counted_words import pluralize


def read_pptx(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    names, hidden = _collect_slide_parts(archive)
    chosen = choose_pages(pages, len(names)) if names else []
    slides = SlideReader(archive)
    parts = [slides.render_slide(names[place], place + 1) for place in chosen]
    about = read_office_properties(archive)
    omitted = (
        (f"{hidden} {pluralize(hidden, 'hidden slide was', 'hidden slides were')} left out.",)
        if hidden
        else ()
    )
    notes = (*omitted, *slides.equations.describe_cuts())
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
        if xml_tree.read_root_attributes(archive.read_member(name)).get("show")
        not in {"0", "false"}
    ]
    return shown, len(names) - len(shown)
