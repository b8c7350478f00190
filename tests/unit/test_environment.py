"""What stands in the settings file, and what is said when it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell import config, environment
from citewell.errors import Misconfigured

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
