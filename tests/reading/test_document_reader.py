"""A document cannot take the server down: too large, empty and broken ones end in an error of ours."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import pytest

from citewell.core.errors import ContentEmpty, TooLarge
from citewell.reading.documents.document_reader import read_document
from citewell.reading.documents.document_text import DocumentLimits, TookTooMuch, UnreadableDocument
from tests.documents import pdf, xlsx
from tests.requirements import requires

pytestmark = pytest.mark.process  # real workers

LIMITS = DocumentLimits(timeout=20.0)
linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's fences are Linux's")


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
