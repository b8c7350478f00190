"""Opens the pool of worker processes that the settings ask for."""

from __future__ import annotations

from functools import partial

from citewell.config import Settings
from citewell.workers.worker_tasks import DeferredRunner, TaskRunner


def open_worker_pool(settings: Settings) -> TaskRunner:
    """The pool that one server shares; it loads and starts nothing before the first page."""
    return DeferredRunner(partial(_build_worker_pool, settings))


def _build_worker_pool(settings: Settings) -> TaskRunner:
    from citewell.fetch.documents.recognition.recognizing_runner import RecognizingRunner
    from citewell.fetch.documents.recognition.text_recognizer import (
        RecognitionLimits,
        TextRecognizer,
    )
    from citewell.workers.worker_pool import WorkerLimits, WorkerPool

    pool = WorkerPool(
        WorkerLimits(
            count=settings.worker_count,
            task_seconds=settings.document_timeout,
            memory_bytes=settings.document_memory_mb * 2**20,
        )
    )
    if not settings.ocr:
        return pool
    limits = RecognitionLimits(max_pages=settings.ocr_pages, total_seconds=settings.ocr_timeout)
    return RecognizingRunner(pool, TextRecognizer(limits, languages=settings.ocr_languages))
