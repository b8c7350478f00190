"""What is written of a checked draft: the page, the annotated copy, SARIF, the baseline, the repairs."""

from __future__ import annotations

import re
from html import unescape

from citewell.drafts.commands.checking.draft_page import render_draft_page, split_marked_text
from tests.checked_drafts import TEXT, make_checked_draft, make_findings


def strip_tags(page: str) -> str:
    return unescape(re.sub(r'<span class="unseen">.*?</span>|<[^>]+>', "", page))


def test_the_page_shows_the_whole_draft_and_links_each_finding_to_its_card() -> None:
    page = render_draft_page(make_checked_draft())

    article = re.search(r'<section class="draft".*?</section>', page, re.DOTALL)
    assert article is not None
    assert "".join(strip_tags(article[0]).split()) == "".join(TEXT.split())
    for finding in ("f1", "f2", "f3", "f4"):
        assert f'href="#{finding}"' in article[0]
        assert page.count(f'id="{finding}"') == 1
        assert page.count(f'id="at-{finding}"') == 1
    assert 'id="f5"' not in page
    assert "<script" not in page
    assert "javascript:" not in re.sub(r">[^<]*<", "", page)


def test_a_statement_that_rests_on_a_retracted_work_is_marked_like_it() -> None:
    page = render_draft_page(make_checked_draft())

    assert '<a class="failed" id="at-f6"' in page
    assert "retracted, uncited" in page


def test_of_findings_at_one_place_the_worst_is_linked() -> None:
    pieces = list(split_marked_text(TEXT, make_findings(), 0, len(TEXT)))

    assert "".join(piece.text for piece in pieces) == TEXT
    marked = {piece.text: piece.finding.id for piece in pieces if piece.finding}
    assert marked["(LeCun 2015)"] == "f3"
    assert marked["Deep learning needs 80 layers "] == "f4"
