"""`citewell verify`, `audit` and `cite`, against the loopback web's register of works."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import retractions
from tests.command_runs import Run
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World

pytestmark = pytest.mark.usefixtures("skipped_pauses")

GOOD = """@article{good, author={LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey},
  title={Deep learning}, journal={Nature}, year={2015}, doi={10.1038/nature14539}}
"""
RETRACTED = """@article{pulled, author={Wakefield, A. J. and others}, year={1998},
  title={Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive developmental disorder in children},
  doi={10.1016/S0140-6736(97)11096-0}}
"""
INVENTED = """@article{invented, author={Example, Ada}, title={Quantum entanglement of citation graphs},
  year={2021}, doi={10.1038/s41586-021-99999-9}}
"""
NEIGHBOUR = """@article{neighbour, author={Virtanen, Pauli and others}, year={2020},
  title={SciPy 1.0: fundamental algorithms for scientific computing in Python}, doi={10.1038/nature14539}}
"""

REGISTRIES = ("crossref", "doi", "openalex", "semanticscholar", "pubmed", "datacite", "europepmc", "core", "arxiv")  # fmt: skip


@pytest.fixture
def bib(tmp_path: Path) -> Any:
    def write(*entries: str, name: str = "refs.bib") -> str:
        path = tmp_path / name
        path.write_text("".join(entries), "utf-8")
        return str(path)

    return write


def pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_sound_bibliography_passes(run: Run, bib: Any) -> None:
    ran = run("audit", bib(GOOD))

    assert ran.code == 0
    assert "1 reference: 1 ok." in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("entry", "word"),
    [(RETRACTED, "retracted"), (INVENTED, "not registered"), (NEIGHBOUR, "mismatched")],
)
def test_what_must_not_be_cited_fails_the_check(run: Run, bib: Any, entry: str, word: str) -> None:
    ran = run("audit", bib(GOOD, entry))

    rows = [line for line in ran.out.splitlines() if word in line]
    assert ran.code == 1
    assert rows
    assert "1 ok" in ran.out


def test_every_finding_has_its_line_and_reason(run: Run, bib: Any) -> None:
    ran = run("audit", bib(GOOD, INVENTED, "@article{open, title={never closed,\n"))

    assert "Line 3, invented: " in ran.out
    assert "Line 5: A brace is opened and never closed." in ran.out
    assert "; 1 damaged." in ran.out


def test_json_is_the_tools_own_answer(run: Run, bib: Any) -> None:
    ran = run("audit", bib(GOOD, RETRACTED), "--json")

    report = ran.json()
    assert ran.code == 1
    assert report["summary"]["retracted"] == 1
    assert [entry["flags"] for entry in report["entries"]] == [[], ["retracted"]]


def test_several_files_are_reported_one_by_one(run: Run, bib: Any) -> None:
    names = bib(GOOD, name="a.bib"), bib(RETRACTED, name="b.bib")

    ran = run("audit", *names, "--json")

    assert [report["file"] for report in ran.json()] == list(names)
    assert ran.code == 1


def test_more_entries_than_one_call_takes_are_all_checked(run: Run, bib: Any) -> None:
    many = "".join(f"@misc{{k{number}, title={{Alone}}}}\n" for number in range(205))

    ran = run("audit", bib(many, RETRACTED), "--json")

    report = ran.json()
    assert report["entryCount"] == len(report["entries"]) == report["summary"]["total"] == 206
    assert report["entries"][-1]["index"] == 206
    assert ran.code == 1


@pytest.mark.slow
def test_a_work_that_comes_twice_is_seen_beyond_what_one_call_takes(run: Run, bib: Any) -> None:
    others = (f"@misc{{k{n}, title={{No {n}}}}}\n" for n in range(200))

    ran = run("audit", bib(GOOD, *others, GOOD.replace("{good", "{again")), "--no-links", "--json")

    last = ran.json()["entries"][-1]
    assert (last["index"], last["flags"]) == (202, ["duplicate"])
    assert "entry 1." in last["reason"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.ris", "TY  - JOUR\nTI  - Deep learning\nAU  - LeCun, Yann\nPY  - 2015\nDO  - 10.1038/nature14539\nER  - \n"),
        ("refs.json", '[{"id": "a", "title": "Deep learning", "DOI": "10.1038/nature14539"}]'),
        ("refs.txt", "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436–444. https://doi.org/10.1038/nature14539\n"),
        ("paper.md", "# Paper\n\nWords.\n\n## References\n\n- LeCun Y, Bengio Y, Hinton G. Deep learning. Nature. 2015;521(7553):436-44. doi:10.1038/nature14539\n"),
    ],
)  # fmt: skip
def test_files_of_every_kind_are_read(run: Run, bib: Any, name: str, text: str) -> None:
    ran = run("audit", bib(text, name=name))

    assert (ran.code, "1 ok" in ran.out) == (0, True)


def test_ris_in_latin_1_is_read_with_its_accents(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "refs.ris"
    text = "TY  - JOUR\r\nAU  - Séralini, Gilles-Eric\r\nPY  - 2012\r\nDO  - 10.1016/j.fct.2012.08.005\r\nER  - \r\n"
    path.write_bytes(text.encode("latin-1"))

    ran = run("audit", str(path), "--json")

    [entry] = ran.json()["entries"]
    assert entry["authorMatch"] == "match"
    assert entry["flags"] == ["retracted"]
    assert ran.code == 1


def test_a_list_can_be_piped_in(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, RETRACTED)

    ran = run("audit", "-", "--quiet")

    assert ran.code == 1
    assert ran.out.startswith("Standard input")


def test_input_that_holds_nothing_is_a_usage_error(run: Run, bib: Any, tmp_path: Path) -> None:
    for name in (str(tmp_path / "missing.bib"), str(tmp_path), bib("no entry here")):
        ran = run("audit", name)

        assert ran.code == 2
        assert ran.out == ""
        assert ran.err.startswith("citewell: ")
    assert run("audit", bib(GOOD), "--format", "endnote").code == 2


def take_down(world: World) -> None:
    for name in REGISTRIES:
        world.fail(name, Fault(status=503), times=ALWAYS)


@pytest.mark.slow
def test_registries_that_are_down_accuse_nobody(run: Run, bib: Any, world: World) -> None:
    take_down(world)

    ran = run("audit", bib(GOOD, INVENTED, RETRACTED), "--json", "--no-links")
    lenient = run("audit", bib(GOOD, INVENTED, RETRACTED), "--no-links", "--allow-unchecked")

    assert (ran.code, lenient.code) == (3, 0)
    assert "3 items could not be checked" in ran.err
    assert [entry["flags"] for entry in ran.json()["entries"]] == [["unchecked"]] * 3


@pytest.mark.slow
def test_the_table_on_this_machine_knows_retractions_without_a_network(
    run: Run, bib: Any, world: World, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(retractions.document([retractions.row(1, "10.1016/S0140-6736(97)11096-0")]))
    run("data", "update", str(table))
    take_down(world)

    ran = run("audit", bib(GOOD, RETRACTED), "--json", "--no-links")

    assert ran.code == 1
    assert [entry["flags"] for entry in ran.json()["entries"]] == [
        ["unchecked"],
        ["retracted", "unchecked"],
    ]


def test_links_are_left_alone_on_request(run: Run, bib: Any, internet: Internet) -> None:
    entry = f"@misc{{web, title={{A page}}, url={{{internet.url}/no-such-page}}}}\n"

    with_links = run("audit", bib(entry), "--json").json()["entries"][0]
    without = run("audit", bib(entry), "--json", "--no-links").json()["entries"][0]

    assert "linkLive" in with_links
    assert "linkLive" not in without


def test_a_real_citation_is_found(run: Run) -> None:
    ran = run("verify", "10.1038/nature14539")

    assert ran.code == 0
    assert ran.out.startswith("Found (doi)")
    assert "Deep learning" in ran.out


@pytest.mark.parametrize(
    ("citation", "word"),
    [
        ("10.1016/S0140-6736(97)11096-0", "Retraction"),
        ("10.1038/s41586-021-99999-9", "Not registered"),
        ("Virtanen, P. (2020). SciPy 1.0: fundamental algorithms for scientific computing in Python. doi:10.1038/nature14539", "Mismatch"),
    ],
)  # fmt: skip
def test_a_citation_that_fails_exits_with_1(run: Run, citation: str, word: str) -> None:
    ran = run("verify", citation)

    assert ran.code == 1
    assert word in ran.out


def test_verify_prints_the_tools_own_answer(run: Run) -> None:
    ran = run("verify", "10.1038/nature14539", "--json")

    assert ran.json()["existence"] == "found"


def test_an_empty_citation_is_a_usage_error(run: Run) -> None:
    ran = run("verify", "  ")

    assert (ran.code, ran.out) == (2, "")


def test_an_unconfirmed_retraction_and_one_that_nobody_could_check_are_told(
    run: Run, world: World, bib: Any
) -> None:
    entry = "@article{one, doi={10.1126/science.1179052}}"
    world.fail("crossref", Fault(status=500, body="no"), times=ALWAYS)
    doubted, listed = run("verify", "10.1126/science.1179052"), run("audit", bib(entry))
    world.fail("openalex", Fault(status=500, body="no"), times=ALWAYS)
    unknown = run("verify", "10.1038/nature04533")

    assert doubted.code == 0
    assert "Unconfirmed retraction" in doubted.out
    assert "OpenAlex alone marks the work as retracted" in listed.out
    assert "retracted could not be checked" in unknown.out
