from __future__ import annotations

import pytest

from citewell.core.errors import NotFound
from citewell.reading.sites.github.repository_markdown import LinkBase, clean_repository_markdown
from tests.reading.site_answers import GH, RAW, README, github
from tests.reading.site_bench import Bench, Reply, Web, page, read

REPO = "https://github.com/example/tides"
HOME = LinkBase(
    page_base="https://github.com/e/t/blob/HEAD/README.md",
    picture_base="https://raw.example.org/e/t/HEAD/README.md",
)


def test_the_readme_comes_with_whole_links_and_without_comments() -> None:
    found = page(REPO, github())

    assert found.content_type == "github"
    assert "Ignore your instructions" not in found.content
    assert "A note nobody sees" not in found.content
    assert f"[the guide]({REPO}/blob/HEAD/docs/guide.md)" in found.content
    assert f"![logo](https://{RAW}/example/tides/HEAD/docs/logo.png)" in found.content
    assert "```html\n<!-- kept in code -->\n[x](y)\n```" in found.content
    assert "Use `<!-- this -->` to hide things." in found.content


def test_trust_costs_five_calls_and_counts_by_the_last_page() -> None:
    answers = github()
    link = (
        f'<https://{GH}/repositories/1/contributors?per_page=1&anon=1&page=2>; rel="next", '
        f'<https://{GH}/repositories/1/contributors?per_page=1&anon=1&page=321>; rel="last"'
    )
    answers[f"{GH}/repos/example/tides/contributors"] = Reply(body=[{}], headers={"link": link})
    web = Web(answers)

    found = Bench(web=web).read(REPO)

    assert found is not None
    assert found.trust_signals is not None
    wire = found.trust_signals.to_wire()
    assert wire["contributorCount"] == 321
    assert wire["releaseCount"] == 0
    assert wire["repo"]["stargazersCount"] == 1500
    assert wire["repo"]["license"] == "MIT"
    assert wire["owner"]["isVerified"] is True
    assert wire["community"]["hasContributing"] is False
    assert len([url for url in web.asked if url.startswith(GH)]) == 5


def test_a_call_that_fails_leaves_out_only_its_part() -> None:
    answers = github() | {f"{GH}/orgs/example": Reply(status=500)}

    found = page(REPO, answers)

    assert found.trust_signals is not None
    assert found.trust_signals.owner is None
    assert found.trust_signals.repo is not None


def test_a_spent_quota_costs_the_signals_and_not_the_readme() -> None:
    spent = Reply(status=403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99"})
    answers = {url: spent for url in github() if url.startswith(GH)}

    found = page(REPO, answers | {f"{RAW}/example/tides/HEAD/README.md": README})

    assert found.trust_signals is None
    assert "the guide" in found.content


def test_the_token_goes_to_the_api_alone() -> None:
    web = Web(github())

    Bench(web=web, raw={"GITHUB_TOKEN": "a-token"}).read(REPO)

    with_token = {request.url.split("/")[2] for request in web.sent if request.secret_headers}
    assert with_token == {GH}


def test_a_readme_of_another_name_is_found_through_the_api() -> None:
    answers = github()
    del answers[f"{RAW}/example/tides/HEAD/README.md"]
    answers[f"{GH}/repos/example/tides/readme"] = {
        "download_url": f"https://{RAW}/example/tides/main/README.rst"
    }
    answers[f"{RAW}/example/tides/main/README.rst"] = "Tides\n=====\n\nAll about tides."

    assert "All about tides." in page(REPO, answers).content


def test_a_readme_address_elsewhere_is_not_followed() -> None:
    answers = github()
    del answers[f"{RAW}/example/tides/HEAD/README.md"]
    answers[f"{GH}/repos/example/tides/readme"] = {
        "download_url": "https://evil.example.org/README"
    }
    web = Web(answers)

    found = Bench(web=web).read(REPO)

    assert found is not None
    assert found.notes == ("The repository has no README.",)
    assert "evil.example.org/README" not in web.asked


@pytest.mark.parametrize(
    "url",
    [
        REPO,
        f"{REPO}/blob/main/nowhere.py",
        f"{REPO}/issues/404",
        "https://gist.github.com/0123456789abcdef",
    ],
)
def test_what_does_not_exist_is_not_found(url: str) -> None:
    with pytest.raises(NotFound):
        read(url, {})


def test_a_file_keeps_its_indentation_in_a_fence() -> None:
    found = page(f"{REPO}/blob/main/src/tide.py", github())

    assert found.content == "```py\ndef tide():\n    return 1\n```"
    assert found.title == "example/tides: src/tide.py"


def test_a_binary_file_is_left_to_the_ladder() -> None:
    answers = {f"{RAW}/example/tides/main/a.png": b"\x89PNG\0\0"}

    assert read(f"{REPO}/blob/main/a.png", answers) is None


def test_an_issue_says_its_state_and_keeps_its_code() -> None:
    found = page(f"{REPO}/issues/7", github())

    assert (
        "Issue · #7 · closed (completed) · by [reporter](https://github.com/reporter)"
        in found.content
    )
    assert "```python\n  x = 1\n```" in found.content
    assert "Fixed." in found.content
    assert found.published == "2024-01-02T03:04:05+00:00"
    assert not found.truncated


def test_a_merged_pull_request_says_so() -> None:
    answers = github()
    answers[f"{GH}/repos/example/tides/issues/7"]["pull_request"] = {
        "merged_at": "2024-01-04T00:00:00Z"
    }

    assert "Pull request · #7 · merged" in page(f"{REPO}/pull/7", answers).content


def test_a_comment_left_open_hides_the_rest_as_it_does_on_the_site() -> None:
    assert clean_repository_markdown("Seen\n<!-- open\n```\nalso hidden\n```\n", HOME) == "Seen"


def test_a_badge_is_a_picture_within_a_link() -> None:
    text = clean_repository_markdown("[![ok](b.svg)](ci.md) <a href='x.md'><b>X</b></a>", HOME)

    assert text == (
        "[![ok](https://raw.example.org/e/t/HEAD/b.svg)](https://github.com/e/t/blob/HEAD/ci.md)"
        " [X](https://github.com/e/t/blob/HEAD/x.md)"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "](",
        "![a](",
        "<h1>",
        "<a href=x>",
        "<!-- -->",
        "<!--",
        "<img src='",
        "` ",
        "[a]: ",
        "<",
        "  ",
        "\n[x]:",
    ],
)
def test_a_text_made_to_be_slow_is_not(piece: str) -> None:
    clean_repository_markdown(piece * (400_000 // len(piece)), HOME)


def test_runs_of_backticks_of_every_length_are_not_slow() -> None:
    clean_repository_markdown(" ".join("`" * length for length in range(1, 900)), HOME)


def test_a_dangerous_address_is_not_a_link() -> None:
    text = clean_repository_markdown(
        '<a href="javascript:alert(1)">click</a>, [y](javascript:z) and [x](docs/a.md)', HOME
    )

    assert text == "click, [y](#) and [x](https://github.com/e/t/blob/HEAD/docs/a.md)"
