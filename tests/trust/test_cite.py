from __future__ import annotations

from pathlib import Path

import pytest

from tests import csl_style_samples as csl
from tests.citations.test_citations import pipe
from tests.command_runs import Run
from tests.requirements import requires

pytestmark = pytest.mark.usefixtures("skipped_pauses")


def test_works_are_cited_by_their_identifiers(run: Run) -> None:
    ran = run("cite", "10.1038/nature14539")

    assert ran.code == 0
    assert ran.out == (
        "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436–444. "
        "https://doi.org/10.1038/nature14539\n"
    )


def test_a_style_can_be_chosen_and_numbers_follow_the_order(run: Run) -> None:
    ran = run(
        "cite",
        "--style",
        "ieee",
        "10.1038/s41592-019-0686-2",
        "https://doi.org/10.1038/nature14539",
    )

    assert ran.out.startswith("[1] P. Virtanen")
    assert "\n\n[2] Y. LeCun" in ran.out


def test_identifiers_can_be_piped_in_one_a_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "10.1038/nature14539\n\n10.1038/nature14539\n")

    ran = run("cite", "-s", "bibtex")

    assert ran.out.count("@article{lecun2015deep,") == 1


def test_what_is_not_known_is_told_and_the_rest_is_cited(run: Run) -> None:
    ran = run("cite", "10.1038/nature14539", "10.1038/s41586-021-99999-9", "nonsense")

    assert ran.code == 1
    assert ran.out.startswith("LeCun")
    assert "10.1038/s41586-021-99999-9: doi:10.1038/s41586-021-99999-9 is not registered" in ran.err
    assert "nonsense: not a DOI" in ran.err


def test_an_unknown_style_names_those_there_are(run: Run) -> None:
    ran = run("cite", "--style", "turabian", "10.1038/nature14539")

    assert ran.code == 2
    assert "chicago" in ran.err


@pytest.fixture
def no_pandoc(environ: dict[str, str], tmp_path: Path) -> Path:
    """A folder that is the whole search path, and a home without styles."""
    programs = tmp_path / "programs"
    programs.mkdir()
    environ |= {"PATH": str(programs), "HOME": str(tmp_path / "home")}
    return programs


def write_style(path: Path, style: str = csl.NUMBERED_STYLE) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(style, "utf-8")
    return str(path)


@requires("cite.any_csl_style")
def test_any_csl_style_is_taken_by_its_path(run: Run, no_pandoc: Path, tmp_path: Path) -> None:
    path = write_style(tmp_path / "house.csl")

    ran = run("cite", "-s", path, "10.1038/nature14539", "10.1038/s41592-019-0686-2")

    assert ran.code == 0
    first, second = ran.out.split("\n\n")
    assert first == "1. LeCun Y, Bengio Y, Hinton G. Deep learning. Nature 521, 436–444."
    assert second.startswith("2. Virtanen P")
    assert "House style, formatted by citeproc-py." in ran.err


def test_a_style_in_a_known_folder_is_taken_by_its_name(
    run: Run, no_pandoc: Path, tmp_path: Path
) -> None:
    write_style(tmp_path / "home/.local/share/pandoc/csl/house.csl")

    ran = run("cite", "-s", "house", "10.1038/nature14539")

    assert ran.out.startswith("1. LeCun Y")


def test_a_style_without_rules_uses_those_of_its_parent(
    run: Run, no_pandoc: Path, tmp_path: Path
) -> None:
    child = write_style(tmp_path / "styles/dependent/child.csl", csl.DEPENDENT_STYLE)

    missing = run("cite", "-s", child, "10.1038/nature14539")
    write_style(tmp_path / "styles/house.csl")
    found = run("cite", "-s", child, "10.1038/nature14539")

    assert missing.code == 2
    assert "uses the rules of the style house" in missing.err
    assert found.out.startswith("1. LeCun Y")
    assert "Journal of the House, formatted" in found.err


@pytest.mark.process
def test_pandoc_is_used_if_it_is_installed(run: Run, no_pandoc: Path, tmp_path: Path) -> None:
    program = no_pandoc / "pandoc"
    program.write_text('#!/bin/sh\necho "made by $1 $2"\n', "utf-8")
    program.chmod(0o755)

    ran = run("cite", "-s", write_style(tmp_path / "house.csl"), "10.1038/nature14539")

    assert ran.out == "made by --sandbox --from=csljson\n"
    assert "House style, formatted by pandoc." in ran.err


@pytest.mark.process
def test_what_pandoc_refuses_is_told_in_its_words(
    run: Run, no_pandoc: Path, tmp_path: Path
) -> None:
    program = no_pandoc / "pandoc"
    program.write_text('#!/bin/sh\necho "no such macro" >&2\nexit 25\n', "utf-8")
    program.chmod(0o755)

    ran = run("cite", "-s", write_style(tmp_path / "house.csl"), "10.1038/nature14539")

    assert (ran.code, ran.out) == (2, "")
    assert "pandoc cannot use this style: no such macro" in ran.err


@pytest.mark.parametrize(
    ("style", "words"),
    [
        ("not XML at all", "not a CSL style"),
        ("<html/>", "not a CSL style"),
        (csl.BOMB_STYLE, "declares entities"),
        (csl.NOTES_STYLE, "no bibliography"),
        (csl.BROKEN_STYLE, "citeproc-py cannot use this style"),
    ],
)
def test_a_file_that_is_no_style_is_refused_with_the_reason(
    run: Run, no_pandoc: Path, tmp_path: Path, style: str, words: str
) -> None:
    ran = run("cite", "-s", write_style(tmp_path / "house.csl", style), "10.1038/nature14539")

    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_a_huge_file_and_a_folder_are_no_styles(run: Run, no_pandoc: Path, tmp_path: Path) -> None:
    huge = tmp_path / "huge.csl"
    huge.write_bytes(b" " * 3_000_000)

    assert "no style is so large" in run("cite", "-s", str(huge), "10.1038/nature14539").err
    assert "There is no style" in run("cite", "-s", str(tmp_path), "10.1038/nature14539").err
    assert "There is no style" in run("cite", "-s", "no/such.csl", "10.1038/nature14539").err


def test_the_guide_shows_what_the_command_prints(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parents[2] / "docs"
    guide = (docs / "citations.md").read_text("utf-8")
    shown = guide.partition("$ citewell audit manuscript.bib\n")[2].partition("\n```")[0]
    monkeypatch.chdir(docs / "examples")

    ran = run("audit", "manuscript.bib")

    assert ran.out.rstrip() == shown
    assert ran.code == 1
