"""`citewell audit` of briefs: every cited case is found, checked and told so that a lawyer understands it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import documents
from tests.command_runs import Run
from tests.internet.apis.courtlistener import DAILY_LIMIT
from tests.internet.faults import ALWAYS
from tests.internet.world import World
from tests.requirements import requires

pytestmark = pytest.mark.usefixtures("skipped_pauses")

SOUND = (
    "The motion should be denied. See Roe v. Wade, 410 U.S. 113, 153 (1973).",
    "The Court held the same in Brown v. Board of Educ., 347 U.S. 483 (1954). Id. at 495.",
)
INVENTED = "But see Varghese v. China Southern Airlines Co., Ltd., 925 F.3d 1339 (11th Cir. 2019)."


def write_brief(folder: Path, name: str, *paragraphs: str) -> str:
    path = folder / name
    if name.endswith(".docx"):
        path.write_bytes(documents.docx("".join(map(documents.word_paragraph, paragraphs))))
    elif name.endswith(".pdf"):
        path.write_bytes(documents.pdf(*paragraphs))
    else:
        path.write_text("\n\n".join(paragraphs), "utf-8")
    return str(path)


@requires("audit_bibliography.brief")
@pytest.mark.parametrize("name", ["brief.docx", "brief.pdf", "brief.txt", "brief.md"])
def test_an_invented_case_fails_the_audit_of_a_brief(run: Run, tmp_path: Path, name: str) -> None:
    ran = run("audit", write_brief(tmp_path, name, *SOUND, INVENTED))

    assert ran.code == 1
    assert "NOT FOUND" in ran.out
    assert "925 F.3d 1339" in ran.out
    assert "3 cited cases: 2 ok, 1 not found." in ran.out
    assert "Only citations and names of cases were sent" in ran.out


REFERENCE_LIST = (
    "References",
    "LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning. Nature, 521, 436-444. https://doi.org/10.1038/nature14539",
)
STUDY = "Networks of several layers learn representations of data (LeCun et al., 2015)."


@requires("audit_bibliography.brief")
@pytest.mark.parametrize("name", ["brief.docx", "brief.txt", "brief.md"])
@pytest.mark.parametrize("start", [SOUND, (STUDY, STUDY, STUDY)], ids=["brief", "paper"])
def test_cases_are_audited_beside_a_list_of_references(
    run: Run, tmp_path: Path, name: str, start: tuple[str, ...]
) -> None:
    ran = run("audit", write_brief(tmp_path, name, *start, INVENTED, *REFERENCE_LIST))

    assert ran.code == 1
    assert "1 reference: 1 ok." in ran.out
    assert "1 not found." in ran.out
    assert "925 F.3d 1339" in ran.out


def test_a_paper_that_cites_a_case_does_not_pass_if_its_references_are_not_found(
    run: Run, tmp_path: Path
) -> None:
    ran = run("audit", write_brief(tmp_path, "paper.docx", *[STUDY] * 4, SOUND[0]))

    assert ran.code == 3
    assert "1 cited case: 1 ok." in ran.out
    assert "It has no list of references" in ran.err


def test_the_cases_of_a_latex_manuscript_are_audited_with_its_references(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "part.tex").write_text(
        r"But see \emph{Varghese v. China Southern Airlines Co., Ltd.}, 925~F.3d~1339 (11th Cir. 2019).",
        "utf-8",
    )
    (tmp_path / "refs.bib").write_text(
        "@article{a, title={Deep learning}, author={LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey}, year={2015}, journal={Nature}, doi={10.1038/nature14539}}",
        "utf-8",
    )
    main = tmp_path / "paper.tex"
    main.write_text(r"Networks learn \cite{a}. \input{part} \bibliography{refs}", "utf-8")

    ran = run("audit", str(main), "--json")

    assert ran.code == 1
    assert [entry["key"] for entry in ran.json()["entries"]] == ["a"]
    assert [entry["citation"] for entry in ran.json()["cases"]["entries"]] == ["925 F.3d 1339"]


def test_a_case_that_is_listed_as_a_reference_is_reported_once(run: Run, tmp_path: Path) -> None:
    listed = ("References", "Roe v. Wade, 410 U.S. 113 (1973).", REFERENCE_LIST[1])

    report = run("audit", write_brief(tmp_path, "list.md", *listed), "--json").json()

    assert len(report["entries"]) == 2
    assert "cases" not in report


@pytest.mark.parametrize("name", ["brief.docx", "brief.txt"])
def test_a_sound_brief_passes(run: Run, tmp_path: Path, name: str) -> None:
    ran = run("audit", write_brief(tmp_path, name, *SOUND))

    assert ran.code == 0
    assert "2 cited cases: 2 ok." in ran.out


def test_json_has_an_entry_for_each_cited_case(run: Run, tmp_path: Path) -> None:
    ran = run("audit", write_brief(tmp_path, "brief.txt", *SOUND, INVENTED), "--json")

    report = ran.json()
    first, _, invented = report["entries"]
    assert report["source"] == "bibliography:brief"
    assert first["matchedRecord"]["caseName"] == "Roe v. Wade"
    assert invented["verdict"] == "no_such_case"
    assert invented["flags"] == ["not_found"]
    assert invented["line"] == 5
    assert "Varghese" in invented["quote"]


def test_a_registry_at_its_daily_limit_accuses_no_brief_and_passes_none(
    run: Run, tmp_path: Path, world: World
) -> None:
    world.fail("courtlistener", DAILY_LIMIT, times=ALWAYS)

    ran = run("audit", write_brief(tmp_path, "brief.txt", *SOUND, INVENTED))

    assert ran.code == 3
    assert "3 cited cases: 3 unchecked." in ran.out
    assert "says nothing about the citation" in ran.out


def test_quiet_shows_only_findings(run: Run, tmp_path: Path) -> None:
    ran = run("audit", write_brief(tmp_path, "brief.txt", *SOUND, INVENTED), "--quiet")

    assert "Roe v. Wade, 410" not in ran.out
    assert "Varghese" in ran.out


def test_the_format_can_be_forced(run: Run, tmp_path: Path) -> None:
    ran = run("audit", write_brief(tmp_path, "note.txt", "Nothing is cited."), "--format", "brief")

    assert ran.code == 0
    assert "No citation of a case was found" in ran.out


@pytest.mark.parametrize("name", ["gone.docx", "gone.txt"])
def test_a_missing_file_is_told(run: Run, tmp_path: Path, name: str) -> None:
    ran = run("audit", str(tmp_path / name))

    assert ran.code == 2
    assert "No such file" in ran.err


def test_a_damaged_document_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "brief.docx"
    path.write_bytes(b"PK\x03\x04 nothing")

    ran = run("audit", str(path))

    assert ran.code == 2
    assert "brief.docx" in ran.err


def test_a_word_manuscript_without_cases_is_audited_as_a_reference_list(
    run: Run, tmp_path: Path
) -> None:
    name = write_brief(tmp_path, "paper.docx", "[1] LeCun Y, Bengio Y, Hinton G. Deep learning. Nature 521, 436 (2015). doi:10.1038/nature14539")  # fmt: skip

    ran = run("audit", name)

    assert ran.code == 0
    assert "1 reference: 1 ok." in ran.out
