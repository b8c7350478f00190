"""Without a network every command says so in one sentence, asserts nothing, and no gate passes."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from citewell.cli.command_app import open_command_app
from citewell.core import config
from tests.command_runs import Run

SENTENCE = "citewell: No network: this machine cannot reach the internet.\n"
BIB = """@article{a, title={Deep learning}, author={LeCun, Yann}, year={2015}, doi={10.1038/nature14539}}
@misc{b, title={A page}, url={https://www.example.com/page}}
"""
DRAFT = """DNA is a double helix (https://doi.org/10.1038/171737a0). The page says that 42 percent agree [1].

## References

[1] A. Nobody, "A page", 2020, https://www.example.com/page
"""
BRIEF = "The Court held so. See Roe v. Wade, 410 U.S. 113 (1973). Plaintiff moves to dismiss."
SEARCHES = [
    ("search", "sleep"),
    ("news", "sleep"),
    ("images", "sleep"),
    ("papers", "sleep"),
    ("patents", "sleep"),
    ("cases", "sleep"),
    ("trials", "sleep"),
    ("series", "unemployment"),
    ("places", "cafes in berlin"),
    ("answer", "What is sleep?"),
    ("brand", "example.com"),
    ("brand", "Example Inc"),
    ("read", "https://www.example.com/"),
]


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The usual settings on a machine whose name server knows nothing."""

    def look_up(host: str, *_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, host)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return {
        "CITEWELL_CONFIG": str(tmp_path / "no-such-config.toml"),
        "CITEWELL_DATA_DIR": str(tmp_path / "data"),
        "HOME": str(tmp_path),
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


@pytest.mark.parametrize("argv", SEARCHES, ids=" ".join)
def test_a_search_says_that_there_is_no_network_and_nothing_else(
    run: Run, argv: tuple[str, ...]
) -> None:
    ran = run(*argv)

    assert (ran.code, ran.out, ran.err) == (3, "", SENTENCE)


@pytest.mark.parametrize(
    "citation",
    [
        "10.1038/nature14539",
        "https://www.example.com/page",
        "Roe v. Wade, 410 U.S. 113 (1973)",
        "LeCun, Y. (2015). Deep learning. Nature, 521, 436–444.",
    ],
)
def test_verify_does_not_pass_what_it_could_not_check(run: Run, citation: str) -> None:
    ran = run("verify", citation)

    assert ran.code == 3
    assert ran.err.startswith(SENTENCE)
    assert "dead" not in ran.out
    assert run("verify", citation, "--allow-unchecked").code == 0


@pytest.mark.parametrize(("name", "text"), [("refs.bib", BIB), ("brief.txt", BRIEF)])
def test_audit_does_not_pass_what_it_could_not_check(
    run: Run, tmp_path: Path, name: str, text: str
) -> None:
    ran = run("audit", write(tmp_path, name, text))

    assert ran.code == 3
    assert ran.err.startswith(SENTENCE)
    assert "dead" not in ran.out
    assert run("audit", str(tmp_path / name), "--allow-unchecked").code == 0


def test_an_audit_does_not_say_that_anything_was_sent(run: Run, tmp_path: Path) -> None:
    ran = run("audit", write(tmp_path, "brief.txt", BRIEF))

    assert "were sent" not in ran.out
    assert "Nothing of the text was sent to registries." in ran.out


@pytest.mark.parametrize("argv", [("10.1038/nature14539",), ("10.1038/nature14539", "PMID: 123")])
def test_cite_says_once_that_there_is_no_network(run: Run, argv: tuple[str, ...]) -> None:
    ran = run("cite", *argv)

    assert (ran.code, ran.out, ran.err) == (3, "", SENTENCE)


def test_cite_formats_a_file_without_a_network(run: Run, tmp_path: Path) -> None:
    ran = run("cite", write(tmp_path, "refs.bib", BIB))

    assert (ran.code, ran.err) == (0, "")
    assert "Deep learning" in ran.out


def test_check_gives_the_true_reason_and_does_not_pass(run: Run, tmp_path: Path) -> None:
    ran = run("check", write(tmp_path, "draft.md", DRAFT))

    assert ran.code == 3
    assert ran.err.startswith(SENTENCE)
    assert "No free copy" not in ran.out
    assert "This machine has no network" in ran.out
    assert run("check", str(tmp_path / "draft.md"), "--allow-unchecked").code == 0
    assert run("check", str(tmp_path / "draft.md"), "--fail-on", "none").code == 0


@pytest.mark.usefixtures("logs_restored")
def test_a_gate_says_so_before_it_starts_anything(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    async def open_gate() -> str:
        async with open_command_app(config.load_settings(environ), is_gate=True):
            return capsys.readouterr().err

    assert asyncio.run(open_gate()) == SENTENCE
    assert capsys.readouterr().err == ""


def test_a_watch_reports_no_dead_links_and_does_not_pass(run: Run, tmp_path: Path) -> None:
    added = run("watch", "add", write(tmp_path, "refs.bib", BIB))
    checked = run("watch", "check", "--all")

    assert (added.code, checked.code) == (3, 3)
    assert "link_died" not in added.out + checked.out
    assert checked.err.startswith(SENTENCE)
    assert run("watch", "check", "--all", "--allow-unchecked").code == 0


def test_what_is_wrong_counts_more_than_what_could_not_be_checked(run: Run, tmp_path: Path) -> None:
    draft = "DNA is a helix (https://doi.org/10.1038/171737a0), as shown [@missing].\n"

    assert run("check", write(tmp_path, "draft.md", draft)).code == 1


def test_a_machine_with_its_own_searxng_searches_without_internet(
    run: Run, internet: Any, tmp_path: Path
) -> None:
    own = internet.env()["CITEWELL_SEARXNG_BASE_URL"]

    ran = run("search", "battery", SEARXNG_URL=own)

    assert SENTENCE not in ran.err
