"""Compares the title that a reference gives for an address with the titles of the page there."""

from __future__ import annotations

from citewell.services.links.link_checks import LinkState
from citewell.services.trust.work_identity import FieldAgreement, FieldVerdict
from citewell.text.citations import title_matching
from citewell.text.language import detection
from citewell.text.language.scripts import classify_script

_MIN_CITED_WORDS = 3  # significant words of a cited title; a shorter one may name anything
_MATCHED_SHARE = 0.6  # of the words of the cited title in those of the page
_FOREIGN_SHARE = 0.2  # up to it the page speaks of something else
_MAX_SHOWN_CHARS = 120
_NOT_CHECKED = FieldVerdict(state=FieldAgreement.NOT_CHECKED)


def compare_page_title(cited: str, link: LinkState | None) -> FieldVerdict:
    """Whether the page has the cited title; a mismatch only if hardly a word is shared.

    Pages are renamed, translated and abbreviated, so most differences say nothing.
    """
    words = title_matching.extract_title_words(cited)
    if link is None or link.state != "live" or not link.titles or not words:
        return _NOT_CHECKED
    shown = " ".join(link.titles)
    shared = title_matching.measure_title_coverage(cited, shown)
    if shared >= _MATCHED_SHARE:
        return FieldVerdict(state=FieldAgreement.MATCH)
    telling = len(words) >= _MIN_CITED_WORDS and shared <= _FOREIGN_SHARE
    if not telling or _are_in_other_languages(cited, shown) or not _names_something(link.titles[0]):
        return _NOT_CHECKED
    title = link.titles[0]
    title = title if len(title) <= _MAX_SHOWN_CHARS else f"{title[: _MAX_SHOWN_CHARS - 1]}…"
    return FieldVerdict(
        state=FieldAgreement.MISMATCH,
        reason=f"The page at the address is titled “{title}”: compare it with the citation.",
    )


def describe_page_title(compared: FieldVerdict) -> str | None:
    return compared.reason or None if compared.state is FieldAgreement.MISMATCH else None


def show_page_agreement(compared: FieldVerdict) -> str | None:
    """The word for a result; None if the titles could not be compared."""
    return None if compared.state is FieldAgreement.NOT_CHECKED else compared.state.value


def _are_in_other_languages(one: str, other: str) -> bool:
    """Whether the languages differ; short English titles are often taken for no language at all."""
    if classify_script(one) != classify_script(other):
        return True
    spoken = (detection.detect_language(text) or "en" for text in (one, other))
    return len(set(spoken)) > 1


def _names_something(title: str) -> bool:
    """Whether a page's title is more than the name of its site."""
    return len(title_matching.extract_title_words(title)) >= _MIN_CITED_WORDS
