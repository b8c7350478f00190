"""Works made ready for print: typographic marks, dashes, and a language for titles that state none."""

from __future__ import annotations

from dataclasses import replace

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CitableWork
from citewell.text.citations.styles.page_ranges import format_page_range
from citewell.text.citations.styles.quotation_marks import set_quotation_marks
from citewell.text.citations.styles.title_case import capitalize_headline

SERIAL_KINDS = frozenset({
    "article-journal", "article-magazine", "article-newspaper", "periodical", "post-weblog", "review",
    "review-book",
})  # fmt: skip
_ENGLISH_WORDS = frozenset({"of", "the", "and", "for", "with", "from", "based", "how", "what"})
_REVIEW_TITLE_STARTS = ("review", "peer review", "referee", "decision", "author response", "editor")


def typeset_work(work: CitableWork) -> CitableWork:
    """The work with typographic quotation marks and dashes; a title that looks English is marked so."""
    return replace(
        work,
        title=set_quotation_marks(work.title),
        site=set_quotation_marks(work.site),
        publisher=set_quotation_marks(work.publisher),
        place=set_quotation_marks(work.place),
        authors=tuple(map(_typeset_name, work.authors)),
        editors=tuple(map(_typeset_name, work.editors)),
        volume=format_page_range(work.volume),
        issue=format_page_range(work.issue),
        language=work.language or _guess_title_language(work.title),
    )


def capitalize_container(work: CitableWork) -> str:
    """The container's title in title case if it is English; a host name stays as it is."""
    return capitalize_headline(work.site, work.language) if work.site else work.container_title


def is_serial(work: CitableWork) -> bool:
    """Whether this is part of a serial; a conference paper in an edited volume is not."""
    return work.kind in SERIAL_KINDS or (work.kind == "paper-conference" and not work.editors)


def reviews_title(work: CitableWork) -> bool:
    """Whether the title is that of the work reviewed, and not of the review itself."""
    is_review = work.kind in {"review", "review-book"}
    return is_review and not work.title.casefold().startswith(_REVIEW_TITLE_STARTS)


def _typeset_name(author: AuthorName) -> AuthorName:
    if "'" not in author.name:
        return author
    family, given, suffix = (part.replace("'", "’") for part in author.known_parts)
    return replace(author, name=author.name.replace("'", "’"), known_parts=(family, given, suffix))


def _guess_title_language(title: str) -> str:
    from citewell.text.language.detection import detect_language

    detected = detect_language(title)
    if detected is None and title.isascii():  # too short to tell
        words = title.lower().split()
        looks_english = any(word in _ENGLISH_WORDS or word.endswith("ing") for word in words)
        return "en" if looks_english else ""
    return "en" if detected == "en" else ""
