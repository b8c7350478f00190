"""Whatever is asked of the loopback corpus, every quotation stands where its evidence says."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core.values.research import RESEARCH_TIERS
from citewell.jobs.step_values import PageReading, PageReadings
from citewell.research.planning.research_plan import build_research_plan
from citewell.text.passages.markdown_blocks import render_plain_text
from tests import local_research
from tests.internet.world import corpus
from tests.quotations import is_own_text, list_quoted_lines

PAGES = tuple(
    PageReading(
        url=f"https://{page.host}/{page.path}",
        title=page.title,
        text=f"# {page.title}\n\n{page.markdown}",
        language=page.language,
    )
    for page in corpus()
)
WORDS = sorted({word for page in PAGES for word in re.findall(r"[a-z]{5,}", page.title.lower())})


@settings(max_examples=25, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True),
    chosen=st.sets(st.sampled_from(range(len(PAGES))), min_size=1, max_size=12),
)
def test_every_snippet_is_the_pages_own_text_at_its_offsets(words: Any, chosen: Any) -> None:
    pages = tuple(PAGES[place] for place in sorted(chosen))
    question = build_research_plan(
        f"What is known about {' '.join(words)}?", RESEARCH_TIERS["M"], year=2026
    )

    found = local_research.analyse_readings(question, PageReadings(pages=pages), salt="job")

    texts = {source.ref: page.text for source, page in zip(found.sources, pages, strict=True)}
    for one in found.evidence:
        assert is_own_text(texts[one.source], one.start, one.end, one.snippet)
    known = set(texts)
    assert set(re.findall(r"\[(src_\d+)\]", found.synthesis)) <= known
    # Without spaces: between sentences of a script that has none, a line break is none either.
    told = {ref: "".join(render_plain_text(text).split()) for ref, text in texts.items()}
    for quoted, refs in list_quoted_lines(found.synthesis):
        assert any("".join(quoted.split()) in told[ref] for ref in refs), quoted
