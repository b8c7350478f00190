"""One work as a BibTeX entry, with its citation key; unknown fields are left out."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CitableWork
from citewell.text.web import addresses

_LATEX_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_UNPAIRED_BRACE_ESCAPES = str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
_KEY_WORD_PATTERN = re.compile(r"[a-z0-9]+")
_KEY_STOP_WORDS = frozenset(
    {"a", "an", "the", "on", "of", "in", "and", "der", "die", "das", "le", "la", "el"}
)
_BIBTEX_ENTRY_TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "review": "article", "book": "book", "chapter": "incollection", "report": "techreport",
    "paper-conference": "inproceedings", "thesis": "phdthesis", "manuscript": "unpublished",
}  # fmt: skip
_BIBTEX_VENUE_FIELDS = {
    "article": "journal",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
}
_BIBTEX_PUBLISHER_FIELDS = {"phdthesis": "school", "techreport": "institution"}


def format_bibtex_entry(
    work: CitableWork, *, accessed: date | None = None, citation_key: str | None = None
) -> str:
    """A BibTeX entry of the type that fits the work's kind.

    A work without a kind becomes @article if it has a DOI; every other unknown kind is @misc.
    Leave out `accessed` for an entry that is the same every day.
    """
    kind = _BIBTEX_ENTRY_TYPES.get(work.kind) or (
        "article" if work.doi and not work.kind else "misc"
    )
    year, month, _ = work.date_parts
    rows = [
        ("author", _format_bibtex_names(work.authors)),
        ("title", f"{{{_escape_latex_text(work.title)}}}" if work.title else ""),
        (_BIBTEX_VENUE_FIELDS.get(kind, "howpublished"), _escape_latex_text(work.site or (addresses.format_host_name(work.url) if not work.kind else ""))),
        ("editor", _format_bibtex_names(work.editors)),
        ("edition", _escape_latex_text(work.edition)),
        ("volume", _escape_latex_text(work.volume)),
        ("number", _escape_latex_text(work.issue or work.number)),
        ("pages", _escape_latex_text(re.sub(r"(?<!\s)\s*+[-‐‑–—]+\s*+", "--", work.pages))),
        (_BIBTEX_PUBLISHER_FIELDS.get(kind, "publisher"), _escape_latex_text(work.publisher)),
        ("address", _escape_latex_text(work.place)),
        ("year", year),
        ("month", f"{month:02}" if month else ""),
        ("doi", work.doi),
        ("url", work.url),
        ("urldate", accessed.isoformat() if accessed else ""),
    ]  # fmt: skip
    body = ",\n".join(f"  {field} = {{{value}}}" for field, value in rows if value)
    return f"@{kind}{{{citation_key or build_citation_key(work)},\n{body}\n}}"


def build_citation_key(work: CitableWork) -> str:
    """First author's family name, year and first title word that is no stop-word, in lower-case ASCII."""
    first = (
        work.authors[0].family
        if work.authors
        else work.site or addresses.format_host_name(work.url)
    )
    words = [
        word
        for word in _KEY_WORD_PATTERN.findall(_fold_to_ascii(work.title))
        if word not in _KEY_STOP_WORDS
    ]
    return (
        "".join((*_KEY_WORD_PATTERN.findall(_fold_to_ascii(first)), work.date_parts[0], *words[:1]))
        or "source"
    )


def _fold_to_ascii(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text)
    return "".join(char for char in flat if char.isascii()).lower()


def _format_bibtex_names(people: tuple[AuthorName, ...]) -> str:
    return " and ".join(_format_bibtex_name(author) for author in people)


def _format_bibtex_name(author: AuthorName) -> str:
    if author.is_indivisible:
        return f"{{{_escape_latex_text(author.name)}}}"
    parts = (author.family, author.suffix, author.given)  # von Last, Jr, First
    return ", ".join(_escape_latex_text(part) for part in parts if part)


def _escape_latex_text(text: str) -> str:
    # BibTeX counts braces even after a backslash, so unpaired ones are written as commands.
    table = _LATEX_ESCAPES if _has_paired_braces(text) else _LATEX_ESCAPES | _UNPAIRED_BRACE_ESCAPES
    return " ".join(text.translate(table).split())


def _has_paired_braces(text: str) -> bool:
    depth = 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0
