"""One source written out as APA 7, MLA 9 and BibTeX; what the page did not say is left out, not made up."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from citewell.text import urls
from citewell.text.names import Author
from citewell.text.styles.apa import entry as apa
from citewell.text.styles.mla import entry as mla
from citewell.text.styles.mla import turned
from citewell.text.works import Work, people

__all__ = ["Work", "apa", "bibtex", "key", "mla", "people", "turned"]

_SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_SPELT = str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    {"a", "an", "the", "on", "of", "in", "and", "der", "die", "das", "le", "la", "el"}
)
_TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "review": "article", "book": "book", "chapter": "incollection", "report": "techreport",
    "paper-conference": "inproceedings", "thesis": "phdthesis", "manuscript": "unpublished",
}  # fmt: skip
_VENUES = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_PUBLISHERS = {"phdthesis": "school", "techreport": "institution"}


def bibtex(work: Work, *, accessed: date | None = None, name: str | None = None) -> str:
    """By its kind; of no known kind, an @article where there is a DOI, else @misc.

    Without `accessed` the entry never changes.
    """
    kind = _TYPES.get(work.kind) or ("article" if work.doi and not work.kind else "misc")
    year, month, _ = work.date
    rows = [
        ("author", _bibtex_names(work.authors)),
        ("title", f"{{{_escaped(work.title)}}}" if work.title else ""),
        (_VENUES.get(kind, "howpublished"), _escaped(work.site or (urls.display(work.url) if not work.kind else ""))),
        ("editor", _bibtex_names(work.editors)),
        ("edition", _escaped(work.edition)),
        ("volume", _escaped(work.volume)),
        ("number", _escaped(work.issue)),
        ("pages", _escaped(re.sub(r"\s*[-‐‑–—]+\s*", "--", work.pages))),
        (_PUBLISHERS.get(kind, "publisher"), _escaped(work.publisher)),
        ("address", _escaped(work.place)),
        ("year", year),
        ("month", f"{month:02}" if month else ""),
        ("doi", work.doi),
        ("url", work.url),
        ("urldate", accessed.isoformat() if accessed else ""),
    ]  # fmt: skip
    body = ",\n".join(f"  {field} = {{{value}}}" for field, value in rows if value)
    return f"@{kind}{{{name or key(work)},\n{body}\n}}"


def key(work: Work) -> str:
    """Surname, year and the title's first telling word, in plain letters."""
    first = work.authors[0].family if work.authors else work.site or urls.display(work.url)
    words = [word for word in _WORD.findall(_plain(work.title)) if word not in _STOP]
    return "".join((*_WORD.findall(_plain(first)), work.date[0], *words[:1])) or "source"


def _plain(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text)
    return "".join(char for char in flat if char.isascii()).lower()


def _bibtex_names(people: tuple[Author, ...]) -> str:
    return " and ".join(_bibtex_name(author) for author in people)


def _bibtex_name(author: Author) -> str:
    if author.collective:
        return f"{{{_escaped(author.name)}}}"
    parts = (author.family, author.suffix, author.given)  # von Last, Jr, First
    return ", ".join(_escaped(part) for part in parts if part)


def _escaped(text: str) -> str:
    # BibTeX counts braces even behind a backslash, so those that do not pair are spelt out.
    table = _SPECIAL if _nested(text) else _SPECIAL | _SPELT
    return " ".join(text.translate(table).split())


def _nested(text: str) -> bool:
    depth = 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0
