"""E-books: the chapters of an EPUB in reading order, each through the markdown writer."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from citewell.fetch.charset import decode
from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive
from citewell.fetch.documents.document import Broken, Encrypted, Limits, Parsed
from citewell.fetch.documents.markup import html_markdown
from citewell.fetch.documents.pages import choose_pages
from citewell.fetch.documents.properties import iso_date

_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_epub(body: bytes, limits: Limits, pages: str | None) -> Parsed:
    archive = Archive(body, limits)
    package_name = _package(archive)
    package = trees.parse(archive.read(package_name))
    names = _spine(package, package_name, archive)
    _refuse_locked(archive, names)
    chosen = choose_pages(pages, len(names)) if names else []
    parts = [_chapter(archive, names[place]) for place in chosen]
    found = {trees.local(item): trees.words(item) for item in reversed(list(package.iter()))}
    return Parsed(
        markdown="\n\n".join(part for part in parts if part),
        title=found.get("title") or None,
        author=found.get("creator") or None,
        created=iso_date(found.get("date")),
        language=found.get("language", "")[:2].lower() or None,
        page_count=len(names),
    )


def _package(archive: Archive) -> str:
    for item in trees.parse(archive.read("META-INF/container.xml")).iter():
        if trees.local(item) == "rootfile" and item.attrib.get("full-path"):
            return item.attrib["full-path"]
    raise Broken("The e-book does not say where its contents are.")


def _spine(package: Element, name: str, archive: Archive) -> list[str]:
    folder = posixpath.dirname(name)
    items = {
        item.attrib.get("id", ""): item for item in package.iter() if trees.local(item) == "item"
    }
    names: list[str] = []
    for reference in package.iter():
        item = (
            items.get(reference.attrib.get("idref", ""))
            if trees.local(reference) == "itemref"
            else None
        )
        if item is None or item.attrib.get("media-type") not in _CHAPTERS:
            continue
        part = posixpath.normpath(
            posixpath.join(folder, unquote(item.attrib.get("href", "")).partition("#")[0])
        )
        if part in archive and "nav" not in item.attrib.get("properties", "").split():
            names.append(part)
    if not names:
        raise Broken("The e-book has no chapters that can be found.")
    return names


def _refuse_locked(archive: Archive, names: list[str]) -> None:
    body = archive.read_or_none("META-INF/encryption.xml")
    locked = (
        {unquote(trees.attribute(item, "URI")) for item in trees.parse(body).iter()}
        if body
        else set()
    )
    if locked & set(names):
        raise Encrypted("The e-book is protected: its chapters are encrypted.")


def _chapter(archive: Archive, name: str) -> str:
    text = decode(archive.read(name), content_type="").text
    return html_markdown(_html_only(text))


def _html_only(text: str) -> str:
    """XHTML as an HTML parser wants it: self-closed scripts and titles would swallow the rest."""
    for tag in ("script", "title", "style", "a", "div", "span", "p", "i", "b"):
        start = text.find(f"<{tag}")
        if start >= 0 and "/>" in text:
            text = _close(text, tag)
    return text


def _close(text: str, tag: str) -> str:
    import re

    return re.sub(rf"<({tag})(\s[^<>]*)?/>", r"<\1\2></\1>", text)
