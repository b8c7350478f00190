"""One search on one instance: reads JSON, or HTML if JSON is off, and as many pages as needed."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.core.values.search_queries import SearchQuery, build_operator_query
from citewell.net.http.messages import HttpResponse
from citewell.providers.dialects.result_paging import ResultPage, gather_pages
from citewell.providers.searxng import instance_capabilities, result_page
from citewell.providers.searxng.instance_health import SETTINGS_LINE, InstanceHealth, JsonDisabled
from citewell.providers.searxng.instances import SearxngInstance
from citewell.text.addresses import build_page_key
from citewell.text.safety.text_cleaning import extract_visible_text
from citewell.workers.worker_tasks import TaskRunner

_COMMAND_MARKS = "!:<"
_LANGUAGE_PATTERN = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{4})?(?:[-_]([A-Za-z]{2}))?")
_SAFE_SEARCH_LEVELS = {"off": "0", "medium": "1", "high": "2"}
_NON_LANGUAGE_CHARS = frozenset(string.punctuation + string.digits)

_SEARCH_PATH = "/search"
_FULL_PAGE_RESULTS = 10  # of one page; SearXNG's engines send so many when they have more
_OWN_MAX_PAGES = 5
_PUBLIC_MAX_PAGES = 2  # a public instance's limiter allows four API requests an hour


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceResults:
    """The results of one instance for one search."""

    instance: SearxngInstance
    instances_asked: tuple[str, ...] = ()  # for the same search, this one and those that failed
    results: tuple[result_page.SearxngResult, ...] = ()
    total: int | None = None
    unresponsive: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    remedy: str = ""  # the configuration line that a note recommends
    category_missing: bool = False  # it has no engines for the category


@dataclass(slots=True, kw_only=True)
class _SearchProgress:
    """The state of a search while its pages arrive."""

    instance: SearxngInstance
    query: SearchQuery
    capabilities: instance_capabilities.InstanceCapabilities | None
    seen_urls: set[str] = field(default_factory=set)
    unresponsive: dict[str, str] = field(default_factory=dict)
    other_category_count: int = 0  # results of other categories
    page_limit_reached: bool = False  # the last allowed page still had new results


class InstanceSearcher:
    def __init__(
        self,
        client: instance_capabilities.InstanceClient,
        *,
        health: InstanceHealth,
        capabilities: instance_capabilities.CapabilityCache,
        workers: TaskRunner,
    ) -> None:
        self._client = client
        self._workers = workers
        self._health = health
        self._capabilities = capabilities

    async def probe_json_support(self, instance: SearxngInstance) -> None:
        """Record whether the instance offers JSON, found out by a request with an empty query.

        SearXNG checks the format before the query, so the response is 400 in JSON, or 403. No engine
        is asked, and an instance that cannot help does not see the user's query.
        """
        try:
            response = await self._client.fetch_from_instance(
                instance, _SEARCH_PATH, {"q": "", "format": "json"}
            )
        except (errors.UpstreamError, errors.RefusedByPolicy):
            self._health.record_instance_failure(instance)
            return
        if response.status == 403 or (
            response.status in {200, 400} and response.content_type == "application/json"
        ):
            self._health.record_json_support(instance, on=response.status != 403)
        elif isinstance(
            error := self._client.find_status_error(response, instance), errors.RateLimited
        ):
            self._health.record_rate_limit(instance, error.retry_after or 0.0)
        else:
            self._health.record_instance_failure(instance)

    async def search_instance(
        self, instance: SearxngInstance, query: SearchQuery, params: Mapping[str, str]
    ) -> InstanceResults:
        capabilities = (
            None
            if query.category == "general" and query.language is None
            else await self._capabilities.look_up_capabilities(instance)
        )
        if capabilities and query.category not in capabilities.categories:
            offered = ", ".join(sorted(capabilities.categories)) or "none"
            return InstanceResults(
                instance=instance,
                notes=(
                    (
                        f"{instance.url} has no engines for the category {query.category}. It offers: {offered}."
                    ),
                ),
                category_missing=True,
            )
        run = _SearchProgress(instance=instance, query=query, capabilities=capabilities)

        pages = _OWN_MAX_PAGES if instance.is_own else _PUBLIC_MAX_PAGES

        async def fetch(number: int) -> ResultPage[result_page.SearxngResult]:
            answer = await self._fetch_result_page(instance, {**params, "pageno": str(number + 1)})
            page = _keep_new_results(answer, run)
            run.page_limit_reached = page.has_more and number + 1 == pages
            return page

        gathered = await gather_pages(fetch, count=query.count, max_pages=pages)
        return InstanceResults(
            instance=instance,
            results=gathered.items,
            total=gathered.total,
            unresponsive=tuple(run.unresponsive.items()),
            notes=(*gathered.notes, *self._build_searxng_notes(run, len(gathered.items))),
            remedy=SETTINGS_LINE if self._health.has_json(instance) is False else "",
            category_missing=not gathered.items and run.other_category_count > 0,
        )

    async def _fetch_result_page(
        self, instance: SearxngInstance, params: Mapping[str, str]
    ) -> result_page.SearxngPage:
        if self._health.has_json(instance) is False:
            return await self._fetch_html_page(instance, params)
        response = await self._client.fetch_from_instance(
            instance, _SEARCH_PATH, {**params, "format": "json"}
        )
        if response.status == 403:
            self._health.record_json_support(instance, on=False)
            return await self._fetch_html_page(instance, params)
        self._check_instance_response(response, instance)
        if response.content_type == "text/html":
            return await result_page.read_html_page(response, self._workers)
        answer = result_page.read_json_page(response)
        self._health.record_json_support(instance, on=True)
        return answer

    async def _fetch_html_page(
        self, instance: SearxngInstance, params: Mapping[str, str]
    ) -> result_page.SearxngPage:
        try:
            response = await self._client.fetch_from_instance(instance, _SEARCH_PATH, params)
            self._check_instance_response(response, instance)
            return await result_page.read_html_page(response, self._workers)
        except (errors.AuthRequired, errors.Blocked, errors.UpstreamUnavailable) as error:
            raise JsonDisabled.from_instance(
                instance, detail=error.detail or error.message, http_status=error.http_status
            ) from error

    def _check_instance_response(self, response: HttpResponse, instance: SearxngInstance) -> None:
        error = self._client.find_status_error(response, instance)
        if isinstance(error, errors.RateLimited):
            self._health.record_rate_limit(instance, error.retry_after or 0.0)
        if error is not None:
            raise error

    def _build_searxng_notes(self, run: _SearchProgress, found: int) -> list[str]:
        notes, at, query = [], run.instance.url, run.query
        if self._health.has_json(run.instance) is False:
            notes.append(
                f"{at} has JSON switched off, so its HTML page was read. `{SETTINGS_LINE}` in its settings.yml adds scores and dates."
            )
        if run.other_category_count:
            why = (
                "" if found else f" {at} has no working engines for the category {query.category}."
            )
            notes.append(
                f"{run.other_category_count} {pluralize(run.other_category_count, 'result of other categories was', 'results of other categories were')} left out.{why}"
            )
        if query.time_range == "hour":
            notes.append("SearXNG has no time range of an hour; a day was used instead.")
        if (
            (wanted := convert_searxng_language(query))
            and run.capabilities
            and not run.capabilities.has_language(wanted, query.category)
        ):
            notes.append(
                f"No engine of {at} lists the language {wanted}; it may have been ignored."
            )
        if run.page_limit_reached and found < query.count:
            notes.append(
                f"{at} reached the page limit after {found} of {query.count} {pluralize(query.count, 'result')}."
            )
        return notes


def _keep_new_results(
    answer: result_page.SearxngPage, run: _SearchProgress
) -> ResultPage[result_page.SearxngResult]:
    """The results of a page that are new and in the requested category."""
    run.unresponsive.update(dict(answer.unresponsive))
    fresh = []
    for result in answer.results:
        if build_page_key(result.url) in run.seen_urls:
            continue
        run.seen_urls.add(build_page_key(result.url))
        if _is_in_category(result, run):
            fresh.append(result)
        else:
            run.other_category_count += 1
    # A page that is not full is the last one; asking on would waste one of an instance's few calls.
    full = len(answer.results) >= _FULL_PAGE_RESULTS
    return ResultPage(items=tuple(fresh), has_more=full and bool(fresh), total=answer.total)


def _is_in_category(result: result_page.SearxngResult, run: _SearchProgress) -> bool:
    """Whether the result is in the requested category.

    An instance without engines for a category silently searches its default category instead.
    """
    wanted = run.query.category
    if wanted == "general":
        return True
    if run.capabilities:
        able = {engine.name for engine in run.capabilities.engines if wanted in engine.categories}
        return result.category == wanted or not able.isdisjoint(result.engines)
    return result.category != "general"


# The parameters of a search, with SearXNG's commands in the user's text neutralized.


def neutralize_commands(words: str) -> str:
    """The same words, changed so that SearXNG takes none of them for a command.

    A command is put in quotes, which keeps all its characters. Inside a quotation that would break
    the phrase, so there it loses its leading marks, which engines ignore anyway.
    """
    pieces: list[str] = []
    quoted = False
    for piece in extract_visible_text(words).split():
        pieces.append(_neutralize_piece(piece, quoted=quoted))
        quoted ^= piece.count('"') % 2 == 1
    return " ".join(piece for piece in pieces if piece)


def is_command(piece: str) -> bool:
    """Whether some instance may take the piece for a command; engine names differ, so any `!x` counts."""
    first, rest = piece[:1], piece[1:]
    if first == "!":
        return bool(rest)
    if first == ":":
        return bool(rest) and rest[0] not in _NON_LANGUAGE_CHARS
    return first == "<" and rest.isdigit()


def convert_searxng_language(query: SearchQuery) -> str | None:
    """The language in SearXNG's form: two or three letters and a region, without a script.

    None if the query has no language. Raises InvalidInput if it is not a language code.
    """
    if query.language is None:
        return None
    match = _LANGUAGE_PATTERN.fullmatch(query.language.strip())
    if match is None:
        message = f"{query.language!r} is not a language code. Use one such as en, de or pt-BR."
        raise errors.InvalidInput(message)
    region = match[2] or query.country
    return match[1].lower() + (f"-{region.upper()}" if region else "")


def build_searxng_params(query: SearchQuery, *, limit: int) -> dict[str, str]:
    """The parameters that all pages of one search share."""
    found = {
        "q": neutralize_commands(build_operator_query(query, max_chars=limit)),
        "categories": query.category,
        "safesearch": _SAFE_SEARCH_LEVELS[query.safe],
    }
    if wanted := convert_searxng_language(query):
        found["language"] = wanted
    if query.time_range:
        # SearXNG answers 400 to an hour, so a day, its shortest range, is used.
        found["time_range"] = "day" if query.time_range == "hour" else query.time_range
    return found


def _neutralize_piece(piece: str, *, quoted: bool) -> str:
    if not is_command(piece):
        return piece
    if quoted or '"' in piece:
        return piece.lstrip(_COMMAND_MARKS)
    return f'"{piece}"'
