"""Tables, lists and code are kept or dropped as a whole, and the title and last blocks stay."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.html.block_context import find_structures, join_structure_chances
from citewell.reading.html.layout_blocks import PageLayout
from citewell.reading.html.main_content import extract_main_content, read_page_layout
from tests.requirements import requires

_PROSE = (
    "The survey of the northern harbours, which took eleven years, found that the tide gauges "
    "drifted by a few millimetres each winter, and that the drift was corrected far too late. "
)
_MENU = '<header><nav><a href="/">Home</a> <a href="/n">News</a></nav></header>'


def build_article(inner: str, *, title: str = "Gauges of the north") -> str:
    return (
        f"<html><head><title>{title}</title></head><body>{_MENU}<main><article>"
        f'<h1>{title}</h1><div class="entry-content"><p>{_PROSE * 2}</p><p>{_PROSE}</p>{inner}'
        '</div></article></main><footer class="footer"><p>Imprint and privacy</p></footer>'
        "</body></html>"
    )


def build_table(rows: int, columns: int) -> str:
    head = "".join(f"<th>Head{c}</th>" for c in range(columns))
    body = "".join(
        "<tr>" + "".join(f"<td>{r}.{c}x</td>" for c in range(columns)) + "</tr>"
        for r in range(rows)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def collect_layout(html: str) -> PageLayout:
    body = LexborHTMLParser(html).body
    assert body is not None
    return read_page_layout(body)


@requires("scrape_page.table_cells")
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 4), (12, 10), (60, 3)])
def test_a_table_of_an_article_keeps_every_cell_and_its_header(rows: int, columns: int) -> None:
    page = build_article(f"<h2>Readings</h2>{build_table(rows, columns)}<p>{_PROSE}</p>")

    found = extract_main_content(page, url="https://tides.example/readings")

    cells = [f"{r}.{c}x" for r in range(rows) for c in range(columns)]
    assert [cell for cell in cells if cell not in found.markdown] == []
    assert all(f"Head{c}" in found.markdown for c in range(columns))


@requires("scrape_page.table_cells")
@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 3), (4, 2)])
def test_a_small_table_at_the_end_of_an_article_is_whole(rows: int, columns: int) -> None:
    found = extract_main_content(build_article(build_table(rows, columns)))

    assert all(f"Head{c}" in found.markdown for c in range(columns))
    assert f"{rows - 1}.{columns - 1}x" in found.markdown


def test_a_small_table_in_wrappers_at_the_end_of_an_article_is_whole() -> None:
    wrapped = f'<div class="table-scroll"><div>{build_table(2, 2)}</div></div>'

    found = extract_main_content(build_article(wrapped))

    assert [cell for cell in ("Head0", "Head1", "0.0x", "1.1x") if cell not in found.markdown] == []


@pytest.mark.parametrize(
    "last",
    [
        "<pre>gauge --reset</pre>",
        "<pre><code>make tides</code></pre>",
        "<ul><li>Bergen</li><li>Bodø</li></ul>",
        "<dl><dt>Datum</dt><dd>The zero of a gauge</dd></dl>",
    ],
)
def test_a_short_last_block_of_an_article_is_not_taken_for_furniture(last: str) -> None:
    words = LexborHTMLParser(last).text(separator=" ").split()

    found = extract_main_content(build_article(last))

    assert [word for word in words if word not in found.markdown] == []
    assert "Imprint" not in found.markdown


def test_the_heading_that_is_the_title_of_the_page_stays() -> None:
    for title in ("Gauges", "Gauges of the north", "What eleven years of gauges told us at last"):
        assert f"# {title}" in extract_main_content(build_article("", title=title)).markdown


def test_every_item_of_a_list_in_the_text_stays_a_list_item() -> None:
    items = ["Bergen", "Bodø, the second", "Tromsø", "see the notes below", "Vardø", "and more"]
    page = build_article(f"<ul>{''.join(f'<li>{i}</li>' for i in items)}</ul><p>{_PROSE}</p>")

    found = extract_main_content(page)

    assert [item for item in items if f"- {item}" not in found.markdown] == []


def test_cells_of_one_table_share_one_chance() -> None:
    page = collect_layout(build_article(build_table(2, 2)))
    (table,) = find_structures(page)
    chances = [0.9] * len(page.blocks)
    chances[table.start] = 0.0

    joined = join_structure_chances(page, chances)

    assert len(set(joined[table.start : table.end])) == 1
    assert 0.5 < joined[table.start] < 0.9
    assert joined[: table.start] == chances[: table.start]


def test_a_table_that_lays_out_a_page_is_no_structure() -> None:
    column = f"<td><p>{_PROSE}</p><p>{_PROSE}</p><p>{_PROSE}</p><p>{_PROSE}</p></td>"
    page = collect_layout(f"<table><tr><td><a href=/>Home</a></td>{column}</tr></table>")

    assert find_structures(page) == []


def test_a_table_inside_a_layout_table_is_a_structure_of_its_own() -> None:
    column = f"<td><p>{_PROSE * 3}</p><p>{_PROSE}</p><p>{_PROSE}</p>{build_table(2, 2)}</td>"
    page = collect_layout(f"<table><tr><td>Menu</td>{column}</tr></table>")

    (inner,) = find_structures(page)

    assert page.blocks[inner.start].text == "Head0"
    assert inner.end - inner.start == 6


@pytest.mark.parametrize(
    "page",
    [
        build_table(8_000, 2),
        build_table(3, 2_000),
        "<table><tr><td>" * 60 + "deep" + "</td></tr></table>" * 60,
        "<ul><li>a" * 50 + "</li></ul>" * 50,
        "<dl>" + "<dt>t<dd>d" * 5_000 + "</dl>",
    ],
    ids=["rows", "columns", "tables", "lists", "definitions"],
)
def test_extreme_structures_are_read_in_bounds(page: str) -> None:
    assert isinstance(extract_main_content(build_article(page)).markdown, str)
