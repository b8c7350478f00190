"""What the reader of a page is told of the response."""

from __future__ import annotations

from citewell.reading.extracted_page import PageResponse


def test_the_media_type_is_the_content_type_without_its_parameters() -> None:
    response = PageResponse(
        url="https://example.org/",
        final_url="https://example.org/",
        headers={"content-type": "Text/HTML; charset=utf-8"},
    )

    assert response.content_type == "Text/HTML; charset=utf-8"
    assert response.media_type == "text/html"
