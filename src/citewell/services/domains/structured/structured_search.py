"""Searches the web and fills the fields of a schema from each page found."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from citewell.dialects.model_billing import TICKS_PER_DOLLAR
from citewell.domain_ports import StructuredSearch
from citewell.errors import CitewellError, InternalError, NotFound
from citewell.model.counted_words import pluralize
from citewell.model.domains.structured_results import (
    StructuredAnswer,
    StructuredHits,
    StructuredQuery,
    StructuredResult,
)
from citewell.model.page import Page
from citewell.model.research import RESEARCH_TIERS
from citewell.ports import DeepResearch, ReportWriter
from citewell.services.domains.answers.answer_service import CallContext
from citewell.services.domains.answers.page_readings import PageReadingService
from citewell.services.domains.routing.paid_choice import (
    LOCAL_NAME,
    PROVIDER_ERRORS,
    PaidChoice,
    run_free_call,
)
from citewell.services.domains.structured import model_fields
from citewell.services.domains.structured.page_fields import (
    FilledFields,
    fill_page_fields,
    find_stated_highlights,
    summarise_for_query,
)
from citewell.services.domains.structured.structured_request import (
    StructuredRequest,
    check_category,
    check_structured_request,
)
from citewell.services.research.provider_calls import estimate_writing_cost
from citewell.services.research.single_calls import CallOrder, CallResult, SingleCalls
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_failures import name_provider_error
from citewell.services.web.search_hints import build_domain_hints
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, run_function

__all__ = ["StructuredRequest", "StructuredSearchService"]

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

    async def search_structured(
        self, ask: StructuredRequest, *, context: CallContext
    ) -> StructuredAnswer:
        """The pages with their fields, by the named or only provider; raises its error."""
        asked = check_structured_request(ask)
        name = self._choice.choose_provider(asked.provider)
        context.trace.record_attempt(name)
        if name == LOCAL_NAME:
            check_category(asked.category, OWN_CATEGORIES, name)
            hits = await self._fill_from_pages(asked, context)
        else:
            try:
                hits = await self._ask_filling_provider(name, asked, context)
            except PROVIDER_ERRORS as error:
                raise name_provider_error(error, self._catalogue.find_spec(name)) from None
        context.trace.record_success(name)
        return self._build_structured_answer(asked, name, hits)

    async def _ask_filling_provider(
        self, name: str, ask: StructuredRequest, context: CallContext
    ) -> StructuredHits:
        provider = self._catalogue.connect_provider(name)
        if isinstance(provider, StructuredSearch):
            check_category(ask.category, provider.structured_categories, name)
            query = _build_query(ask)

            async def send_query(_tag: str) -> StructuredHits:
                return await provider.search_structured(query)

            return await self._pay_hits(
                name, ask, provider.estimate_structured_cost(query), send_query, context
            )
        if isinstance(provider, ReportWriter) and isinstance(provider, DeepResearch):
            check_category(ask.category, OWN_CATEGORIES, name)
            return await self._fill_by_model(name, provider, ask, context)
        raise InternalError(f"{name} declares structured search but cannot do it.")

    async def _fill_from_pages(
        self, ask: StructuredRequest, context: CallContext
    ) -> StructuredHits:
        """Our own search; pages that fill no field come last."""
        pages, notes = await self._read_found_pages(ask, context)
        filled = await asyncio.gather(*(self._fill_page(page, ask) for page in pages))
        rows = sorted(
            zip(pages, filled, strict=True), key=lambda row: row[1].filled == 0
        )  # stable: the order of the search otherwise
        results = tuple(_build_result(page, fields) for page, fields in rows)[: ask.count]
        told = _NO_MODEL_NOTE if ask.field_schema is not None else _NO_SCHEMA_NOTE
        return StructuredHits(results=results, notes=(told, *notes) if results else notes)

    async def _fill_page(self, page: Page, ask: StructuredRequest) -> FilledFields:
        try:
            if ask.field_schema is None:
                return await run_function(
                    self._workers, summarise_for_query, page.content, ask.query, page.language
                )
            return await run_function(
                self._workers,
                fill_page_fields,
                page.content,
                page.title,
                _collect_metadata(page),
                ask.field_schema,
                query=ask.query,
                language=page.language,
            )
        except TaskFailure:  # a page that its reader cannot cope with states nothing
            return FilledFields(summary=None)

    async def _fill_by_model(
        self, name: str, writer: Any, ask: StructuredRequest, context: CallContext
    ) -> StructuredHits:
        """Fields that a model fills from pages we read; nothing is sent if no page was read."""
        if ask.field_schema is None:
            return await self._fill_from_pages(ask, context)
        found, notes = await self._read_found_pages(ask, context)
        pages = found[: ask.count]
        if not pages:
            raise NotFound(
                "No page was found and read that the model could fill fields from, so it was not asked.",
                action="broaden_query",
            )
        schema = ask.field_schema

        async def send_pages(tag: str) -> StructuredHits:
            report = await writer.write_report(
                model_fields.build_filling_request(ask.query, schema, pages, tag=tag)
            )
            written = model_fields.read_filled_pages(report.text, schema, len(pages))
            rows = [
                StructuredResult(url=page.final_url, summary=values)
                for page, values in zip(pages, written, strict=True)
            ]
            return StructuredHits(results=tuple(rows), cost_ticks=report.cost_ticks)

        estimate = estimate_writing_cost(writer, RESEARCH_TIERS["XXS"])
        hits = await self._pay_hits(name, ask, estimate, send_pages, context)
        results = await asyncio.gather(
            *(
                self._prove_values(page, result, ask.query)
                for page, result in zip(pages, hits.results, strict=True)
            )
        )
        return replace(hits, results=tuple(results), notes=(_NOT_STATED_NOTE, *notes))

    async def _prove_values(
        self, page: Page, result: StructuredResult, query: str
    ) -> StructuredResult:
        stated = model_fields.list_stated_values(result.summary or {})
        places = await run_function(
            self._workers,
            find_stated_highlights,
            f"{page.title}\n{page.content}",
            [one.value for one in stated],
        )
        kept = model_fields.drop_unstated_values(result.summary or {}, stated, places)
        shown = tuple(dict.fromkeys(filter(None, places)))
        if not shown:
            said = await run_function(
                self._workers, summarise_for_query, page.content, query, page.language
            )
            shown = said.highlights
        return _build_result(page, FilledFields(summary=kept, highlights=shown))

    async def _read_found_pages(
        self, ask: StructuredRequest, context: CallContext
    ) -> tuple[tuple[Page, ...], tuple[str, ...]]:
        """The pages that were found and read, and a note if some could not be read."""
        words = _CATEGORY_WORDS.get(ask.category or "")
        query = f"{ask.query} {words}" if words else ask.query
        if context.progress is not None:
            await context.progress(0, None, "searching")
        wanted = min(_MAX_READ_PAGES, ask.count + 3)
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
        ask: StructuredRequest,
        estimate: int,
        send: Callable[[str], Awaitable[StructuredHits]],
        context: CallContext,
    ) -> StructuredHits:
        """The hits; a call that costs something goes through the ledger, a free one does not."""
        if context.progress is not None:
            await context.progress(0, None, f"asking {self._catalogue.find_spec(name).title}")
        if estimate <= 0:
            return await run_free_call(send(""), seconds=_WRITING_SECONDS, provider=name)

        async def pay_for_hits(tag: str) -> CallResult:
            hits = await send(tag)
            value = [one.model_dump(mode="json") for one in hits.results]
            return CallResult(value=value, cost_ticks=hits.cost_ticks)

        order = CallOrder(
            tool="structured_search",
            query=ask.query,
            provider=name,
            estimate_ticks=estimate,
            seconds=_WRITING_SECONDS,
            send=pay_for_hits,
        )
        paid = await self._single_calls().pay_call(context.owner, order)
        results = tuple(StructuredResult.model_validate(one) for one in paid.value)
        return StructuredHits(results=results, cost_ticks=paid.cost_ticks)

    def _build_structured_answer(
        self, ask: StructuredRequest, name: str, hits: StructuredHits
    ) -> StructuredAnswer:
        hints = None
        if not hits.results:
            others = (*self._choice.list_chosen_providers(), LOCAL_NAME)
            hints = build_domain_hints(
                filters=("category",) if ask.category else (),
                attempted=(name,),
                failures=(),
                others=tuple(one for one in others if one != name),
            )
        return StructuredAnswer(
            query=ask.query,
            category=ask.category or "",
            result_count=len(hits.results),
            results=hits.results,
            provider=name,
            cost_usd=round(hits.cost_ticks / TICKS_PER_DOLLAR, 6) if hits.cost_ticks else None,
            notes=hits.notes or None,
            hints=hints,
        )


def _build_query(ask: StructuredRequest) -> StructuredQuery:
    return StructuredQuery(
        text=ask.query, count=ask.count, category=ask.category, schema=ask.field_schema
    )


def _collect_metadata(page: Page) -> dict[str, Any]:
    structured = page.structured.model_dump(mode="json") if page.structured else {}
    return {**structured, "author": page.author, "published": page.published}


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
