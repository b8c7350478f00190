"""Reference lists written for readers, taken apart as far as their style shows.

Styles differ in what parts them, not in the order: authors, then a date or not, a title, and where
it appeared. So the title is found first, by its quotation marks, by the date before it, or by where
the names end; what stands before it are authors and what stands after is the imprint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from citewell.model.reference import Document, Malformed, Reference
from citewell.text import legal
from citewell.text.references import authorship, dates, ids, imprint, shapes, splitting
from citewell.text.references.tidy import MOST_PROSE, UNREAD_PROSE, excerpt, tidy

_YEAR = r"(?:1[4-9]|20)\d\d"
_DATED = re.compile(
    rf"\s?\((?P<date>{_YEAR}[a-z]?(?:[,/–-]\s?[^()]{{1,30}})?|n\.\s?d\.|no date|in press|forthcoming)\)[.,:]?\s",
    re.IGNORECASE,
)
_DOTTED = re.compile(
    rf"(?<=[.)\]’”\"])\s(?P<date>{_YEAR}[a-z]?(?=\.)|n\.d(?=\.))\.\s(?=\S)", re.IGNORECASE
)
_QUOTED = re.compile(
    r"[“\"«„](?P<title>[^“”\"«»„]{3,500}|[^“”«»„]{3,500})[”\"»“](?P<after>[.,;]?)(?=\s|$)"
    r"|‘(?P<single>[^‘]{3,500}?)’(?P<behind>[.,;]?)(?=\s|$)"
)
_SAME = re.compile(r"[-–—_]{2,6}[.,]\s{1,3}")
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_NOISE = re.compile(
    r"\bdoi:?\s{0,2}10\.\S+|\b10\.\d{4,9}/\S+|\b(?:pmid|pmcid):?\s{0,2}\w+|\bPMC\d{4,9}\b"
    r"|(?:,\s)?\barxiv:\s?\d{4}\.\d{4,5}(?:v\d+)?(?:\s?\[[\w.-]+\])?|\bisbn(?:-1[03])?:?\s{0,2}[\dxX -]{10,20}"
    r"|\s?\[(?:online|internet|cited[^\]]{0,30}|accessed[^\]]{0,30})\]|\bavailable(?: (?:at|from|online)\b:?|:)"
    r"|\(?\b(?:last )?accessed:?(?:\son)?\s(?:\d{1,2}\s)?[^\W\d_]{3,9}\.?\s(?:\d{1,2},?\s)?\d{4}\)?(?:\.|$)?|\bretrieved\s(?:[^.]{4,30}?,?\s)?from\b:?|\bretrieved\s{0,2}$|\bdoi:\s?$",
    re.IGNORECASE,
)
_BRACKET = re.compile(
    r"\s{0,2}(?:\[[^\[\]]{2,60}\]|\((?:[^()]{0,20}\b(?:ed|edn|edition)\b\.?[^()]{0,20}|Version [^()]{1,20}|Vol\.[^()]{1,20}|No\.[^()]{1,20}|Report [^()]{1,30})\))\s{0,2}$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<!\b[A-ZÀ-ÞА-Я])(?<!\bvs)(?<!\bSt)(?<!\bDr)(?<!\bspp)(?<!\bsp)(?<!\bvar)(?<!\bno)(?<!\bpp)(?<!\bvol)[.?!](?:[”\"])?\s(?=[^\W_a-z]|[“\"(\[]|in\s[A-Z]|arXiv|bioRxiv|medRxiv|eLife|npj|mBio|iScience)"
)
_EDITION = re.compile(
    r",\s(?:\d{1,2}(?:st|nd|rd|th)|rev\.|first|second|third)\s(?:ed|edition)$", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LONGEST = 4000  # characters of one reference


def read(text: str) -> Document:
    references: list[Reference] = []
    malformed: list[Malformed] = []
    for item in splitting.items(text):
        if len(references) + len(malformed) >= MOST_PROSE:
            malformed.append(Malformed(line=item.line, reason=UNREAD_PROSE))
            break
        whole = tidy(item.text)
        if not (_WORDS.search(whole) or ids.within(whole) or legal.find(whole)):
            reason = "There are no words in it." if whole else "It is empty."
            malformed.append(Malformed(line=item.line, reason=reason, excerpt=excerpt(whole)))
            continue
        if len(whole) > _LONGEST:
            reason = (
                f"Longer than a reference can be; only its first {_LONGEST} characters are read."
            )
            malformed.append(Malformed(line=item.line, reason=reason, excerpt=excerpt(whole)))
        before = references[-1] if references else None
        found = parsed(whole[:_LONGEST], before=before)
        references.append(replace(found, key=item.number, line=item.line))
    return Document(format="prose", references=tuple(references), malformed=tuple(malformed))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    authors: str = ""
    date: str = ""
    title: str = ""
    tail: str = ""


def parsed(text: str, *, before: Reference | None = None) -> Reference:
    """One reference; a dash in place of its authors stands for those of the one before."""
    links = [link.rstrip(".,;)]>") for link in _LINK.findall(text)]
    body = _body(text)
    same = _SAME.match(body)
    parts = _parted(body[same.end() :] if same else body)
    authors = authorship.read(parts.authors)
    if same and before is not None:
        authors = authorship.Authors(people=before.authors, and_others=before.and_others)
    published = dates.iso(parts.date) or _year(parts.tail) or _year(body)
    where = imprint.read(parts.tail)
    return Reference(
        raw=text,
        title=parts.title,
        authors=authors.people,
        year=dates.year_of(published),
        published=published,
        venue=where.venue,
        volume=where.volume,
        issue=where.issue,
        pages=where.pages,
        publisher=where.publisher,
        url=next((link for link in links if "doi.org/" not in link.lower()), ""),
        ids=ids.within(text),
        and_others=authors.and_others,
    )


def _body(text: str) -> str:
    """Without what only leads elsewhere."""
    bare = _NOISE.sub(" ", _LINK.sub(" ", text)).replace(" .", ".").replace("..", ".")
    return " ".join(bare.split()).strip(" ,;")


def _parted(body: str) -> _Parts:
    dated = _before_title(_DATED, body) or _before_title(_DOTTED, body)
    quoted = _QUOTED.search(body)
    if quoted is not None and _is_title(quoted, body, dated):
        head = body[: quoted.start()]
        when = dated["date"] if dated and dated.end() <= quoted.start() + 1 else ""
        authors = body[: dated.start()] if when and dated else _unyeared(head)
        return _Parts(
            authors=authors, date=when, title=_title(_said(quoted)), tail=body[quoted.end() :]
        )
    if dated is not None:
        return _after_date(body, dated)
    if (shaped := shapes.read(body)) is not None:
        return _shaped(shaped)
    return _undated(body)


def _shaped(parts: shapes.Parts) -> _Parts:
    title, tail = _sentence(parts.rest) if parts.rest else (parts.title, parts.tail)
    return _Parts(authors=parts.authors, date=parts.date, title=_title(title), tail=tail)


def _before_title(pattern: re.Pattern[str], body: str) -> re.Match[str] | None:
    """A date with names before it and words enough after it."""
    match = pattern.search(body + " ")
    if match is None or len(_WORDS.findall(body[match.end() : match.end() + 300])) < 2:
        return None
    return match


def _is_title(quoted: re.Match[str], body: str, dated: re.Match[str] | None) -> bool:
    """Quotation marks hold the title when nothing but authors and a date stand before them."""
    before = body[: quoted.start()].rstrip()
    if dated is not None and dated.end() < quoted.start():
        return not body[dated.end() : quoted.start()].strip()
    closed = _said(quoted).rstrip()[-1:] in ".,?!" or bool(quoted["after"] or quoted["behind"])
    return closed and (not before or before[-1] in ".,:)" or before.endswith("al"))


def _said(quoted: re.Match[str]) -> str:
    return quoted["title"] or quoted["single"]


def _unyeared(head: str) -> str:
    return re.sub(rf"[\s(,]{{1,3}}{_YEAR}[a-z]?\)?[.,:]?\s{{0,2}}$", "", head)


def _title(text: str) -> str:
    text = text.strip(" ,")
    while (shorter := _BRACKET.sub("", text)) != text:
        text = shorter
    return _EDITION.sub("", text.rstrip(".")).strip(" ,;:")


def _after_date(body: str, dated: re.Match[str]) -> _Parts:
    head, rest = body[: dated.start()], body[dated.end() :]
    if authorship.is_title(head):
        return _Parts(date=dated["date"], title=_title(head), tail=rest)
    title, tail = _sentence(rest)
    return _Parts(authors=head, date=dated["date"], title=_title(title), tail=tail)


def _undated(body: str) -> _Parts:
    """Where the names end, the title begins; without names it begins at once."""
    end = authorship.run(body)
    title, tail = _sentence(body[end:])
    return _Parts(authors=body[:end].rstrip(), title=_title(title), tail=tail)


def _sentence(text: str) -> tuple[str, str]:
    """The title and what follows; a question mark ends it unless more than a name comes after."""
    for found in _SENTENCE.finditer(text):
        if text[found.start()] == ".":
            return text[: found.start()], text[found.end() :]
        further = _SENTENCE.search(text, found.end())
        between = text[found.end() : further.start()] if further else ""
        dated = further is not None and text[further.end() : further.end() + 1].isdigit()
        if not between or dated or any(char.isdigit() for char in between):
            return text[: found.start() + 1], text[found.end() :]
    return text, ""


def _year(text: str) -> str:
    """The most likely date: in brackets, else the last year named."""
    bracketed = re.search(rf"\(([^()]{{0,20}}{_YEAR}[^()]{{0,20}})\)", text)
    if bracketed is not None:
        return dates.iso(bracketed[1])
    years = re.findall(rf"(?<![\d–-]){_YEAR}(?![\d–-])", text)
    return dates.iso(years[-1]) if years else ""
