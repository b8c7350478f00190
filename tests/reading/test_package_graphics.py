"""Charts and diagrams of office documents are part of their text."""

from __future__ import annotations

import pytest

from tests.documents import (
    chart,
    chart_points,
    chart_reference,
    docx,
    open_document,
    pptx,
    slide_shape,
    word_paragraph,
    xlsx,
)
from tests.requirements import requires

CHART_ROWS = (
    "| Category | Sales | Costs |\n| --- | --- | --- |\n| East | 4.5 | 1 |\n| West | 2 |  |"
)


def series(name: str, categories: str, values: str, *, x: str = "cat", y: str = "val") -> str:
    named = f"<c:tx>{chart_points('str', name)}</c:tx>"
    return f"<c:ser>{named}<c:{x}>{categories}</c:{x}><c:{y}>{values}</c:{y}></c:ser>"


def sales_chart(kind: str = "barChart", title: str = "By region") -> str:
    names = chart_points("str", "East", "West")
    plots = series("Sales", names, chart_points("num", "4.5", "2"))
    plots += series("Costs", names, chart_points("num", "1"))
    return chart(f"<c:{kind}>{plots}</c:{kind}>", title=title)


@requires("scrape_page.office_charts")
@pytest.mark.parametrize(
    ("kind", "kinds"),
    [
        ("barChart", "bar"),
        ("bar3DChart", "bar"),
        ("lineChart", "line"),
        ("areaChart", "area"),
        ("radarChart", "radar"),
        ("doughnutChart", "doughnut"),
        ("ofPieChart", "of pie"),
        ("stockChart", "stock"),
        ("surfaceChart", "surface"),
    ],
)
def test_a_chart_on_a_slide_is_a_table_of_its_data(kind: str, kinds: str) -> None:
    body = pptx(chart_reference("c1"), parts={"c1": sales_chart(kind)})

    found = open_document(body).markdown

    assert found == f"## Slide 1\n\n**Chart: By region** ({kinds} chart)\n\n{CHART_ROWS}"


def test_a_chart_in_a_group_of_shapes_is_read() -> None:
    body = pptx(f"<p:grpSp>{chart_reference('c1')}</p:grpSp>", parts={"c1": sales_chart()})

    assert CHART_ROWS in open_document(body).markdown


def test_a_chart_in_a_text_stands_where_it_is_drawn() -> None:
    drawn = f"<w:p><w:r><w:drawing>{chart_reference('c1')}</w:drawing></w:r></w:p>"
    body = word_paragraph("Before.") + drawn + word_paragraph("After.")

    found = open_document(docx(body, charts={"c1": sales_chart()})).markdown

    assert found == f"Before.\n\n**Chart: By region** (bar chart)\n\n{CHART_ROWS}\n\nAfter."


def test_a_chart_on_a_sheet_follows_the_cells() -> None:
    found = open_document(xlsx(charts={"c1": sales_chart("pieChart", title="")})).markdown

    assert found == f"## Data\n\nText\n\n**Chart** (pie chart)\n\n{CHART_ROWS}"


def test_categories_of_several_levels_are_joined_and_dates_are_shown_as_dates() -> None:
    levels = (
        "<c:multiLvlStrRef><c:multiLvlStrCache>"
        '<c:lvl><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt></c:lvl>'
        '<c:lvl><c:pt idx="0"><c:v>2024</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>'
    )
    days = chart_points("num", "45293", code="yyyy\\-mm\\-dd")
    plots = f"<c:lineChart>{series('A', levels, chart_points('num', '1', '2'))}</c:lineChart>"
    dated = f"<c:lineChart>{series('B', days, chart_points('num', '0.5', code='0%'))}</c:lineChart>"
    body = pptx(
        chart_reference("c1") + chart_reference("c2"),
        parts={"c1": chart(plots), "c2": chart(dated)},
    )

    found = open_document(body).markdown

    assert "| 2024 / Q1 | 1 |\n| 2024 / Q2 | 2 |" in found
    assert "| 2024-01-02 | 50% |" in found


def test_points_of_a_scatter_chart_have_both_coordinates() -> None:
    first = series("A", chart_points("num", "1"), chart_points("num", "10"), x="xVal", y="yVal")
    second = series("B", chart_points("num", "2"), chart_points("num", "20"), x="xVal", y="yVal")
    body = pptx(
        chart_reference("c1"),
        parts={"c1": chart(f"<c:scatterChart>{first}{second}</c:scatterChart>")},
    )

    found = open_document(body).markdown

    assert "| Series | X | Y |\n| --- | --- | --- |\n| A | 1 | 10 |\n| B | 2 | 20 |" in found


def test_bubbles_have_their_sizes() -> None:
    bubbles = series("A", chart_points("num", "1"), chart_points("num", "10"), x="xVal", y="yVal")
    bubbles = bubbles.replace(
        "</c:ser>", f"<c:bubbleSize>{chart_points('num', '3')}</c:bubbleSize></c:ser>"
    )
    body = pptx(
        chart_reference("c1"), parts={"c1": chart(f"<c:bubbleChart>{bubbles}</c:bubbleChart>")}
    )

    assert "| A | 1 | 10 | 3 |" in open_document(body).markdown


def test_a_chart_of_the_newer_kinds_is_read() -> None:
    space = "http://schemas.microsoft.com/office/drawing/2014/chartex"
    part = (
        f'<cx:chartSpace xmlns:cx="{space}"><cx:chartData><cx:data id="0">'
        '<cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Start</cx:pt><cx:pt idx="1">End</cx:pt></cx:lvl></cx:strDim>'
        '<cx:numDim type="val"><cx:lvl><cx:pt idx="0">5</cx:pt><cx:pt idx="1">7</cx:pt></cx:lvl></cx:numDim>'
        '</cx:data></cx:chartData><cx:chart><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall">'
        '<cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>'
        "</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
    )

    found = open_document(pptx(chart_reference("c1"), parts={"c1": part})).markdown

    assert (
        "(waterfall chart)\n\n| Category | Cash |\n| --- | --- |\n| Start | 5 |\n| End | 7 |"
        in found
    )


@pytest.mark.parametrize(
    ("part", "note"),
    [
        (chart("<c:barChart/>", title="Empty"), "**Chart: Empty** (bar chart). It holds no data."),
        (chart(""), "It holds no data."),
        ("<c:chartSpace", "damaged"),
        ("<x/>", ""),
    ],
    ids=["no series", "no plot", "cut off", "something else"],
)
def test_a_chart_without_data_says_so(part: str, note: str) -> None:
    found = open_document(pptx(chart_reference("c1") + slide_shape("Text."), parts={"c1": part}))

    assert note in found.markdown
    assert "Text." in found.markdown


def test_a_chart_of_a_million_points_is_bounded() -> None:
    points = chart_points("num", *(str(n) for n in range(20_000)))
    body = pptx(
        chart_reference("c1"),
        parts={"c1": chart(f"<c:lineChart>{series('A', '', points)}</c:lineChart>")},
    )

    found = open_document(body).markdown

    assert "(15000 more rows of the chart are not shown.)" in found
    assert len(found) < 200_000


def test_a_diagram_is_a_list_of_its_nodes() -> None:
    text = "<dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t>"
    points = '<dgm:pt modelId="0" type="doc"/>' + "".join(
        f'<dgm:pt modelId="{n}">{text.format(name)}</dgm:pt>'
        for n, name in enumerate(("Second", "First", "Under first"), 1)
    )
    links = "".join(
        f'<dgm:cxn srcId="{source}" destId="{target}" srcOrd="{order}"/>'
        for source, target, order in ((0, 1, 1), (0, 2, 0), (2, 3, 0))
    )
    part = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    )
    frame = '<p:graphicFrame><a:graphic><a:graphicData><a:relIds r:dm="d1"/></a:graphicData></a:graphic></p:graphicFrame>'

    found = open_document(pptx(frame, parts={"d1": part})).markdown

    assert found == "## Slide 1\n\n- First\n  - Under first\n- Second"


def part(name: str, content: str) -> str:
    return f"<m:{name}>{content}</m:{name}>"
