"""Searches the web and fills the fields of a schema from each page found; checks the request first."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field

from citewell.core.errors import CitewellError, InternalError, InvalidInput, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.values.argument_types import OptionalName, QueryText, check_declared_bounds
from citewell.core.values.counted_words import pluralize
from citewell.core.values.field_schema import MAX_SCHEMA_CHARS, parse_field_schema
from citewell.core.values.page import Page
from citewell.core.values.research import RESEARCH_TIERS
from citewell.core.values.search_results import (
    StructuredAnswer,
    StructuredHits,
    StructuredQuery,
    StructuredResult,
)
from citewell.research.answer_service import CallContext
from citewell.research.pages.page_finders import PageReadingService
from citewell.research.planning.provider_choice import LOCAL_NAME, PROVIDER_ERRORS, PaidChoice
from citewell.research.settings import ResearchSettings
from citewell.research.single_calls import (
    CallOrder,
    CallResult,
    SingleCalls,
    estimate_writing_cost,
    perform_call,
)
from citewell.research.structured import field_questions
from citewell.research.structured.page_fields import (
    FilledFields,
    fill_page_fields,
    find_stated_highlights,
    summarise_for_query,
)
from citewell.routing.model_billing import TICKS_PER_DOLLAR
from citewell.routing.ports import DeepResearch, Offer, ReportWriter, StructuredSearch
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_failures import name_provider_error
from citewell.search.search_hints import build_domain_hints
from citewell.search.search_request import clean_query_text, normalize_provider_name
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, run_function

_MAX_JSON_LEVELS = 40  # more could not be written down as JSON again


_WRITING_SECONDS = 70.0
_MAX_READ_PAGES = 10
# Words that our own search adds for a category.
_CATEGORY_WORDS = {
    "company": "company",
    "people": "biography",
    "research paper": "paper",
    "news": "news",
    "pdf": "filetype:pdf",
    "github": "site:github.com",
    "financial report": "annual report",
    "personal site": "personal website",
}
OWN_CATEGORIES = tuple(_CATEGORY_WORDS)
_NO_MODEL_NOTE = (
    "No model filled these fields: rules read each value from the words that evidence quotes, and rules can"
    " misread, so check the quotation. null: the page does not say it, or not clearly enough."
)
_NO_SCHEMA_NOTE = "No model wrote these summaries: they are sentences of the pages."
_NOT_STATED_NOTE = "Values that the model gave and the pages do not state were replaced by null."


class StructuredSearchService:
    def __init__(
        self,
        catalogue: ProviderCatalogue,
        choice: PaidChoice,
        pages: PageReadingService,
        workers: TaskRunner,
        single_calls: Callable[[], SingleCalls],
    ) -> None:
        """`single_calls` is asked for when something is paid for the first time."""
        self._catalogue = catalogue
        self._choice = choice
        self._pages = pages
        self._workers = workers
        self._single_calls = single_calls

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.catalogue,
            PaidChoice(
                kit.catalogue,
                Offer.STRUCTURED,
                default=kit.settings[ResearchSettings].answer_provider,
            ),
            kit.require_service(PageReadingService),
            kit.workers,
            lambda: kit.require_service(SingleCalls),
        )

    async def search_structured(
        self, request: StructuredRequest, *, context: CallContext
    ) -> StructuredAnswer:
        """The pages with their fields, by the named or only provider; raises its error."""
        request = check_structured_request(request)
        name = self._choice.choose_provider(request.provider)
        context.trace.record_attempt(name)
        if name == LOCAL_NAME:
            check_category(request.category, OWN_CATEGORIES, name)
            hits = await self._fill_from_pages(request, context)
        else:
            try:
                hits = await self._ask_filling_provider(name, request, context)
            except PROVIDER_ERRORS as error:
                raise name_provider_error(error, self._catalogue.find_spec(name)) from None
        context.trace.record_success(name)
        return self._build_structured_answer(request, name, hits)

    async def _ask_filling_provider(
        self, name: str, request: StructuredRequest, context: CallContext
    ) -> StructuredHits:
        provider = self._catalogue.connect_provider(name)
        if isinstance(provider, StructuredSearch):
            check_category(request.category, provider.structured_categories, name)
            query = StructuredQuery(
                text=request.query,
                count=request.count,
                category=request.category,
                schema=request.field_schema,
            )

            async def send_query(_tag: str) -> StructuredHits:
                return await provider.search_structured(query)

            return await self._pay_hits(
                name, request, provider.estimate_structured_cost(query), send_query, context
            )
        if isinstance(provider, ReportWriter) and isinstance(provider, DeepResearch):
            check_category(request.category, OWN_CATEGORIES, name)
            return await self._fill_by_model(name, provider, request, context)
        raise InternalError(f"{name} declares structured search but cannot do it.")

    async def _fill_from_pages(
        self, request: StructuredRequest, context: CallContext
    ) -> StructuredHits:
        """Our own search; pages that fill no field come last."""
        pages, notes = await self._read_found_pages(request, context)
        filled = await asyncio.gather(*(self._fill_page(page, request) for page in pages))
        rows = sorted(
            zip(pages, filled, strict=True), key=lambda row: row[1].filled == 0
        )  # stable: the order of the search otherwise
        results = tuple(_build_result(page, fields) for page, fields in rows)[: request.count]
        note = _NO_MODEL_NOTE if request.field_schema is not None else _NO_SCHEMA_NOTE
        return StructuredHits(results=results, notes=(note, *notes) if results else notes)

    async def _fill_page(self, page: Page, request: StructuredRequest) -> FilledFields:
        try:
            if request.field_schema is None:
                return await run_function(
                    self._workers, summarise_for_query, page.content, request.query, page.language
                )
            structured = page.structured.model_dump(mode="json") if page.structured else {}
            metadata = {**structured, "author": page.author, "published": page.published}
            return await run_function(
                self._workers,
                fill_page_fields,
                page.content,
                page.title,
                metadata,
                request.field_schema,
                query=request.query,
                language=page.language,
            )
        except TaskFailure:  # a page that its reader cannot cope with states nothing
            return FilledFields(summary=None)

    async def _fill_by_model(
        self, name: str, writer: Any, request: StructuredRequest, context: CallContext
    ) -> StructuredHits:
        """Fields that a model fills from pages we read; nothing is sent if no page was read."""
        if request.field_schema is None:
            return await self._fill_from_pages(request, context)
        found, notes = await self._read_found_pages(request, context)
        pages = found[: request.count]
        if not pages:
            raise NotFound(
                "No page was found and read that the model could fill fields from, so it was not asked.",
                action="broaden_query",
            )
        schema = request.field_schema

        async def send_pages(tag: str) -> StructuredHits:
            report = await writer.write_report(
                field_questions.build_filling_request(request.query, schema, pages, tag=tag)
            )
            written = field_questions.read_filled_pages(report.text, schema, len(pages))
            rows = [
                StructuredResult(url=page.final_url, summary=values)
                for page, values in zip(pages, written, strict=True)
            ]
            return StructuredHits(results=tuple(rows), cost_ticks=report.cost_ticks)

        estimate = estimate_writing_cost(writer, RESEARCH_TIERS["XXS"])
        hits = await self._pay_hits(name, request, estimate, send_pages, context)
        results = await asyncio.gather(
            *(
                self._prove_values(page, result, request.query)
                for page, result in zip(pages, hits.results, strict=True)
            )
        )
        return replace(hits, results=tuple(results), notes=(_NOT_STATED_NOTE, *notes))

    async def _prove_values(
        self, page: Page, result: StructuredResult, query: str
    ) -> StructuredResult:
        stated = field_questions.list_stated_values(result.summary or {})
        places = await run_function(
            self._workers,
            find_stated_highlights,
            f"{page.title}\n{page.content}",
            [item.value for item in stated],
        )
        kept = field_questions.drop_unstated_values(result.summary or {}, stated, places)
        shown = tuple(dict.fromkeys(filter(None, places)))
        if not shown:
            proved = await run_function(
                self._workers, summarise_for_query, page.content, query, page.language
            )
            shown = proved.highlights
        return _build_result(page, FilledFields(summary=kept, highlights=shown))

    async def _read_found_pages(
        self, request: StructuredRequest, context: CallContext
    ) -> tuple[tuple[Page, ...], tuple[str, ...]]:
        """The pages that were found and read, and a note if some could not be read."""
        words = _CATEGORY_WORDS.get(request.category or "")
        query = f"{request.query} {words}" if words else request.query
        if context.progress is not None:
            await context.progress(0, None, "searching")
        wanted = min(_MAX_READ_PAGES, request.count + 3)
        leads = await self._pages.find_leads([query], count=wanted, tenant=context.tenant)
        found = await self._pages.load_pages(
            leads, tenant=context.tenant, progress=context.progress
        )
        read = tuple(page for page in found if not isinstance(page, CitewellError))
        lost = len(found) - len(read)
        return read, (
            f"{lost} of {len(found)} {pluralize(len(found), 'page')} could not be read.",
        ) if lost else ()

    async def _pay_hits(
        self,
        name: str,
        request: StructuredRequest,
        estimate: int,
        send: Callable[[str], Awaitable[StructuredHits]],
        context: CallContext,
    ) -> StructuredHits:
        """The hits; a call that costs something goes through the ledger, a free one does not."""
        if context.progress is not None:
            await context.progress(0, None, f"asking {self._catalogue.find_spec(name).title}")

        async def pay_for_hits(tag: str) -> CallResult:
            hits = await send(tag)
            value = [result.model_dump(mode="json") for result in hits.results]
            return CallResult(value=value, cost_ticks=hits.cost_ticks)

        order = CallOrder(
            tool="structured_search",
            query=request.query,
            provider=name,
            estimate_ticks=estimate,
            seconds=_WRITING_SECONDS,
            send=pay_for_hits,
        )
        paid = await perform_call(self._single_calls, context.owner, order)
        results = tuple(StructuredResult.model_validate(item) for item in paid.value)
        return StructuredHits(results=results, cost_ticks=paid.cost_ticks)

    def _build_structured_answer(
        self, request: StructuredRequest, name: str, hits: StructuredHits
    ) -> StructuredAnswer:
        hints = None
        if not hits.results:
            others = (*self._choice.list_chosen_providers(), LOCAL_NAME)
            hints = build_domain_hints(
                filters=("category",) if request.category else (),
                attempted=(name,),
                failures=(),
                others=tuple(other for other in others if other != name),
            )
        return StructuredAnswer(
            query=request.query,
            category=request.category or "",
            result_count=len(hits.results),
            results=hits.results,
            provider=name,
            cost_usd=round(hits.cost_ticks / TICKS_PER_DOLLAR, 6) if hits.cost_ticks else None,
            notes=hits.notes or None,
            hints=hints,
        )


def _build_result(page: Page, fields: FilledFields) -> StructuredResult:
    return StructuredResult(
        url=page.final_url or page.url,
        title=page.title or None,
        published_date=(page.published or "")[:10] or None,
        author=page.author,
        summary=fields.summary,
        highlights=fields.highlights or tuple(filter(None, [page.title])),
        evidence=fields.evidence or None,
    )


# The request of one structured search, and its check.


def _parse_schema_text(value: Any) -> Any:
    """A schema that came as JSON text, as an object; anything else as it is."""
    if isinstance(value, str):
        if not value.strip():
            return None
        if len(value) > MAX_SCHEMA_CHARS:
            raise ValueError(f"schema has more than {MAX_SCHEMA_CHARS} characters")
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("schema is a text that is not JSON") from None
    if _is_deeper(value, _MAX_JSON_LEVELS):
        raise ValueError("schema is nested far deeper than 2 levels")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether a JSON value has more levels than this; nothing behind them is looked at."""
    inner = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return False
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in inner)


@dataclass(frozen=True, kw_only=True)
class StructuredRequest:
    """One search that fills fields, as the caller wrote it; the arguments of structured_search."""

    query: QueryText
    category: Annotated[
        OptionalName, Field(description="company, people, news, research paper, pdf, github …")
    ] = None
    count: Annotated[int, Field(ge=1, le=10, validation_alias="num_results")] = 5
    field_schema: Annotated[
        dict[str, Any] | None,
        BeforeValidator(_parse_schema_text),
        Field(
            validation_alias="schema",
            description="JSON Schema: a root object, at most 10 properties, 2 levels, no $ref."
            " Without it summary is a text.",
        ),
    ] = None
    provider: Annotated[
        OptionalName, Field(description="Needed only if several are configured. local is free.")
    ] = None


def check_structured_request(request: StructuredRequest) -> StructuredRequest:
    """The request with its texts cleaned; raises InvalidInput, also for a schema over the limits."""
    check_declared_bounds(request)
    if request.field_schema is not None:
        parse_field_schema(request.field_schema)
    category = " ".join(request.category.lower().split()) if request.category else None
    return replace(
        request,
        query=clean_query_text(request.query),
        category=category,
        provider=normalize_provider_name(request.provider),
    )


def check_category(category: str | None, known: tuple[str, ...], provider: str) -> None:
    """Raise InvalidInput, with the categories there are, for one that the provider does not have."""
    if category is not None and category not in known:
        raise InvalidInput(
            f"{provider} has no category {category!r}. It takes: {', '.join(known)}.",
            provider=provider,
        )
