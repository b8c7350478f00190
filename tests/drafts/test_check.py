"""`citewell check` on the loopback web: the table, the copies, the repairs and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_runs import Run

DRAFT = """# Notes

Deep learning allows models of several layers to learn representations of data [1].
A study of twelve children was withdrawn by its journal [2], and SciPy is a library [3].

## References

[1] LeCun, Y., Bengio, Y., & Hinton, G. (2014). Deep learning. Nature, 521, 436–444. https://doi.org/10.1038/nature14539
[2] Wakefield, A. J. (1998). Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive developmental disorder in children. The Lancet. https://doi.org/10.1016/S0140-6736(97)11096-0
[3] Virtanen, P. (2020). SciPy 1.0: fundamental algorithms for scientific computing in Python. Nature Methods. https://doi.org/10.1038/nature14539
"""
SOUND = """Deep learning [1].

## References

[1] LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521, 436–444. https://doi.org/10.1038/nature14539
"""


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(DRAFT, "utf-8")
    return path


def test_the_table_names_what_is_wrong_and_the_exit_code_says_so(run: Run, draft: Path) -> None:
    ran = run("check", str(draft), "--focus", "existence")

    assert ran.code == 1
    assert "retracted" in ran.out
    assert "10.1038/s41592-019-0686-2" in ran.out  # the right identifier of the third
    assert "\x1b" not in ran.out


def test_a_sound_draft_passes(run: Run, draft: Path) -> None:
    draft.write_text(SOUND, "utf-8")

    ran = run("check", str(draft), "--focus", "existence")

    assert ran.code == 0, ran.out


@pytest.mark.parametrize(
    ("fail_on", "code"), [("none", 0), ("dead-link", 0), ("retracted,dead_link", 1), ("changes", 1)]
)
def test_what_fails_the_check_can_be_chosen(run: Run, draft: Path, fail_on: str, code: int) -> None:
    assert run("check", str(draft), "--focus", "existence", "--fail-on", fail_on).code == code


def test_what_the_baseline_lists_does_not_fail_the_check(
    run: Run, draft: Path, tmp_path: Path
) -> None:
    known = tmp_path / "known.json"
    run("check", str(draft), "--focus", "existence", "--write-baseline", str(known))
    draft.write_text("A new first line.\n\n" + DRAFT, "utf-8")

    ran = run("check", str(draft), "--focus", "existence", "--baseline", str(known))

    assert ran.code == 0, ran.out
    assert "known from the baseline" in ran.out


def test_copies_are_written_where_they_are_asked_for(run: Run, draft: Path, tmp_path: Path) -> None:
    page, copy, log = tmp_path / "a.html", tmp_path / "a.md", tmp_path / "a.sarif"

    ran = run(
        "check", str(draft), "--focus", "existence", "--json",
        "--html", str(page), "--md", str(copy), "--sarif", str(log),
    )  # fmt: skip

    assert ran.json()["findings"]
    assert "<!doctype html>" in page.read_text("utf-8")
    assert "[^citewell-1]" in copy.read_text("utf-8")
    results = json.loads(log.read_text("utf-8"))["runs"][0]["results"]
    assert {"retracted"} <= {result["ruleId"] for result in results}


def test_several_drafts_have_their_pages_in_a_folder(run: Run, draft: Path, tmp_path: Path) -> None:
    other = tmp_path / "b" / "notes.md"
    other.parent.mkdir()
    other.write_text(SOUND, "utf-8")

    run("check", str(draft), str(other), "--focus", "existence", "--html", str(tmp_path / "out"))

    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["notes.md-2.html", "notes.md.html"]


def test_a_certain_repair_is_shown_first_and_written_only_with_leave(run: Run, draft: Path) -> None:
    shown = run("check", str(draft), "--focus", "existence", "--fix")
    unchanged = draft.read_text("utf-8")
    written = run("check", str(draft), "--focus", "existence", "--fix", "--yes")

    assert unchanged == DRAFT
    assert "--- a/" in shown.err
    assert "--yes" in shown.err
    assert "10.1038/s41592-019-0686-2" in draft.read_text("utf-8")
    assert f"wrote {draft}" in written.err


def test_a_draft_with_nothing_in_it_is_told_by_its_name_and_each_note_once(
    run: Run, draft: Path
) -> None:
    draft.write_text("", "utf-8")
    empty = run("check", str(draft))
    draft.write_text("Nothing is cited here.", "utf-8")
    bare = run("check", str(draft))

    assert (empty.code, empty.err) == (2, f"citewell: {draft}: The draft is empty.\n")
    assert bare.code == 0
    assert bare.out.count("No citation was found in the text.") == 1
    assert "a citation is a link" in bare.out


def test_what_is_open_is_explained_once_for_all_that_have_the_same_reason(
    run: Run, draft: Path
) -> None:
    draft.write_text("It is so (http://10.0.0.5/a). It fell (http://192.168.1.4/b).", "utf-8")

    ran = run("check", str(draft))

    assert "unchecked (2): The address is private, not public, so it was not requested." in ran.out


def test_a_folder_is_told_with_what_to_name_instead(run: Run, tmp_path: Path) -> None:
    ran = run("check", str(tmp_path))

    assert ran.code == 2
    assert f"{tmp_path} is a folder. Name the drafts in it" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.md",), "missing.md"),
        (("-", "--focus", "truth"), "--focus"),
        (("-", "--fail-on", "false"), "--fail-on does not know 'false'"),
        (("-", "--baseline", "none.json"), "--write-baseline"),
    ],
)
def test_bad_input_is_told(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("check", *arguments)

    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize("option", ["--html", "--md", "--sarif", "--write-baseline"])
def test_a_folder_that_is_not_there_is_told_before_the_check(
    run: Run, draft: Path, tmp_path: Path, option: str
) -> None:
    ran = run("check", str(draft), option, str(tmp_path / "nowhere" / "copy"))

    assert ran.code == 2
    assert f"{option}: there is no folder {tmp_path / 'nowhere'}." in ran.err
    assert ran.out == ""


def test_an_unknown_style_is_told_with_those_that_exist(run: Run, draft: Path) -> None:
    ran = run("check", str(draft), "--style", "fancy")

    assert ran.code == 2
    assert "--style must be one of apa, mla," in ran.err


def test_the_parts_of_a_manuscript_are_marked_and_repaired_in_their_own_files(
    run: Run, tmp_path: Path
) -> None:
    main, part = tmp_path / "thesis.tex", tmp_path / "list.tex"
    main.write_text(
        "\\documentclass{article}\n\\begin{document}\nSciPy is a library \\cite{a}.\n"
        "\\input{list}\n\\end{document}\n",
        "utf-8",
    )
    part.write_text(
        "\\begin{thebibliography}{9}\n\\bibitem{a} Virtanen, P. (2020). SciPy 1.0: fundamental"
        " algorithms for scientific computing in Python. Nature Methods."
        " https://doi.org/10.1038/nature14539\n\\end{thebibliography}\n",
        "utf-8",
    )
    page, log = tmp_path / "page.html", tmp_path / "log.sarif"

    ran = run(
        "check", str(main), "--focus", "existence", "--fix", "--yes",
        "--html", str(page), "--sarif", str(log),
    )  # fmt: skip

    assert f"\n{part}:2: " in ran.out
    assert 'id="at-f1"' in page.read_text("utf-8")
    [result] = json.loads(log.read_text("utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/list.tex")
    assert "https://doi.org/10.1038/s41592-019-0686-2\n" in part.read_text("utf-8")
    assert "\\input{list}" in main.read_text("utf-8")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_certain_repair_is_written_into_the_bib_file(
    run: Run, tmp_path: Path, *, line_end: str, is_named: bool
) -> None:
    paper, records = tmp_path / "paper.md", tmp_path / "refs.bib"
    head = "---\nbibliography: refs.bib\n---\n\n" if is_named else ""
    paper.write_text(f"{head}SciPy is a library [@scipy].\n", "utf-8")
    entries = [
        "@article{other,",
        "  title = {Deep learning}, author = {LeCun, Yann}, year = {2015},",
        "  doi = {10.1038/nature14539}",
        "}",
        "@article{scipy,",
        "  title = {SciPy 1.0: fundamental algorithms for scientific computing in Python},",
        "  author = {Virtanen, Pauli}, year = {2020},",
        "  doi = {10.1038/nature14539}",
        "}",
        "",
    ]
    records.write_bytes(line_end.join(entries).encode())
    given = () if is_named else ("--bibliography", str(records))

    ran = run("check", str(paper), "--focus", "existence", "--fix", "--yes", *given)

    entries[7] = "  doi = {10.1038/s41592-019-0686-2}"
    assert records.read_bytes() == line_end.join(entries).encode(), ran.err
