"""What stands in the settings file, and what is said when it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.core import config, environment
from citewell.core.errors import Misconfigured
from citewell.net.settings import NetSettings
from citewell.reading.settings import ReadingSettings
from citewell.search.settings import SearchSettings
from tests.requirements import requires

BROKEN = {
    "no value": (b"PORT = 1\nLOG_LEVEL =\n", "line 2"),
    "not UTF-8": (b'PORT = 1\n\nCITEWELL_PROFILE = "\xff"\n', "line 3"),
}


def written(tmp_path: Path, content: bytes) -> dict[str, str]:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    return {"CITEWELL_CONFIG": str(path)}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    content, line = BROKEN[name]

    with pytest.raises(environment.UnusableSettingsFile) as raised:
        environment.load_raw_settings(written(tmp_path, content))

    assert str(tmp_path / "config.toml") in str(raised.value)
    assert line in str(raised.value)


def test_a_file_that_cannot_be_opened_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = written(tmp_path, b"")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)

    with pytest.raises(environment.UnusableSettingsFile, match=r"config\.toml.*Permission denied"):
        environment.load_raw_settings(environ)


def test_a_broken_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"config\.toml.*line 1"):
        config.load_settings(written(tmp_path, b"= 1"))


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    content = b'port = 80\nread = true\nlist = ["a"]\nday = 2026-01-02\nname = "x"\n'

    raw = environment.load_raw_settings(written(tmp_path, content))

    assert {name: raw[name] for name in ("PORT", "READ", "LIST", "DAY", "NAME")} == {
        "PORT": "80",
        "READ": "true",
        "LIST": '["a"]',
        "DAY": '"2026-01-02"',
        "NAME": "x",
    }


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    environ = written(tmp_path, b"PORT = 80") | {"PORT": "81"}

    assert environment.load_raw_settings(environ)["PORT"] == "81"


@pytest.mark.parametrize(
    ("text", "names"),
    [("", ()), ("a", ("a",)), (" a, b ,", ("a", "b")), (",,", ()), ("a b,c", ("a b", "c"))],
)
def test_a_list_of_names_is_split_at_commas(text: str, names: tuple[str, ...]) -> None:
    assert environment.split_name_list(text) == names


SEARCH_TABLE = b"""
[web_search]
default_results_count = 12
max_results_count = 40
max_concurrent_fetches = 3
default_timeout = 30
content_fetch_timeout = 45
max_content_size = "2MB"
max_consecutive_failures = 4
rate_limit_backoff_base = 90
rotate_user_agents = false
request_delay_range = [200, 600]
use_random_instances = true
summarize_long_content = true
max_summary_length = 300
extract_code_blocks = true
"""


@requires("searxng.options")
def test_every_option_of_the_table_web_search_is_read_under_its_own_name(tmp_path: Path) -> None:
    settings = config.load_settings(written(tmp_path, SEARCH_TABLE))

    assert (
        settings[SearchSettings].search_results,
        settings[SearchSettings].search_max_results,
    ) == (12, 40)
    assert settings[ReadingSettings].max_page_concurrency == 3
    assert (settings[NetSettings].search_timeout, settings[SearchSettings].search_page_timeout) == (
        30.0,
        45.0,
    )
    assert (
        settings[SearchSettings].search_page_chars,
        settings[SearchSettings].search_summary_chars,
    ) == (2_000_000, 300)
    assert settings.raw["CITEWELL_SEARXNG_MAX_FAILURES"] == "4"
    assert settings.raw["CITEWELL_SEARXNG_BACKOFF"] == "90"
    assert settings.raw["CITEWELL_SEARXNG_PAUSE"] == "200-600"
    assert settings.raw["CITEWELL_SEARXNG_RANDOM"] == "true"


@requires("searxng.options")
def test_what_cannot_be_done_is_refused_by_name_with_the_reason(tmp_path: Path) -> None:
    content = (
        b"[web_search]\nrotate_user_agents = 1\ninstance_health_check_interval = 'often'\n"
        b"extract_code_blocks = false\ndefault_results_count = 0\nmax_content_size = 'big'\n"
        b"request_delay_range = 5\ndefault_timeout = true\nuse_random_instances = 1\nsafety = 1\n"
    )

    with pytest.raises(Misconfigured) as raised:
        config.load_settings(written(tmp_path, content))

    message = str(raised.value)
    for part in (
        "rotate_user_agents in [web_search] must be true or false",
        "instance_health_check_interval in [web_search] must be a number of seconds",
        "extract_code_blocks in [web_search] can only be true",
        "default_results_count in [web_search] must be a whole number",
        "max_content_size in [web_search] must be a size",
        "request_delay_range in [web_search] must be two numbers",
        "default_timeout in [web_search] must be a number of seconds",
        "use_random_instances in [web_search] must be true or false",
        "safety in [web_search] is not an option; the options are default_results_count",
    ):
        assert part in message


def test_summaries_can_be_switched_off_whatever_their_length(tmp_path: Path) -> None:
    content = b"[web_search]\nsummarize_long_content = false\nmax_summary_length = 300\n"

    assert (
        config.load_settings(written(tmp_path, content))[SearchSettings].search_summary_chars == 0
    )


def test_the_environment_goes_before_the_table(tmp_path: Path) -> None:
    environ = written(tmp_path, SEARCH_TABLE) | {"CITEWELL_SEARCH_RESULTS": "7"}

    assert config.load_settings(environ)[SearchSettings].search_results == 7
