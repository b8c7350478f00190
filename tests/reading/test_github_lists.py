"""Lists, folders and changes of GitHub."""

from __future__ import annotations

import pytest

from citewell.core.errors import NotFound
from citewell.reading import sites
from tests.reading.site_answers import GH, RAW
from tests.reading.site_bench import Bench, Reply, Web, page, read

REPO = "https://github.com/example/tides"


API = f"{GH}/repos/example/tides"


SHA = "6dcb09b5b57875f334f61aebed695e2e4193db5e"


FILE = {
    "filename": "src/tides.py",
    "status": "modified",
    "additions": 2,
    "deletions": 1,
    "patch": "@@ -1 +1,2 @@\n-old\n+new\n+newer",
}


COMMIT = {
    "sha": SHA,
    "commit": {
        "author": {"name": "Monalisa Octocat", "date": "2026-04-14T16:00:49Z"},
        "message": "Fix all the tides\n\nThey were *late*.",
    },
    "author": {"login": "octocat"},
    "stats": {"additions": 2, "deletions": 1, "total": 3},
    "files": [FILE, {"filename": "b.py", "status": "renamed", "previous_filename": "a.py"}],
}


ISSUE = {
    "number": 7,
    "title": "Neap tide [wrong]",
    "state": "open",
    "html_url": f"{REPO}/issues/7",
    "user": {"login": "octocat"},
    "comments": 3,
    "created_at": "2026-04-10T20:09:31Z",
}


RELEASE = {
    "tag_name": "v2.0",
    "name": "Spring",
    "body": "See [the guide](docs/guide.md).",
    "published_at": "2026-02-27T19:35:32Z",
    "html_url": f"{REPO}/releases/tag/v2.0",
    "author": {"login": "octocat"},
}


def test_a_commit_comes_with_its_message_and_changes() -> None:
    found = page(f"{REPO}/commit/{SHA[:10]}", {f"{API}/commits/{SHA[:10]}": COMMIT})

    assert found.content.startswith("# Fix all the tides")
    assert "They were \\*late\\*." in found.content
    assert "+2 −1 lines" in found.content
    assert "### src/tides.py" in found.content
    assert "```diff\n@@ -1 +1,2 @@\n-old\n+new\n+newer\n```" in found.content
    assert "(was a.py)" in found.content
    assert found.author == "octocat"
    assert found.published == "2026-04-14T16:00:49+00:00"


def test_the_files_of_a_pull_request_are_read_and_counted() -> None:
    answers = {
        f"{API}/pulls/9": {"title": "Higher tides", "changed_files": 150, "commits": 1},
        f"{API}/pulls/9/files": [FILE],
        f"{API}/pulls/9/commits": [COMMIT, "nonsense"],
    }

    files = page(f"{REPO}/pull/9/files", answers)
    commits = page(f"{REPO}/pull/9/commits", answers)

    assert "## Files (1 of 150)" in files.content
    assert files.truncated
    assert f"- [Fix all the tides]({REPO}/commit/{SHA}), [octocat]" in commits.content


def test_a_folder_lists_its_entries_and_shows_its_readme() -> None:
    entries = [
        {"name": "zeta.py", "path": "src/zeta.py", "type": "file", "size": 1234, "html_url": f"{REPO}/blob/main/src/zeta.py"},
        {"name": "README.md", "path": "src/README.md", "type": "file", "size": 10, "html_url": f"{REPO}/blob/main/src/README.md"},
        {"name": "lib", "path": "src/lib", "type": "dir", "size": 0, "html_url": f"{REPO}/tree/main/src/lib"},
    ]  # fmt: skip
    answers = {
        f"{API}/contents/src": entries,
        f"{RAW}/example/tides/main/src/README.md": "How it works.",
    }

    found = page(f"{REPO}/tree/main/src", answers)

    assert f"- [lib/]({REPO}/tree/main/src/lib)\n- [README.md]" in found.content
    assert "zeta.py), 1,234 bytes" in found.content
    assert found.content.endswith("How it works.")


def test_a_list_of_issues_is_asked_for_as_the_page_asks() -> None:
    web = Web({f"{GH}/search/issues": {"total_count": 120, "items": [ISSUE]}})

    found = Bench(web=web).read(f"{REPO}/issues?q=is%3Aissue+is%3Aclosed+neap")

    assert found is not None
    assert dict(web.sent[0].params)["q"] == "repo:example/tides is:issue is:closed neap"
    assert "1 of 120 for `is:issue is:closed neap`" in found.content
    assert f"- [#7 Neap tide \\[wrong\\]]({REPO}/issues/7), open" in found.content
    assert found.truncated


def test_a_list_of_pull_requests_asks_for_open_ones() -> None:
    web = Web({f"{GH}/search/issues": {"total_count": 0, "items": []}})

    Bench(web=web).read(f"{REPO}/pulls")

    assert dict(web.sent[0].params)["q"] == "repo:example/tides is:pr is:open"


def test_releases_are_listed_with_their_notes_and_the_latest_can_be_asked_for() -> None:
    answers = {f"{API}/releases": [RELEASE], f"{API}/releases/latest": RELEASE}

    listed = page(f"{REPO}/releases", answers)
    latest = page(f"{REPO}/releases/latest", answers)

    assert "## Spring" in listed.content
    assert f"[the guide]({REPO}/blob/HEAD/docs/guide.md)" in listed.content
    assert latest.title == "example/tides: Spring"


@pytest.mark.parametrize(
    "path", ["tree/main/x", f"commit/{SHA}", "pull/9/files", "issues", "releases", "wiki/A"]
)
@pytest.mark.parametrize("body", ["<html>down</html>", "null", "{}", "[1, null]", '{"items": 5}'])
def test_a_damaged_answer_never_fails_in_another_way_than_a_page_does(path: str, body: str) -> None:
    web = Web({}, otherwise=Reply(body=body))

    found = Bench(web=web).read(f"{REPO}/{path}")

    assert found is None or found.content


def test_a_gone_commit_is_not_found() -> None:
    with pytest.raises(NotFound):
        read(f"{REPO}/commit/{SHA}", {})


def test_names_that_are_no_commit_or_number_are_left_to_the_ladder() -> None:
    for path in ("commit/main", "pull/x/files", "discussions/categories/ideas", "wiki/a/b"):
        assert sites.find_site_route(f"{REPO}/{path}") is None
