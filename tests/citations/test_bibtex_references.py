"""BibTeX and biblatex as files in the wild have it."""

from __future__ import annotations

import time

import pytest

from citewell.citations.references import parse_bibliography
from citewell.citations.references.reference_fields import Reference


def one(text: str) -> Reference:
    found = parse_bibliography(text, format="bibtex")
    assert not found.malformed
    (reference,) = found.references
    return reference


def test_every_part_of_an_article_is_read() -> None:
    found = one(
        "% a comment\n"
        "@article{lecun2015,\n"
        "  author = {LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey},\n"
        "  title = {{Deep} learning},\n  journal = {Nature},\n  year = 2015, month = may,\n"
        "  volume = {521}, number = {7553}, pages = {436--444},\n"
        "  doi = {https://doi.org/10.1038/NATURE14539},\n  url = {https://example.org/~a/b\\_c},\n}\n"
    )

    assert (found.key, found.line, found.kind) == ("lecun2015", 2, "article-journal")
    assert (found.title, found.venue) == ("Deep learning", "Nature")
    assert [(who.given, who.family) for who in found.authors] == [
        ("Yann", "LeCun"), ("Yoshua", "Bengio"), ("Geoffrey", "Hinton"),
    ]  # fmt: skip
    assert (found.year, found.published) == (2015, "2015-05")
    assert (found.volume, found.issue, found.pages) == ("521", "7553", "436-444")
    assert found.doi == "10.1038/nature14539"
    assert found.url == "https://example.org/~a/b_c"


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r'Gr{\"u}n', "Grün"), (r"\'e", "é"), (r"\'{e}", "é"), (r"{\'{\i}}", "í"), (r"\ss", "ß"),
        (r"Stra{\ss}e", "Straße"), (r"\o re", "øre"), (r"{\aa}", "å"), (r"\v{c}", "č"),
        (r"\v c", "č"), (r"{\L}\'od\'z", "Łódź"), (r"\c{c}", "ç"), (r"\H{o}", "ő"), (r"\~n", "ñ"),
        (r"5\% \& more", "5% & more"), (r"\emph{E. coli} in vivo", "E. coli in vivo"),
        (r"$\alpha$-helix", "α-helix"), (r"H$_2$O and x$^{2}$", "H2O and x2"), ("a -- b --- c", "a – b — c"),
        ("``quoted''", "“quoted”"), ("no~break", "no break"), (r"\{set\}", "{set}"),
        (r"\textit{a} \textbf{b}", "a b"), (r"{\AE}sir {\OE}uvre", "Æsir Œuvre"), (r"\$5", "$5"),
        (r"\url{x}", "x"), (r"{{Nested {BRACES}}}", "Nested BRACES"), ("a\n  b", "a b"),
    ],
)  # fmt: skip
def test_latex_is_read_as_it_is_printed(latex: str, plain: str) -> None:
    assert one(f"@misc{{k, title = {{{latex}}}}}").title == plain


@pytest.mark.parametrize(
    ("names", "read_as"),
    [
        ("von Last, Jr, First", [("First", "von Last", "Jr")]),
        ("First von der Last", [("First", "von der Last", "")]),
        ("de la Cruz, Juan and A. Other", [("Juan", "de la Cruz", ""), ("A.", "Other", "")]),
        (r"Garc{\'\i}a M{\'a}rquez, Gabriel", [("Gabriel", "García Márquez", "")]),
        ("Smith, J., Doe, A. B., Roe, C.", [("J.", "Smith", ""), ("A. B.", "Doe", ""), ("C.", "Roe", "")]),
        ("Smith, John; Doe, Ann", [("John", "Smith", ""), ("Ann", "Doe", "")]),
        ("family=Beethoven, given=Ludwig, prefix=van", [("Ludwig", "van Beethoven", "")]),
    ],
)  # fmt: skip
def test_names_follow_bibtex_grammar(names: str, read_as: list[tuple[str, str, str]]) -> None:
    found = one(f"@misc{{k, title={{T}}, author = {{{names}}}}}")

    assert [(who.given, who.family, who.suffix) for who in found.authors] == read_as


def test_braces_make_an_organisation_and_others_is_no_name() -> None:
    found = one("@misc{k, author = {{World Health Organization} and Doe, J. and others}}")

    assert [(who.name, who.organisation) for who in found.authors] == [
        ("World Health Organization", True), ("J. Doe", False),
    ]  # fmt: skip
    assert found.and_others


def test_macros_are_joined_and_comments_and_preambles_are_not_entries() -> None:
    document = (
        '@string{nat = "Nature"}\n@STRING(pre = {Sub})\n@preamble{"\\newcommand{\\x}{y}"}\n'
        "@comment{@article{hidden, title={no}}}\n"
        '@article{k, journal = nat # " " # {Physics}, title = pre # "title", year = "2020", month = 3}'
    )

    found = one(document)

    assert (found.venue, found.title, found.published) == ("Nature Physics", "Subtitle", "2020-03")


def test_a_chapter_inherits_from_its_book() -> None:
    document = (
        "@inproceedings{a, title = {Paper}, author = {Doe, J.}, crossref = {P}}\n"
        "@proceedings{p, title = {Proceedings of Things}, year = 2001, publisher = {ACM}}\n"
    )

    paper = parse_bibliography(document).references[0]

    assert (paper.title, paper.venue, paper.year) == ("Paper", "Proceedings of Things", 2001)
    assert paper.publisher == "ACM"


def test_biblatex_fields_are_known() -> None:
    found = one(
        "@online{k, title={T}, subtitle={S}, journaltitle={J}, date={2020-05-03/2020-06-01},"
        " eprint={1706.03762v5}, eprinttype={arXiv}, isbn={978-0-306-40615-7 (pbk)}, location={X}}"
    )

    assert (found.title, found.venue, found.published) == ("T: S", "J", "2020-05-03")
    assert [str(each) for each in found.ids] == ["arxiv:1706.03762", "isbn:9780306406157"]


def test_an_entry_without_fields_is_listed() -> None:
    found = parse_bibliography("@article{lonely}\n@book{}\n@misc{k,}\n")

    assert [(each.key, each.title) for each in found.references] == [
        ("lonely", ""),
        ("", ""),
        ("k", ""),
    ]


def test_a_key_used_twice_is_said_and_both_entries_are_kept() -> None:
    found = parse_bibliography("@misc{k, title={A}}\n@misc{k, title={B}}\n")

    assert [each.title for each in found.references] == ["A", "B"]
    assert [each.line for each in found.malformed] == [2]
    assert "line 1" in found.malformed[0].reason


@pytest.mark.parametrize(
    "entry",
    [
        "@article{a:b/c.d+e'f, title={T}}", "@article(k, title={T})", "@article{k, title={T},,}",
        "@article{k title={T}}", "@article{title={T}}", "@article{k, title={T} year=2000}",
        "@ARTICLE {k , TITLE = {T}}", '@article{k, title="T"}', "@article{k, note={x}, title={T}}",
        "@article{k, title={T}, abstract={a {b} c}}", "  @article{k, title={T}}",
        "@article{k, note={say @ once}, title={T}}", "@misc{x y z, title={T}}",
    ],
)  # fmt: skip
def test_small_faults_do_not_lose_the_title(entry: str) -> None:
    assert one(entry).title == "T"


def test_an_unclosed_brace_costs_its_own_entry_only() -> None:
    document = (
        "@article{a, title={First}}\n"
        "@article{bad, title={never closed,\n  year=2020}\n\n"
        "@article{b, title={Second}}\n"
        '@article{worse, title="no end, year=1}\n'
        "@article{c, title={Third}, year=2001\n"
        "@article{d, title={Fourth}}@article{e, title={Fifth}}\n"
        "article{f, title={no at}}\n"
    )

    found = parse_bibliography(document)

    assert [each.key for each in found.references] == ["a", "b", "c", "d", "e"]
    assert [each.line for each in found.malformed] == [2, 6, 7, 9]


def test_an_escaped_brace_alone_in_a_title_is_a_character() -> None:
    found = one(r"@book{k, title={Set \{ notation}, year=2000}")

    assert (found.title, found.year) == ("Set { notation", 2000)


@pytest.mark.slow
def test_five_megabytes_with_an_unclosed_brace_keep_every_other_entry() -> None:
    entry = (
        '@article{{key{0},\n  title = {{Observation {0} of r{{\\"a}}re things}},\n'
        "  author = {{Doe, Jane and Roe, Richard}},\n  year = {{2020}},\n  journal = {{Things}},\n"
        "  abstract = {{{1}}}\n}}\n\n"
    )
    abstract = "Words about the work that nobody checks but that fill the file. " * 6
    size = 5_000_000 // len(entry.format(0, abstract))
    document = "@article{bad, title={unclosed,\n" + "".join(
        entry.format(number, abstract) for number in range(size)
    )

    started = time.process_time()
    found = parse_bibliography(document)
    spent = time.process_time() - started

    assert len(found.references) == size
    assert [(each.line, each.reason) for each in found.malformed] == [
        (1, "A brace is opened and never closed.")
    ]
    assert spent < 20  # a second or so; the bound only catches growth with the square


def test_macros_cannot_grow_without_end() -> None:
    doubling = "".join(f"@string{{s{n} = s{n - 1} # s{n - 1}}}\n" for n in range(1, 60))

    found = parse_bibliography(f'@string{{s0 = "xxxxxxxxxx"}}\n{doubling}@misc{{k, title = s59}}\n')

    assert len(found.references) == 1
    assert len(found.references[0].title) <= 8000
