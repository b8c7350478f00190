"""Charts, diagrams and equations of office documents are part of their text."""

from __future__ import annotations

import pytest

from citewell.fetch.documents.document_text import DocumentLimits, DocumentText
from citewell.fetch.documents.readers_by_kind import DocumentRequest, read_document_request
from tests.documents import (
    chart,
    chart_points,
    chart_reference,
    docx,
    pptx,
    slide_shape,
    word_equation,
    word_paragraph,
    xlsx,
)
from tests.requirements import requires

CHART_ROWS = (
    "| Category | Sales | Costs |\n| --- | --- | --- |\n| East | 4.5 | 1 |\n| West | 2 |  |"
)


def open_document(body: bytes) -> DocumentText:
    return read_document_request(
        DocumentRequest(body, "https://example.org/file", "", DocumentLimits(), None)
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
    ("kind", "said"),
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
def test_a_chart_on_a_slide_is_a_table_of_its_data(kind: str, said: str) -> None:
    body = pptx(chart_reference("c1"), parts={"c1": sales_chart(kind)})

    found = open_document(body).markdown

    assert found == f"## Slide 1\n\n**Chart: By region** ({said} chart)\n\n{CHART_ROWS}"


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
    one = series("A", chart_points("num", "1"), chart_points("num", "10"), x="xVal", y="yVal")
    one = one.replace(
        "</c:ser>", f"<c:bubbleSize>{chart_points('num', '3')}</c:bubbleSize></c:ser>"
    )
    body = pptx(chart_reference("c1"), parts={"c1": chart(f"<c:bubbleChart>{one}</c:bubbleChart>")})

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
    ("part", "said"),
    [
        (chart("<c:barChart/>", title="Empty"), "**Chart: Empty** (bar chart). It holds no data."),
        (chart(""), "It holds no data."),
        ("<c:chartSpace", "damaged"),
        ("<x/>", ""),
    ],
    ids=["no series", "no plot", "cut off", "something else"],
)
def test_a_chart_without_data_says_so(part: str, said: str) -> None:
    found = open_document(pptx(chart_reference("c1") + slide_shape("Text."), parts={"c1": part}))

    assert said in found.markdown
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


def run(text: str, properties: str = "") -> str:
    return f"<m:r>{properties and f'<m:rPr>{properties}</m:rPr>'}<m:t>{text}</m:t></m:r>"


def part(name: str, content: str) -> str:
    return f"<m:{name}>{content}</m:{name}>"


E = part("e", run("x"))


@requires("scrape_page.office_charts")
@pytest.mark.parametrize(
    ("omml", "latex"),
    [
        (part("f", part("num", run("a")) + part("den", run("b"))), r"\frac{a}{b}"),
        (
            f'<m:f><m:fPr><m:type m:val="lin"/></m:fPr>{part("num", run("a"))}{part("den", run("b"))}</m:f>',
            "a/b",
        ),
        (part("rad", part("deg", run("3")) + E), r"\sqrt[3]{x}"),
        (f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>{E}</m:rad>', r"\sqrt{x}"),
        (part("sSup", E + part("sup", run("2"))), "x^{2}"),
        (part("sSub", E + part("sub", run("i"))), "x_{i}"),
        (part("sSubSup", E + part("sub", run("i")) + part("sup", run("2"))), "x_{i}^{2}"),
        (part("sPre", part("sub", run("2")) + part("sup", run("4")) + E), "{}_{2}^{4}x"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{part("sub", run("i=1"))}{part("sup", run("n"))}{E}</m:nary>',
            r"\sum_{i=1}^{n} x",
        ),
        (part("nary", "<m:sub/><m:sup/>" + E), r"\int x"),
        (part("d", E), r"\left(x\right)"),
        (
            f'<m:d><m:dPr><m:begChr m:val="|"/><m:endChr m:val="|"/></m:dPr>{E}</m:d>',
            r"\left\vert x\right\vert",
        ),
        (
            f'<m:d><m:dPr><m:begChr m:val="{{"/><m:endChr m:val=""/></m:dPr>{E}</m:d>',
            r"\left\{x\right.",
        ),
        (part("d", E + E), r"\left(x\middle\vert x\right)"),
        (
            part("m", part("mr", E + E) + part("mr", E + E)),
            r"\begin{matrix}x & x \\ x & x\end{matrix}",
        ),
        (
            part("d", part("e", part("m", part("mr", E + E)))),
            r"\begin{pmatrix}x & x\end{pmatrix}",
        ),
        (
            part(
                "d",
                part(
                    "e",
                    f'<m:f><m:fPr><m:type m:val="noBar"/></m:fPr>{part("num", run("n"))}{part("den", run("k"))}</m:f>',
                ),
            ),
            r"\binom{n}{k}",
        ),
        (
            part("eqArr", part("e", run("a&amp;=b")) + part("e", run("&amp;=c"))),
            r"\begin{aligned}a&=b \\ &=c\end{aligned}",
        ),
        (part("func", part("fName", run("sin")) + E), r"\sin x"),
        (
            part("func", part("fName", run("argmax", '<m:sty m:val="p"/>')) + E),
            r"\operatorname{argmax} x",
        ),
        (
            part(
                "func",
                part("fName", part("limLow", part("e", run("lim")) + part("lim", run("x→0")))) + E,
            ),
            r"\lim_{x\to 0} x",
        ),
        (part("limUpp", part("e", run("=")) + part("lim", run("!"))), r"\overset{!}{=}"),
        (part("acc", E), r"\hat{x}"),
        (f'<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr>{E}</m:acc>', r"\vec{x}"),
        (f'<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>{E}</m:bar>', r"\overline{x}"),
        (part("groupChr", E), r"\underbrace{x}"),
        (part("borderBox", E), r"\boxed{x}"),
        (part("box", E), "x"),
        (run("αβ≤∞"), r"\alpha \beta \le \infty"),
        (run("𝑥𝐱ℝ𝛼"), r"x\mathbf{x}\mathbb{R}\alpha"),
        (run("R", '<m:scr m:val="double-struck"/>'), r"\mathbb{R}"),
        (run("if x_1", "<m:nor/>"), r"\text{if x\_1}"),
        (run("50%#"), r"50\%\#"),
        (run("ⵣ"), "ⵣ"),
    ],
)
def test_an_equation_is_latex(omml: str, latex: str) -> None:
    found = open_document(docx(f"<w:p>{word_equation(omml)}</w:p>"))

    assert found.markdown == f"${latex}$"


def test_an_equation_on_its_own_line_is_displayed_and_one_in_a_sentence_is_not() -> None:
    body = f"<w:p><m:oMathPara>{word_equation(run('a'))}</m:oMathPara></w:p>"
    body += (
        f"<w:p><w:r><w:t>Let </w:t></w:r>{word_equation(run('b'))}<w:r><w:t> be.</w:t></w:r></w:p>"
    )

    assert open_document(docx(body)).markdown == "$$a$$\n\nLet $b$ be."


def test_equations_on_slides_are_read() -> None:
    inner = f'<a14:m xmlns:a14="urn:a14">{word_equation(run("a"))}</a14:m>'
    shape = (
        "<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody><a:p><a:r><a:t>Let </a:t></a:r>"
        f'<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice>{inner}</mc:Choice></mc:AlternateContent></a:p></p:txBody></p:sp>'
    )

    assert open_document(pptx(shape)).markdown == "## Slide 1\n\nLet $a$"


@pytest.mark.parametrize(
    "omml",
    [
        "<m:box><m:e>" * 10_000 + run("x") + "</m:e></m:box>" * 10_000,
        run("x") * 300_000,
        run("x" * 5_000_000),
    ],
    ids=["nested", "many runs", "long run"],
)
def test_an_equation_that_never_ends_is_cut_with_a_note(omml: str) -> None:
    body = f"<w:p>{word_equation(omml)}</w:p>" + word_paragraph("The rest.")
    limits = DocumentLimits(max_ratio=10**9)

    found = read_document_request(DocumentRequest(docx(body), "", "", limits, None))

    assert found.markdown.endswith("\n\nThe rest.")
    assert len(found.markdown) < 50_000
    assert found.notes == ("1 equation was cut: too long or nested too deeply.",)
