from __future__ import annotations

from tests.command_runs import Run


def test_articles_are_listed_with_source_and_time(run: Run) -> None:
    ran = run("news", "heat wave", "--provider", "gdelt")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "1. Heat wave breaks temperature records across the south"
    assert lines[1].endswith("/site/news.example.com/heat-wave-records")
    assert lines[2].startswith("news.example.com · seen 20")
    assert lines[2].endswith(" UTC")
    assert lines[-1] == "1 result from gdelt"


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("news", "heat wave", "--sort", "date", "--time-range", "year", "--json")

    assert ran.json()["articles"][0]["publishedAt"]
    assert ran.json()["_meta"]["routing"]["provider_used"] == "searxng"


def test_no_article_found_is_exit_code_1_and_says_what_to_try(run: Run) -> None:
    ran = run("news", "zzqxv wvuqz", "--provider", "gdelt", "--source", "reuters.com")

    assert ran.code == 1
    assert "Only the last week was searched" in ran.out
    assert "- Try without news_source." in ran.out


def test_a_wrong_value_is_wrong_usage(run: Run) -> None:
    ran = run("news", "x", "--time-range", "decade")

    assert ran.code == 2
    assert "hour" in ran.err
