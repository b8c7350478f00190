"""Keeps text of the user's library out of everything that leaves the machine.

Pages of the library, claims made from them and reports that quote them are private. They go to a
model only if it runs on this machine or the owner allowed it for that job, and never into a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.core.values.research import ProviderReport, ResearchFindings, ResearchSource
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.jobs.step_values import (
    GROUNDED_PROVIDER,
    PageLead,
    PageReading,
    PageReadings,
    ResearchAssignment,
)
from citewell.research.planning.thread_context import LIBRARY_SCOPE, WEB_SCOPE
from citewell.text import addresses
from citewell.text.language import word_forms

WITHHELD_PASSAGES_NOTE = (
    "{name} was not given passages of your library; share_library allows it for one job."
)
WITHHELD_REPORT_NOTE = (
    "The report consists of quotations: {name} would have been sent text of your library."
    " share_library allows it for one job."
)
UNOPENED_ADDRESS_REASON = (
    "The address was written by a model that had read the library, so it was not opened."
)


class LibraryPermit:
    """Which providers of a job may be given text of the library, and what the others get."""

    def __init__(self, work: ResearchAssignment, is_local: Callable[[str], bool]) -> None:
        """`is_local` says whether a provider runs on this machine."""
        self._work = work
        self._is_local = is_local

    def covers_provider(self, name: str) -> bool:
        return self._work.share_library or self._is_local(name)

    def is_material_private(self, own: PageReadings) -> bool:
        """Whether text of the library is among what the job read or was told of its parent."""
        return self._work.context_is_private or _has_private_pages(own)

    def keep_given_pages(self, name: str, own: PageReadings) -> PageReadings:
        """The pages of which this provider may be given passages."""
        return own if self.covers_provider(name) else keep_public_pages(own)

    def choose_sent_context(self, name: str) -> str:
        """What a provider is told of the parent's report; nothing if that may quote the library."""
        if self._work.context_is_private and not self.covers_provider(name):
            return ""
        return self._work.context

    def describe_withheld_pages(self, names: Iterable[str], own: PageReadings) -> tuple[str, ...]:
        """A note for each of these providers that was not given the private pages."""
        if not _has_private_pages(own):
            return ()
        return tuple(
            WITHHELD_PASSAGES_NOTE.format(name=name)
            for name in names
            if not self.covers_provider(name)
        )

    def keep_uninformed_reports(
        self, reports: Iterable[ProviderReport], own: PageReadings
    ) -> list[ProviderReport]:
        """The reports of providers that were given no text of the library."""
        # Only the provider that writes from our passages can have been given any.
        informed = self.is_material_private(own) and self.covers_provider(GROUNDED_PROVIDER)
        return [
            report for report in reports if not informed or report.provider != GROUNDED_PROVIDER
        ]


def refuse_model_addresses(
    leads: Iterable[PageLead], uninformed: Iterable[PageLead]
) -> dict[str, PageReading]:
    """Readings without a request, for cited pages that no provider without private text cites.

    Such an address can carry what its model was given, so opening it could send that out.
    """
    open_keys = {addresses.build_page_key(lead.url) for lead in uninformed}
    return {
        lead.url: PageReading(
            url=lead.url, title=lead.title, state="refused", reason=UNOPENED_ADDRESS_REASON
        )
        for lead in leads
        if addresses.build_page_key(lead.url) not in open_keys
    }


def is_private_page(page: PageReading | ResearchSource) -> bool:
    """Whether a page or source is a document of the user's library."""
    return page.is_private or page.url.startswith(LIBRARY_ID_PREFIX)


def keep_public_pages(readings: PageReadings) -> PageReadings:
    return PageReadings(pages=tuple(page for page in readings.pages if not is_private_page(page)))


def drop_saved_copies(readings: PageReadings) -> PageReadings:
    """The pages without library copies of pages that were also read from the web, which are public."""
    public = keep_public_pages(readings).pages
    known = {addresses.build_page_key(page.url) for page in public if page.is_read}
    return PageReadings(
        pages=tuple(
            page
            for page in readings.pages
            if not (is_private_page(page) and addresses.build_page_key(page.address) in known)
        )
    )


def choose_query_pages(work: ResearchAssignment, readings: PageReadings) -> PageReadings:
    """The pages whose words may go into further searches: all in local-only research, else public ones."""
    return readings if work.scope == LIBRARY_SCOPE else keep_public_pages(readings)


def _has_private_pages(readings: PageReadings) -> bool:
    return any(is_private_page(page) for page in readings.pages)


def can_quote_library(args: Mapping[str, Any], findings: ResearchFindings) -> bool:
    """Whether the report of a stored job with these arguments may contain text of the library.

    Jobs stored without a scope are from a version that always searched the library.
    """
    return (
        args.get("scope", LIBRARY_SCOPE) != WEB_SCOPE
        or bool(args.get("context_is_private"))
        or any(is_private_page(source) for source in findings.sources)
    )


def drop_private_topics(findings: ResearchFindings) -> ResearchFindings:
    """The findings without suggestions that contain words known only from the library."""
    words = _collect_private_words(findings)
    kept = tuple(
        item for item in findings.follow_ons if not words & word_forms.extract_terms(item.topic)
    )
    return findings.model_copy(update={"follow_ons": kept})


def check_public_topic(topic: str, findings: ResearchFindings) -> None:
    """Raise InvalidInput if this suggestion has words that these findings know only from the library."""
    if _collect_private_words(findings) & word_forms.extract_terms(topic):
        raise InvalidInput(
            "This suggestion has words of your library, which a search would send out."
            " Set scope to library, or write the question as customQuery."
        )


def _collect_private_words(findings: ResearchFindings) -> frozenset[str]:
    """Words that the library or a model which may have read it used, and no public page quoted."""
    public = {source.ref for source in findings.sources if not is_private_page(source)}
    quoted = [item for item in findings.evidence if item.source in public]
    secret = [item.snippet for item in findings.evidence if item.source not in public]
    secret += [
        claim.content
        for claim in findings.claims
        if not public.issuperset(claim.sources) or GROUNDED_PROVIDER in claim.supporting_providers
    ]
    secret += [item.title for item in findings.sources if item.ref not in public]
    known = [findings.query, *(quotation.snippet for quotation in quoted)]
    known += [item.title for item in findings.sources if item.ref in public]
    return _collect_terms(secret) - _collect_terms(known)


def _collect_terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(term for text in texts for term in word_forms.extract_terms(text))
