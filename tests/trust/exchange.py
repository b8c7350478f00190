"""A work as reference managers hand it on: BibTeX, RIS, CSL-JSON."""

from __future__ import annotations

import json
import random
import unicodedata

from tests.internet.papers import Work

_ACCENTS = {
    "\u0301": "'",
    "\u0300": "`",
    "\u0302": "^",
    "\u0308": '"',
    "\u0303": "~",
    "\u0327": "c",
    "\u030c": "v",
}
_TYPES = {"book": ("book", "BOOK"), "article": ("misc", "UNPB"), "paper-conference": ("inproceedings", "CONF"),
          "chapter": ("incollection", "CHAP"), "report": ("techreport", "RPRT"), "software": ("misc", "COMP")}  # fmt: skip


def bibtex(work: Work, rng: random.Random, *, doi: str = "", url: str = "") -> str:
    names = " and ".join(
        f"{{{author}}}" if isinstance(author, str) else f"{author[1]}, {author[0]}"
        for author in work.authors[:8]
    )
    more = " and others" if len(work.authors) > 8 else ""
    protect = rng.random() < 0.5
    fields = {
        "author": _latex(names + more) if rng.random() < 0.5 else names + more,
        "title": f"{{{work.title}}}" if protect else _latex(work.title),
        "journal": work.venue if work.kind == "article-journal" else "",
        "booktitle": work.venue if work.kind in {"paper-conference", "chapter"} else "",
        "publisher": work.publisher,
        "year": str(work.year or ""),
        "volume": work.volume,
        "number": work.issue,
        "pages": work.pages.replace("-", "--"),
        "doi": doi if rng.random() < 0.7 else doi and f"https://doi.org/{doi}",
        "url": url,
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    kind = _TYPES.get(work.kind, ("article", ""))[0]
    return f"@{kind}{{{work.slug},\n" + ",\n".join(lines) + "\n}\n"


def ris(work: Work, rng: random.Random, *, doi: str = "", url: str = "") -> str:
    first, _, last = work.pages.replace("–", "-").partition("-")
    lines = [
        ("TY", _TYPES.get(work.kind, ("", "JOUR"))[1]),
        *(("AU", author if isinstance(author, str) else f"{author[1]}, {author[0]}") for author in work.authors),
        ("TI" if rng.random() < 0.5 else "T1", work.title),
        ("PY", str(work.year or "") if rng.random() < 0.5 else f"{work.year or ''}///"),
        ("JO" if rng.random() < 0.5 else "T2", work.venue),
        ("VL", work.volume), ("IS", work.issue), ("SP", first), ("EP", last), ("DO", doi), ("UR", url),
    ]  # fmt: skip
    return "\n".join(f"{tag}  - {value}" for tag, value in lines if value) + "\nER  - \n"


def csl(work: Work, rng: random.Random, *, doi: str = "", url: str = "") -> str:
    entry = {
        "id": work.slug,
        "type": work.kind,
        "title": work.title,
        "author": [
            {"literal": author}
            if isinstance(author, str)
            else {"family": author[1], "given": author[0]}
            for author in work.authors
        ],
        "issued": {"date-parts": [[work.year]] if rng.random() < 0.5 else [[str(work.year)]]}
        if work.year
        else None,
        "container-title": work.venue,
        "volume": work.volume,
        "page": work.pages,
        "DOI": doi,
        "URL": url,
    }
    return json.dumps([{name: value for name, value in entry.items() if value}], ensure_ascii=False)


RECORDS = {"bibtex": bibtex, "ris": ris, "csl-json": csl}


def _latex(text: str) -> str:
    """Accents as commands, where TeX has one."""
    out = ""
    for letter in text:
        base, *marks = list(unicodedata.normalize("NFD", letter))
        mark = _ACCENTS.get(marks[0]) if len(marks) == 1 else None
        out += f"{{\\{mark}{{{base}}}}}" if mark else letter.replace("&", "\\&")
    return out
