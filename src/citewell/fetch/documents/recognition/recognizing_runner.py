"""Runs tasks like the worker pool, and has scanned pages recognized when a document asks for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol, TypeVar

from citewell.errors import CitewellError
from citewell.fetch.documents.document_text import (
    DocumentLimits,
    RecognitionNeeded,
    RecognizedPage,
    RecognizedText,
)
from citewell.fetch.documents.recognition.page_picture import PagePicture
from citewell.fetch.documents.recognition.text_recognizer import (
    RecognitionFailure,
    RecognitionLimits,
)
from citewell.model.counted_words import pluralize
from citewell.workers.worker_tasks import PoolFigures, TaskRunner, WorkerTask

R = TypeVar("R")

_RENDER_PAGE: WorkerTask[PagePicture] = WorkerTask(
    "citewell.fetch.documents.pdf.page_images:render_page_image", PagePicture
)
_PAGES_AT_ONCE = 2


class PageRecognizer(Protocol):
    """Recognizes the text of a picture; a fake does in tests."""

    limits: RecognitionLimits

    async def find_languages(self) -> str: ...

    async def recognize_image(self, image: PagePicture) -> str: ...


class RecognizingRunner:
    """A task that is given a document's limits may ask for recognition, and is then run again."""

    def __init__(self, workers: TaskRunner, recognizer: PageRecognizer) -> None:
        self._workers = workers
        self._recognizer = recognizer

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: object
    ) -> R:
        body = arguments.get("body")
        limits = {
            name: value for name, value in arguments.items() if isinstance(value, DocumentLimits)
        }
        if not limits or not isinstance(body, bytes) or b"%PDF-" not in body[:1024]:
            return await self._workers.run_task(task, limit_seconds=limit_seconds, **arguments)
        ready = bool(await self._recognizer.find_languages())
        asking = {name: replace(value, can_recognize=ready) for name, value in limits.items()}
        try:
            return await self._workers.run_task(
                task, limit_seconds=limit_seconds, **(arguments | asking)
            )
        except RecognitionNeeded as needed:
            numbers = [int(number) for number in (needed.detail or "").split(",") if number]
        text = await self._recognize_pages(body, numbers)
        knowing = {name: replace(value, recognized=text) for name, value in limits.items()}
        return await self._workers.run_task(
            task, limit_seconds=limit_seconds, **(arguments | knowing)
        )

    def prepare_worker(self) -> None:
        self._workers.prepare_worker()

    def measure_pool(self) -> PoolFigures:
        return self._workers.measure_pool()

    async def aclose(self) -> None:
        await self._workers.aclose()

    async def _recognize_pages(self, body: bytes, numbers: list[int]) -> RecognizedText:
        """The text of as many pages as the limits allow; those that fail are left out."""
        limits = self._recognizer.limits
        chosen = numbers[: limits.max_pages]
        room = asyncio.Semaphore(_PAGES_AT_ONCE)

        async def recognize(number: int) -> RecognizedPage | None:
            async with room:
                return await self._recognize_page(body, number)

        tasks = [asyncio.ensure_future(recognize(number)) for number in chosen]
        try:
            done, late = await asyncio.wait(tasks, timeout=limits.total_seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        pages = [page for task in done if (page := task.result()) is not None]
        said = ""
        if late:
            said = f"Text recognition was stopped after {limits.total_seconds:g} {pluralize(limits.total_seconds, 'second')}."
        elif len(chosen) < len(numbers):
            said = f"Text recognition is limited to {limits.max_pages} pages of a document."
        return RecognizedText(
            pages=tuple(sorted(pages, key=lambda page: page.number)),
            left_out=said,
        )

    async def _recognize_page(self, body: bytes, number: int) -> RecognizedPage | None:
        try:
            image = await self._workers.run_task(_RENDER_PAGE, body=body, number=number)
            return RecognizedPage(number, await self._recognizer.recognize_image(image))
        except (CitewellError, RecognitionFailure):
            return None
