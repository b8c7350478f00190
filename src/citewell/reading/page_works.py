"""Tells the work that a page is from the works that it mentions, with the retraction status of each.

Metadata and address claim a DOI for the page. A registry's record can refute the claim, and can show
that a DOI in the text is the page's own. Without a record, metadata count only if they describe the
work as well.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.citations import author_matching, dois, title_matching
from citewell.citations.author_matching import share_given_name
from citewell.core.errors import CitewellError
from citewell.core.values.page import Page
from citewell.core.values.paper import WorkAuthor
from citewell.core.values.scrape_results import MentionedDoi, RetractionStatus
from citewell.reading.metadata.page_metadata import list_mentioned_dois, list_own_dois
from citewell.reading.source_classification import list_claimed_dois, list_page_authors
from citewell.text.language.detection import detect_language
from citewell.text.language.scripts import classify_script

if TYPE_CHECKING:
    from citewell.core.values.paper import Paper
    from citewell.trust.retraction_checks import NoticedWork, RetractionCheck, RetractionChecker

    RegisteredWork = NoticedWork | Paper  # a work as a registry has it

logger = logging.getLogger(__name__)

MAX_LISTED_MENTIONS = 20  # mentioned works that are checked and listed
MENTION_SECONDS = 5.0  # for checking all of them; the rest is unknown
UNKNOWN, NO_NOTICE, RETRACTED = "unknown", "no_notice", "retracted"
_MIN_TITLE_WORDS = 3  # distinctive words; a shorter title may name anything
_SAME_TITLE_SHARE = 0.8  # of the record's title words on the page
_OTHER_TITLE_SHARE = 0.5  # up to it the page has another title
_MAX_COMPARED_AUTHORS = 10
_HEAD_CHARS = 2000  # in which a paper names its authors
_TITLE_BREAK_PATTERN = re.compile(r"\s[|–—-]\s")
_REFERENCES_PATTERN = re.compile(
    r"^\W*(?:references|bibliography|works cited|literature cited)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING_PATTERN = re.compile(r"^#[ \t]{1,9}(.{1,500})$", re.MULTILINE)
# Begins the title of a text about a paper; "Retracted:" begins that of the paper itself.
_NOTICE_TITLE_PATTERN = re.compile(
    r"\W{0,9}(?:retraction|withdrawal|removal|correction|corrigendum|erratum|addendum"
    r"|expression of concern|comment(?:ary)? on|repl(?:y|ies) to|response to|review of)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWorks:
    doi: str | None = None  # the page's own
    status: RetractionStatus | None = None  # of the own DOI
    mentioned: tuple[MentionedDoi, ...] = ()
    unlisted: int = 0  # further mentioned DOIs
    doubted: str | None = (
        None  # the DOI in the metadata, if nothing shows that it is the page's own
    )

    @property
    def note(self) -> str | None:
        """What is retracted or doubtful among the works that the page names; None if nothing is."""
        bad = [mention.doi for mention in self.mentioned if mention.status == RETRACTED]
        what = "a retracted paper" if len(bad) == 1 else "retracted papers"
        notes = [f"This page mentions {what}: {', '.join(bad)}."] if bad else []
        if self.doubted:
            notes.append(
                f"The page's metadata name the DOI {self.doubted}, but no registry could confirm"
                " that the page is this work; it counts as mentioned."
            )
        return " ".join(notes) or None


class PageWorkFinder:
    def __init__(self, checks: RetractionChecker | None) -> None:
        """Without `checks` the claim of metadata and address counts, and no status is known."""
        self._checks = checks

    async def find_page_works(self, page: Page, *, tenant: str | None = None) -> PageWorks:
        """The works; what cannot be checked is unknown, and nothing is raised for it."""
        claimed = list_claimed_dois(page)
        # Long pages take long enough to block the event loop.
        named = await asyncio.to_thread(list_mentioned_dois, page.content, claimed)
        if not claimed and not named:
            return PageWorks()
        checked = await self._check_works(claimed, named[:MAX_LISTED_MENTIONS], tenant)
        own = await asyncio.to_thread(_choose_own_doi, page, claimed, named, checked)
        # An address may add a version to the own DOI.
        others = [doi for doi in claimed if own is None or not doi.startswith(own)]
        others += [doi for doi in named if doi != own]
        listed = [_build_mention(doi, checked.get(doi)) for doi in others[:MAX_LISTED_MENTIONS]]
        found = checked.get(own) if own else None
        declared = checked.get(page.declared_doi or "")
        is_confirmed = page.declared_doi == own or bool(declared and declared.work is not None)
        return PageWorks(
            doi=own,
            status=found.status if found else None,
            mentioned=tuple(sorted(listed, key=lambda mention: mention.retraction_status is None)),
            unlisted=max(0, len(others) - MAX_LISTED_MENTIONS),
            doubted=None if is_confirmed else page.declared_doi,
        )

    async def _check_works(
        self, claimed: tuple[str, ...], named: tuple[str, ...], tenant: str | None
    ) -> Mapping[str, RetractionCheck]:
        checks = self._checks
        if checks is None:
            return {}

        async def check(doi: str) -> RetractionCheck | None:
            try:
                if doi in claimed:
                    return await checks.check_retraction(doi, tenant=tenant)
                return await checks.check_mention(doi, seconds=MENTION_SECONDS, tenant=tenant)
            except CitewellError:
                return None

        wanted = (*claimed, *named)
        answers = await asyncio.gather(*map(check, wanted))
        if unchecked := answers.count(None):
            logger.info("retraction statuses that could not be checked: %d", unchecked)
        return {
            doi: checked
            for doi, checked in zip(wanted, answers, strict=True)
            if checked is not None
        }


def _build_mention(doi: str, checked: RetractionCheck | None) -> MentionedDoi:
    if checked is None or not checked.answered:
        return MentionedDoi(doi=doi, status=UNKNOWN)
    status = checked.status
    if status is None:
        return MentionedDoi(doi=doi, status=NO_NOTICE)
    return MentionedDoi(
        doi=doi,
        status=RETRACTED if status.retracted else status.kind,
        title=checked.work.title if checked.work else None,
        retraction_status=status,
    )


def _choose_own_doi(
    page: Page,
    claimed: tuple[str, ...],
    named: tuple[str, ...],
    checked: Mapping[str, RetractionCheck],
) -> str | None:
    """The first claim that no record refutes, else the first mention whose record is the page's."""
    records = {doi: found.work for doi, found in checked.items() if found.work is not None}
    for doi in claimed:
        if not is_other_work(page, records[doi]) if doi in records else is_credible_doi(page, doi):
            return doi
    return next((doi for doi in named if doi in records and is_same_work(page, records[doi])), None)


def find_credible_doi(page: Page) -> str | None:
    """The first DOI that metadata or address claim for the page and that needs no record to count."""
    return next((doi for doi in list_claimed_dois(page) if is_credible_doi(page, doi)), None)


def is_credible_doi(page: Page, doi: str) -> bool:
    """Whether a claimed DOI counts before any record of it is known.

    The address has it too, or the metadata that state it also give a title or authors, and that
    title is not another one than readers see.
    """
    # An address may add a version to the DOI.
    if any(own.startswith(doi) for own in list_own_dois(page.url, page.final_url, None)):
        return True
    title, *seen = _list_page_titles(page)
    is_other = title and len(seen) > 1 and all(_is_other_title(title, other) for other in seen)
    return page.is_doi_described and not is_other


def find_likely_doi(page: Page) -> str | None:
    """The DOI to look up for a page that claims none: the first before any list of references.

    None if the page names no authors, as a paper does. `is_same_work` tells whether it is the page's.
    """
    head = _REFERENCES_PATTERN.split(page.content[: 2 * _HEAD_CHARS], maxsplit=1)[0]
    return dois.find_doi(head) if list_page_authors(page) else None


def is_page_work(page: Page, work: RegisteredWork | None, *, is_claimed: bool) -> bool:
    """Whether the page is this work: a claimed DOI if the record agrees, else if it matches.

    Without a record, a claimed DOI has to be credible.
    """
    if work is None:
        return is_claimed and find_credible_doi(page) is not None
    return not is_other_work(page, work) if is_claimed else is_same_work(page, work)


def is_other_work(page: Page, work: RegisteredWork) -> bool:
    """Whether the record is plainly that of another work than the page: other title, other authors.

    Metadata may describe another paper throughout, so the titles that readers see count by themselves.
    """
    titles, seen = _list_page_titles(page), _list_page_titles(page)[1:]
    if _is_notice_about(titles, work) or (
        len(seen) > 1 and all(_is_other_title(work.title, title) for title in seen)
    ):
        return True
    titles = [title for title in titles if title]
    alike = _compare_authors(page, work)
    if not titles or alike or any(_is_same_title(work.title, title) for title in titles):
        return False
    return alike is False or all(_is_other_title(work.title, title) for title in titles)


def is_same_work(page: Page, work: RegisteredWork) -> bool:
    """Whether title and authors of the record are those of the page; a retraction notice is not its paper."""
    titles = _list_page_titles(page)
    parts = [
        part for title in titles for part in (title, *_TITLE_BREAK_PATTERN.split(title)) if part
    ]
    if _count_title_words(work.title) < _MIN_TITLE_WORDS or _is_notice_about(titles, work):
        return False
    if not any(
        title_matching.has_same_letters(part, work.title)
        or title_matching.is_title_beginning(part, work.title)
        for part in parts
    ):
        return False
    alike = _compare_authors(page, work)
    return _names_record_authors(page, work) if alike is None else alike


def _list_page_titles(page: Page) -> list[str]:
    """The title in the metadata, then what readers see: the title for sharing and the first heading.

    A title of few words says nothing and is left empty, or out.
    """
    graph = page.structured.open_graph if page.structured else None
    heading = _HEADING_PATTERN.search(page.content[: 2 * _HEAD_CHARS])
    seen = ((graph or {}).get("og:title", ""), heading[1] if heading else "")
    title = page.title if _count_title_words(page.title) >= _MIN_TITLE_WORDS else ""
    return [title, *(text for text in seen if _count_title_words(text) >= _MIN_TITLE_WORDS)]


def _count_title_words(title: str) -> int:
    return len(title_matching.extract_title_words(title))


def _is_notice_about(titles: list[str], work: RegisteredWork) -> bool:
    return not _NOTICE_TITLE_PATTERN.match(work.title) and any(
        map(_NOTICE_TITLE_PATTERN.match, titles)
    )


def _is_same_title(record: str, title: str) -> bool:
    return title_matching.is_title_beginning(title, record) or (
        title_matching.measure_title_coverage(record, title) >= _SAME_TITLE_SHARE
    )


def _is_other_title(record: str, title: str) -> bool:
    """Whether the titles share few words and are in one language, so that none is a translation."""
    if title_matching.measure_title_coverage(record, title) > _OTHER_TITLE_SHARE:
        return False
    spoken = {detect_language(text) or "en" for text in (record, title)}
    return classify_script(record) == classify_script(title) and len(spoken) == 1


def _compare_authors(page: Page, work: RegisteredWork) -> bool | None:
    """Whether the page's authors are the record's; None if that cannot be told."""
    people = [
        WorkAuthor(name=author.display_name, family=author.family, given=author.given)
        for author in list_page_authors(page)[:_MAX_COMPARED_AUTHORS]
        if not author.is_indivisible
    ]
    if not people or not work.authors:
        return None
    alike = sum(
        any(
            author_matching.match_authors(person, other) and share_given_name(person, other)
            for other in work.authors
        )
        for person in people
    )
    return 2 * alike >= len(people) if alike or _are_comparable(people, work) else None


def _are_comparable(people: list[WorkAuthor], work: RegisteredWork) -> bool:
    return any(
        author_matching.match_authors(person, other) is False
        for person in people
        for other in work.authors
    )


def _names_record_authors(page: Page, work: RegisteredWork) -> bool:
    """Whether the text begins with the first author and at least half of the record's authors."""
    head, people = page.content[:_HEAD_CHARS], work.authors[:_MAX_COMPARED_AUTHORS]
    named = [author_matching.is_author_mentioned(person, head) for person in people]
    return bool(named) and named[0] and 2 * sum(named) >= len(named)
