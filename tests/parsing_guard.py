"""Fails a test in which the event loop, or a thread outside a worker task, parses what came from outside."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import selectolax.lexbor

from citewell.reading import content_kinds, page_charset

F = TypeVar("F", bound=Callable[..., Any])
_state = threading.local()


class ParsedOutsideWorker(BaseException):
    """Not an Exception, so that no code of ours takes it for a bad page."""


@contextmanager
def in_worker_task() -> Iterator[None]:
    """What is done within may parse, because a real worker would do it in a process of its own."""
    _state.in_task = True
    try:
        yield
    finally:
        _state.in_task = False


def check_parsing_place() -> None:
    """Tests themselves may parse, in the main thread and without a running loop."""
    if getattr(_state, "in_task", False):
        return
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or asyncio._get_running_loop() is not None:
        raise ParsedOutsideWorker("Parse this in a worker task: see workers/task_table.py.")


def install_guard() -> None:
    """Guard the HTML parser, the listing of archives and the statistics of charsets, once."""
    if getattr(selectolax.lexbor, "guarded", False):
        return
    plain = selectolax.lexbor.LexborHTMLParser

    class GuardedParser(plain):  # type: ignore[misc, valid-type]  # a class of an extension module
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            check_parsing_place()
            super().__init__(*args, **kwargs)

    vars(selectolax.lexbor).update(LexborHTMLParser=GuardedParser, guarded=True)
    page_charset.guess_charset = _guard_function(page_charset.guess_charset)
    content_kinds.detect_document_kind = _guard_function(content_kinds.detect_document_kind)


def _guard_function(function: F) -> F:
    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        check_parsing_place()
        return function(*args, **kwargs)

    return guarded  # type: ignore[return-value]  # of the same signature
