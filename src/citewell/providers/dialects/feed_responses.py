"""Has feeds listed by a worker, and turns what cannot be read into errors about the upstream."""

from __future__ import annotations

from datetime import datetime

from citewell.core.errors import MalformedResponse, UpstreamError
from citewell.core.values.search_queries import SearchHit
from citewell.core.values.search_results import FeedItem, FeedListing
from citewell.net.http.messages import HttpResponse
from citewell.text.calendar_dates import parse_provider_date
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

_LIST_FEED: WorkerTask[FeedListing] = WorkerTask(
    "citewell.reading.documents.feed_listings:list_feed_items", FeedListing
)
_LIST_SECONDS = 5.0


async def read_feed_response(response: HttpResponse, workers: TaskRunner) -> FeedListing:
    """The entries of a feed. Raises MalformedResponse if it is none, and for one that crashes its reader."""
    try:
        return await workers.run_task(
            _LIST_FEED,
            limit_seconds=_LIST_SECONDS,
            body=response.body,
            url=response.url,
            content_type=response.headers.get("content-type", ""),
        )
    except TaskFailure as failure:
        raise MalformedResponse(failure.message, provider=response.provider) from None
    except UpstreamError as error:
        error.provider = error.provider or response.provider
        raise


def build_feed_hit(
    item: FeedItem, *, engine: str, source: str | None, now: datetime, snippet: str | None = None
) -> SearchHit:
    """An entry as a hit; a date that cannot be read is left out."""
    published = parse_provider_date(item.date, now=now)
    return SearchHit(
        title=item.title,
        url=item.link,
        snippet=item.summary if snippet is None else snippet,
        published=published,
        published_basis="provider" if published else None,
        engine=engine,
        source=source,
        source_url=item.source_url or None,
    )
