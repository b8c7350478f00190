"""Old PowerPoint presentations."""

from __future__ import annotations

from tests.documents import open_document
from tests.old_documents import ppt


def test_old_slides_come_in_order_without_the_hidden_ones() -> None:
    body = ppt(("One", "a\rb"), ("Two", "c"), ("Secret", "d"), hidden=1)

    found = open_document(body)

    assert found.markdown == "## Slide 1: One\n\n- a\n- b\n\n## Slide 2: Two\n\nc"
    assert found.notes == ("1 hidden slide was left out.",)
    assert open_document(body, pages="2").markdown == "## Slide 2: Two\n\nc"
