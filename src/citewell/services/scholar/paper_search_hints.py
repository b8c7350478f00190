"""Explains why a search found no papers, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.model.search_results import EmptySearchHints
from citewell.services.scholar.paper_request import PaperSearchRequest
from citewell.services.scholar.paper_search_ladder import PaperHarvest
from citewell.services.web.search_hints import build_domain_hints


def explain_no_papers(
    ask: PaperSearchRequest, harvest: PaperHarvest, *, others: Iterable[str]
) -> EmptySearchHints:
    """The hints; `others` are the configured and healthy providers that were not asked."""
    return build_domain_hints(
        filters=ask.list_constraints(),
        attempted=harvest.list_attempted_providers(),
        failures=tuple(harvest.failures.values()),
        others=tuple(others),
        details=tuple(
            f"{reply.provider}: our own filters removed {reply.dropped} of its results."
            for reply in harvest.replies
            if reply.dropped
        ),
    )
