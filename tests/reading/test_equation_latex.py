"""Equations of office documents are LaTeX in their text."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import DocumentLimits, DocumentRequest
from citewell.reading.documents.readers_by_kind import read_document_request
from tests.documents import (
    docx,
    open_document,
    pptx,
    word_equation,
    word_paragraph,
)
from tests.requirements import requires


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
