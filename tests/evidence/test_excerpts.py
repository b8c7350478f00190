from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evidence.signs.excerpts import extract_running_text, summarise_markdown
from tests.internet.world import World

MARKDOWN = """# How batteries age

Lithium-ion batteries lose capacity with time and with every charge.
See [the chart](http://example.org/a_(b).png) for **details** on the loss of capacity.

| year | capacity |
| --- | --- |
| 1 | 97 |

```python
print("not prose, this is code and never part of a summary")
```

- Heat makes batteries lose capacity faster than charging does.
"""


def test_a_summary_is_prose_from_the_text() -> None:
    summary = summarise_markdown(MARKDOWN)

    assert "Lithium-ion batteries lose capacity with time and with every charge." in summary
    assert "Heat makes batteries lose capacity faster" in summary
    assert not any(mark in summary for mark in ("#", "|", "print", "](", "**"))


@pytest.mark.parametrize("page", World().pages, ids=lambda page: f"{page.host}/{page.path}")
def test_every_page_has_a_summary_of_its_own_sentences(page: Any) -> None:
    summary = summarise_markdown(page.markdown)

    assert 20 <= len(summary) <= 500
    assert summary[:12].rstrip("…") in extract_running_text(page.markdown)


def test_a_long_sentence_is_shortened_at_a_word() -> None:
    summary = summarise_markdown("word " * 300 + "end.", max_chars=100)

    assert summary.endswith("word…")
    assert len(summary) <= 100


def test_an_open_fence_does_not_swallow_the_text() -> None:
    text = "```\nThe tide rises and falls twice a day here."

    assert "tide rises" in summarise_markdown(text)


@given(text=st.text(max_size=400), limit=st.integers(min_value=1, max_value=600))
def test_a_summary_never_exceeds_its_limit(text: str, limit: int) -> None:
    assert len(summarise_markdown(text, max_chars=limit)) <= limit
