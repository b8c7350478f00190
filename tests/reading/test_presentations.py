"""Slides of PowerPoint."""

from __future__ import annotations

from tests.documents import open_document, pptx, slide_shape


def test_a_slide_has_its_title_and_its_list() -> None:
    slide = slide_shape("A title", kind="title") + slide_shape("one", "two", kind="body")

    assert open_document(pptx(slide)).markdown == "## Slide 1: A title\n\n- one\n- two"


def test_shapes_come_from_top_to_bottom() -> None:
    slide = slide_shape("below", y=4_000_000) + slide_shape("above", y=400_000)

    assert open_document(pptx(slide)).markdown == "## Slide 1\n\nabove\n\nbelow"


def test_only_the_wanted_slides_are_read() -> None:
    found = open_document(pptx(slide_shape("a"), slide_shape("b")), pages="2")

    assert found.markdown == "## Slide 2\n\nb"
    assert found.page_count == 2
