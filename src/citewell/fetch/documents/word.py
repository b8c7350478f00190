"""Word processor documents: DOCX through mammoth, ODT and RTF by readers of their own."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree.ElementTree import Element, tostring

from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive
from citewell.fetch.documents.document import Broken, Limits, Parsed, TookTooMuch
from citewell.fetch.documents.markup import html_markdown
from citewell.fetch.documents.properties import read_properties

_HIDDEN = re.compile(rb"<w:(?:vanish|webHidden)\b")
_UNNEEDED = (
    "docProps/", "customXml/", "word/theme/", "word/settings", "word/fontTable", "word/webSettings",
    "word/stylesWithEffects", "word/glossary/", "word/charts/", "word/diagrams/",
)  # fmt: skip
_NOTHING = frozenset({"0", "false", "off"})


def read_docx(body: bytes, limits: Limits) -> Parsed:
    archive = Archive(body, limits)
    if "word/document.xml" not in archive and not any(
        n.startswith("word/document") for n in archive.names()
    ):
        raise Broken("The Word document lacks its text.")
    clean, hidden = _without_hidden(archive)
    markdown = html_markdown(_html(clean))
    notes = (f"{hidden} pieces of hidden text were left out.",) if hidden else ()
    about = read_properties(archive)
    return Parsed(markdown=markdown, notes=notes, title=about.title, author=about.author,
                  created=about.created, page_count=about.pages, language=about.language)  # fmt: skip


def _html(package: bytes) -> str:
    import mammoth  # type: ignore[import-untyped] # ships no types

    ignored = mammoth.images.img_element(lambda image: {"src": "", "alt": image.alt_text or ""})
    result = mammoth.convert_to_html(
        io.BytesIO(package),
        convert_image=ignored,
        style_map="p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh\np[style-name='Quote'] => blockquote > p:fresh\np[style-name='Intense Quote'] => blockquote > p:fresh",
        external_file_access=False,
    )
    return str(result.value)


def _without_hidden(archive: Archive) -> tuple[bytes, int]:
    """The package again, unpacked within our limits, without media and hidden runs."""
    hidden = 0
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as package:
        for name in archive.names():
            if not name.endswith((".xml", ".rels")):
                if name.startswith("word/media/"):
                    package.writestr(name, b"")
                continue
            if name.startswith(_UNNEEDED):
                continue
            part = archive.read(name)
            if trees.declares_entities(part):
                raise TookTooMuch(
                    "The document's XML declares entities, as XML bombs do; it is not read."
                )
            root = trees.parse(part)
            if name.startswith("word/") and _HIDDEN.search(part):
                hidden += _drop_hidden(root)
                part = tostring(root, encoding="utf-8", xml_declaration=True)
            package.writestr(name, part)
    return out.getvalue(), hidden


def _drop_hidden(root: Element) -> int:
    dropped = 0
    for parent in list(root.iter()):
        for run in trees.children(parent, "r"):
            properties = trees.child(run, "rPr")
            mark = trees.child(properties, "vanish") if properties is not None else None
            if mark is not None and trees.attribute(mark, "val").lower() not in _NOTHING:
                parent.remove(run)
                dropped += 1
    return dropped


def read_odt(body: bytes, limits: Limits) -> Parsed:
    from citewell.fetch.documents.odf import Odf

    archive = Archive(body, limits)
    document = Odf(archive)
    about = read_properties(archive)
    return Parsed(markdown=document.text(), title=about.title, author=about.author,
                  created=about.created, page_count=about.pages, language=about.language,
                  notes=document.notes())  # fmt: skip
