"""Every golden page must come out as exactly the markdown beside it."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.markdown.markdown_writer import render_markdown
from tests.requirements import requires

GOLDEN = Path(__file__).parents[1] / "golden" / "structure"
PAGES = sorted(path.stem for path in GOLDEN.glob("*.html"))


@requires("scrape_page.tables", "defect.structure")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_written_as_its_golden_markdown(name: str) -> None:
    tree = LexborHTMLParser((GOLDEN / f"{name}.html").read_text("utf-8"))
    assert tree.body is not None

    markdown = render_markdown(tree.body, base="https://site.example/docs/page")

    assert markdown + "\n" == (GOLDEN / f"{name}.md").read_text("utf-8")


def test_there_are_at_least_forty_golden_pages() -> None:
    assert len(PAGES) >= 40
