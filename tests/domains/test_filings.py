from __future__ import annotations

from tests.command_runs import Run

MAIL = {"EDGAR_CONTACT_EMAIL": "someone@example.org"}


def test_filings_are_listed_with_their_dates_and_addresses(run: Run) -> None:
    ran = run("filings", "Apple", "--form", "10-K", "-n", "1", **MAIL)

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "Apple Inc. (AAPL, CIK 0000320193)"
    assert lines[2] == "1. 10-K · Apple Inc."
    assert lines[3].startswith("https://www.sec.gov/Archives/edgar/data/320193/")
    assert lines[4] == "filed 2025-10-31 · reports on 2025-09-27 · 0000320193-25-000073"
    assert "10-K/A (1)" in ran.out
    assert lines[-1] == "1 result from edgar"


def test_facts_are_listed_with_their_values_as_filed(run: Run) -> None:
    ran = run("filings", "--ticker", "AAPL", "--facts", **MAIL)

    assert "1. Revenue: 94036000000 USD" in ran.out
    assert "Latest year: 416161000001 USD" in ran.out
    assert "NetIncomeLoss: 112010000000 USD" in ran.out  # it has no label
    assert "2024-09-29 to 2025-09-27 · 10-K/A · filed 2025-11-20" in ran.out


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("filings", "Facebook", "--json", **MAIL)

    assert ran.json()["company"]["cik"] == "0001326801"


def test_without_a_contact_the_line_to_set_is_printed(run: Run) -> None:
    ran = run("filings", "Apple")

    assert ran.code == 2
    assert "EDGAR_CONTACT_EMAIL" in ran.err


def test_nothing_found_is_exit_code_1_with_the_reason(run: Run) -> None:
    ran = run("filings", "Apple", "--form", "S-1", **MAIL)

    assert ran.code == 1
    assert "Filed in this time" in ran.out
