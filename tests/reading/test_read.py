from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewell.reading.commands.read import build_page_file_name, render_front_matter
from tests.command_runs import Run
from tests.internet.serve import Internet
from tests.internet.world import World


def sleep(internet: Internet) -> str:
    return internet.page("sleep.example.org", "sleep-and-memory")


def jet_lag(internet: Internet) -> str:
    return internet.page("sleep.example.org", "jet-lag")


def test_one_page_is_printed_as_markdown(run: Run, internet: Internet) -> None:
    ran = run("read", sleep(internet))

    assert ran.code == 0
    assert "Sleep after learning helps the brain" in ran.out
    assert not ran.out.startswith("---")
    assert ran.err == ""


def test_several_pages_each_have_their_front_matter(run: Run, internet: Internet) -> None:
    ran = run("read", sleep(internet), jet_lag(internet))

    assert ran.code == 0
    assert ran.out.count("\naccessed: ") == 2
    assert ran.out.index(sleep(internet)) < ran.out.index(jet_lag(internet))


def test_files_carry_title_address_and_dates(run: Run, internet: Internet, tmp_path: Path) -> None:
    ran = run("read", sleep(internet), jet_lag(internet), "--out", str(tmp_path / "new" / "pages"))

    files = sorted((tmp_path / "new" / "pages").iterdir())
    text = next(file for file in files if "memory" in file.name).read_text(encoding="utf-8")
    head, _, rest = text.removeprefix("---\n").partition("---\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    assert ran.code == 0
    assert sorted(ran.out.split()) == [str(file) for file in files]
    assert json.loads(facts["title"]) == "How sleep strengthens memory"
    assert json.loads(facts["url"]) == sleep(internet)
    assert json.loads(facts["date"]).startswith("2025-02-18")
    assert "accessed" in facts
    assert "Sleep after learning" in rest


def test_an_address_given_twice_is_read_once(run: Run, internet: Internet, world: World) -> None:
    run("read", sleep(internet), sleep(internet))

    paths = [asked.path for asked in world.requests["pages"]]
    assert paths.count("/site/sleep.example.org/sleep-and-memory") == 1


def test_json_lists_answers_and_errors_in_order(run: Run, internet: Internet) -> None:
    ran = run("read", internet.odd("status/404"), sleep(internet), "--json")

    missing, page = ran.json()
    assert ran.code == 1
    assert missing["error"]["kind"] == "not_found"
    assert missing["url"] == internet.odd("status/404")
    assert page["url"] == sleep(internet)
    assert "Not found" in ran.err


def test_a_length_can_be_given_and_raw_asked_for(run: Run, internet: Internet) -> None:
    short = run("read", sleep(internet), "--max-length", "200", "--json").json()
    raw = run("read", internet.odd("type/json"), "--raw").out

    assert short[0]["truncated"] is True
    assert json.loads(raw)["unit"] == "metre"


@pytest.mark.parametrize(
    ("address", "code"),
    [("file:///etc/passwd", 2), ("{odd}/status/403", 3), ("{odd}/status/410", 1)],
)
def test_the_exit_code_says_whose_fault_it_was(
    address: str, code: int, run: Run, internet: Internet
) -> None:
    ran = run("read", address.format(odd=f"{internet.url}/odd"), CHROME_PATH="disabled")

    assert ran.code == code
    assert ran.err.startswith("citewell: ")
    assert ran.out == ""


def test_the_worst_failure_decides(run: Run, internet: Internet) -> None:
    ran = run(
        "read", sleep(internet), internet.odd("status/404"), internet.odd("status/403"),
        CHROME_PATH="disabled",
    )  # fmt: skip

    assert ran.code == 3
    assert "Sleep after learning" in ran.out


def test_a_directory_that_cannot_be_made_is_a_usage_error(
    run: Run, internet: Internet, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")

    ran = run("read", sleep(internet), "--out", str(tmp_path / "taken"))

    assert ran.code == 2
    assert "--out" in ran.err


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/", "example.org.md"),
        ("https://example.org/a/b.html", "example.org_a_b.html.md"),
        ("https://example.org/a-b", "example.org_a-b.md"),
    ],
)
def test_a_plain_address_names_its_file(url: str, name: str) -> None:
    assert build_page_file_name(url) == name


def test_different_addresses_have_different_files() -> None:
    urls = [
        f"https://example.org/{rest}"
        for rest in (
            "a/b", "a-b", "a_b", "a b", "A/b", "a/b?x=1", "a/b?x=2", "a%2Fb", "../b", "a/../b",
            "." * 300, "x" * 300, "x" * 301, "語", "語語",
        )
    ]  # fmt: skip

    names = {build_page_file_name(url) for url in urls}

    assert len(names) == len(urls)
    assert all("/" not in name and ".." not in name[:2] and len(name) < 130 for name in names)


def test_front_matter_cannot_be_broken_by_a_title() -> None:
    body = {
        "url": "https://example.org/",
        "citation": {
            "accessedDate": "2026-11-15",
            "metadata": {"title": 'x: "y"\n---\nurl: z', "author": "", "site": "", "date": ""},
        },
    }

    lines = render_front_matter(body).splitlines()

    assert lines == [
        "---",
        'title: "x: \\"y\\"\\n---\\nurl: z"',
        'url: "https://example.org/"',
        'accessed: "2026-11-15"',
        "---",
    ]
