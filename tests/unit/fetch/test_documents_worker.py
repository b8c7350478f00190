"""A document cannot take the server down: workers are fenced in, ended, replaced and not left behind."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from citewell.errors import ContentEmpty, TooLarge
from citewell.fetch.documents.document_reader import read_document
from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    TookTooMuch,
    UnreadableDocument,
)
from citewell.fetch.documents.readers_by_kind import DocumentRequest
from citewell.fetch.documents.workers.worker_pool import WorkerPool
from tests.documents import pdf, xlsx
from tests.requirements import requires

pytestmark = pytest.mark.process  # real workers

LIMITS = DocumentLimits(timeout=20.0)
DOUBLE = "tests.documents_double"
linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's fences are Linux's")


def with_workers(
    act: Callable[[WorkerPool], Awaitable[Any]], *, limits: DocumentLimits = LIMITS, **more: Any
) -> Any:
    async def run() -> Any:
        async with WorkerPool(limits, module=DOUBLE, **more) as workers:
            return await act(workers)

    return asyncio.run(run())


async def tell(workers: WorkerPool, order: str, limits: DocumentLimits = LIMITS) -> str:
    return (
        await workers.read_in_worker(DocumentRequest(order.encode(), "", "", limits, None))
    ).markdown


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("order", "error"),
    [
        ("crash", Broken),
        ("leave", Broken),
        ("raise 5", Broken),
        ("dive", TookTooMuch),
        ("eat 3000000000", TookTooMuch),
    ],
)
@linux
def test_one_bad_document_fails_alone(order: str, error: type[Exception]) -> None:
    async def act(workers: WorkerPool) -> str:
        with pytest.raises(error):
            await tell(workers, order)
        return await tell(workers, "print still here")

    assert with_workers(act) == "still here"


def test_a_document_that_hangs_is_stopped_in_time() -> None:
    async def act(workers: WorkerPool) -> tuple[int, str]:
        pid = int(await tell(workers, "pid"))
        with pytest.raises(TookTooMuch, match=r"longer than 0\.3 seconds"):
            await tell(workers, "hang", replace(LIMITS, timeout=0.3))
        return pid, await tell(workers, "pid")

    before, after = with_workers(act)

    assert gone(before)
    assert int(after) != before


def test_a_reader_that_is_given_up_on_is_ended() -> None:
    async def act(workers: WorkerPool) -> int:
        pid = int(await tell(workers, "pid"))
        task = asyncio.create_task(tell(workers, "hang"))
        await asyncio.to_thread(wait_until, lambda: workers.idle_count == 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid

    assert gone(with_workers(act))


def test_a_worker_is_used_again() -> None:
    async def act(workers: WorkerPool) -> set[str]:
        return {await tell(workers, "pid") for _ in range(3)}

    assert len(with_workers(act)) == 1


def test_no_more_workers_run_than_allowed() -> None:
    async def act(workers: WorkerPool) -> set[str]:
        return set(await asyncio.gather(*(tell(workers, "pid") for _ in range(6))))

    assert len(with_workers(act, most=2)) <= 2


def test_a_worker_without_work_is_closed() -> None:
    async def act(workers: WorkerPool) -> int:
        pid = int(await tell(workers, "pid"))
        await asyncio.to_thread(wait_until, lambda: gone(pid))
        return workers.idle_count

    assert with_workers(act, idle=0.01) == 0


def test_closing_ends_every_worker() -> None:
    pid = int(with_workers(lambda workers: tell(workers, "pid")))

    assert gone(pid)


def test_what_libraries_print_does_not_disturb_the_answer(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async def act(workers: WorkerPool) -> str:
        return await tell(workers, "print noise " * 50)

    found = with_workers(act)

    assert found.startswith("noise")
    assert capfd.readouterr() == ("", "")


@linux
def test_a_worker_reaches_no_network_and_starts_no_program(tmp_path: Path) -> None:
    async def act(workers: WorkerPool) -> list[str]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            orders = (f"connect {port}", "socket", "run", f"write {tmp_path / 'file'}")
            return [await tell(workers, order) for order in orders]

    connected, raw, ran, written = with_workers(act)

    assert connected == ran == "PermissionError"
    assert raw == "-1"
    assert written in {"OSError", "FileTooLarge"}


def test_a_worker_sees_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "not-for-documents")

    assert "SOME_API_KEY" not in with_workers(lambda workers: tell(workers, "environment"))


@linux
def test_a_worker_dies_with_its_server() -> None:
    script = (
        "import asyncio, sys\n"
        "from citewell.fetch.documents.document_text import DocumentLimits\n"
        "from citewell.fetch.documents.workers.worker_pool import WorkerPool\n"
        "from citewell.fetch.documents.readers_by_kind import DocumentRequest\n"
        "async def main():\n"
        f"    workers = WorkerPool(DocumentLimits(), module={DOUBLE!r})\n"
        "    found = await workers.read_in_worker(DocumentRequest(b'pid', '', '', DocumentLimits(), None))\n"
        "    print(found.markdown, flush=True)\n"
        "    await workers.read_in_worker(DocumentRequest(b'hang', '', '', DocumentLimits(), None))\n"
        "asyncio.run(main())\n"
    )
    path = os.pathsep.join(part for part in sys.path if part)
    server = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )
    with server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())

        server.kill()

        wait_until(lambda: gone(pid))


@linux
def test_a_document_that_needs_too_much_memory_is_refused() -> None:
    rows = f'<row><c t="inlineStr"><is><t>{"x" * 60_000_000}</t></is></c></row>'
    limits = replace(LIMITS, memory=100 * 2**20, max_ratio=10_000)

    async def run() -> None:
        await read_document(
            xlsx({"S": rows}), url="https://example.org/a", content_type="", limits=limits
        )

    with pytest.raises(TooLarge, match="memory"):
        asyncio.run(run())


@requires("limit.document")
def test_a_document_over_the_cap_never_reaches_a_worker() -> None:
    limits = replace(LIMITS, max_bytes=10)

    with pytest.raises(TookTooMuch, match="larger than 10 bytes"):
        asyncio.run(
            read_document(pdf(), url="https://example.org/a", content_type="", limits=limits)
        )


def test_an_empty_body_says_so() -> None:
    with pytest.raises(UnreadableDocument, match="empty"):
        asyncio.run(read_document(b"", url="https://example.org/a", content_type="", limits=LIMITS))


def test_complaints_name_the_address_without_its_secrets_and_are_not_retried() -> None:
    url = "https://example.org/file.pdf?api_key=hunter2hunter2"

    with pytest.raises(ContentEmpty, match=r"https://example\.org/file\.pdf") as caught:
        asyncio.run(read_document(b"%PDF-1.7 junk", url=url, content_type="", limits=LIMITS))

    assert "hunter2" not in caught.value.message
    assert caught.value.build_error_block() | {"detail": ""} == {
        "kind": "content_empty", "retryable": False, "suggestedAction": "inform_user", "detail": "",
    }  # fmt: skip


def test_a_real_document_comes_back_from_a_real_worker() -> None:
    found = asyncio.run(
        read_document(
            pdf("Some text."), url="https://example.org/a", content_type="text/html", limits=LIMITS
        )
    )

    assert (found.kind, found.markdown, found.page_count) == ("pdf", "Some text.", 1)
