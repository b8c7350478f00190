"""What is derived is up to date, and everything there is to document is documented."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from pathlib import Path

import pytest

from citewell import providers
from citewell.cli import main
from citewell.core import errors
from citewell.core import tooling as tools
from citewell.core.config import list_settings
from citewell.search.lenses import LensCatalogue
from citewell.server.capabilities.prompts import PROMPTS
from citewell.server.commands.reference import build_derived_files
from citewell.server.reference import find_outdated_files, write_outdated_files

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return build_derived_files(ROOT)


def test_every_derived_file_is_up_to_date(files: dict[str, str]) -> None:
    assert find_outdated_files(ROOT, files) == ()


def test_a_changed_file_is_named_and_fails_the_check(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    write_outdated_files(tmp_path, files)
    (tmp_path / ".env.example").write_text("by hand")
    (tmp_path / "docs/reference/errors.md").unlink()

    code = main(["reference", "--check", "--root", str(tmp_path)])

    told = capsys.readouterr().err
    assert code == 1
    assert ".env.example is out of date" in told
    assert "docs/reference/errors.md is out of date" in told
    assert "settings.md" not in told


def test_writing_makes_the_check_pass(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    assert main(["reference", "--root", str(tmp_path)]) == 0
    assert main(["reference", "--check", "--root", str(tmp_path)]) == 0


def test_a_golden_file_of_a_tool_that_is_gone_fails_the_check(
    files: dict[str, str], tmp_path: Path
) -> None:
    write_outdated_files(tmp_path, files)
    (tmp_path / "tests/golden/tools/vanished.json").write_text("{}")

    assert find_outdated_files(tmp_path, files) == ("tests/golden/tools/vanished.json",)


def test_another_directory_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reference", "--root", str(tmp_path)]) == 2
    assert "not the Citewell repository" in capsys.readouterr().err


def test_nobodys_environment_shows_in_the_pages(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_BRAVE_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("SEARCH_PROVIDER", "exa")

    assert build_derived_files(ROOT) == files


@pytest.mark.parametrize("name", tools.list_tool_names())
def test_every_tool_has_a_section_with_every_argument(name: str, files: dict[str, str]) -> None:
    page = files["docs/reference/tools.md"]
    section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]

    accepted = [
        wire
        for names in tools.load_tool(name).args.list_argument_names().values()
        for wire in names
    ]
    assert [wire for wire in accepted if f"`{wire}`" not in section] == []


@pytest.mark.parametrize("name", providers.NAMES)
def test_every_provider_has_a_section_with_every_option(name: str, files: dict[str, str]) -> None:
    page = files["docs/reference/providers.md"]
    section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]

    assert section
    assert [
        option.env
        for option in providers.load(name).SPEC.options
        if f"`{option.env}`" not in section
    ] == []


TOOL_PROVIDERS = tools.load_tool_providers()


@pytest.mark.parametrize("name", TOOL_PROVIDERS)
def test_the_table_of_filters_names_arguments_of_the_tool(name: str, files: dict[str, str]) -> None:
    served = TOOL_PROVIDERS[name]
    accepted = {
        wire
        for names in tools.load_tool(name).args.list_argument_names().values()
        for wire in names
    }

    assert set(served.filters) <= accepted
    assert served.applied_by_us <= set(served.filters)
    assert f"\n## {name}\n" in files["docs/reference/filters.md"]


def test_every_tool_of_the_domains_is_in_the_table_of_filters() -> None:
    domains = {
        name for name in tools.list_tool_names() if tools.load_tool(name).toolset == "domains"
    }

    assert domains <= set(TOOL_PROVIDERS)


@pytest.mark.parametrize("name", providers.NAMES)
def test_a_provider_applies_only_arguments_that_a_tool_of_its_offers_has(name: str) -> None:
    spec = providers.load(name).SPEC
    filters = {served.offer: set(served.filters) for served in TOOL_PROVIDERS.values()}

    assert set(spec.applied_arguments) <= spec.offers
    for offer, arguments in spec.applied_arguments.items():
        assert arguments <= filters[offer]


def test_every_setting_is_on_the_page_and_in_the_example(files: dict[str, str]) -> None:
    names = [setting.name for setting in list_settings()]

    assert [
        name for name in names if f"| `{name}` |" not in files["docs/reference/settings.md"]
    ] == []
    assert [name for name in names if f"\n#{name}=" not in files[".env.example"]] == []


def test_every_name_the_code_reads_is_documented(files: dict[str, str]) -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    read = {name for source in sources for name in re.findall(r'"(CITEWELL_[A-Z_]*[A-Z])"', source)}

    assert sorted(name for name in read if name not in files["docs/reference/settings.md"]) == []


def test_every_setting_has_a_sentence() -> None:
    assert [setting.name for setting in list_settings() if not setting.help] == []


def test_every_error_is_explained(files: dict[str, str]) -> None:
    page = files["docs/reference/errors.md"]
    named = [
        cls
        for cls in vars(errors).values()
        if inspect.isclass(cls) and issubclass(cls, errors.CitewellError)
    ]
    bases = {errors.CitewellError, errors.UpstreamError}

    rows = {
        line.split(" | ")[1]: line.split(" | ")[2]
        for line in page.splitlines()
        if line.startswith("| `")
    }
    assert set(rows) == {cls.__name__ for cls in named if cls not in bases}
    assert [name for name, meaning in rows.items() if not meaning.strip()] == []


def test_every_lens_and_prompt_has_a_section(files: dict[str, str]) -> None:
    lenses, prompts = files["docs/reference/lenses.md"], files["docs/reference/prompts.md"]

    assert [
        name for name in LensCatalogue().list_lens_names() if f"\n## {name}\n" not in lenses
    ] == []
    assert [prompt.name for prompt in PROMPTS if f"\n## {prompt.name}\n" not in prompts] == []


def test_the_registry_listing_keeps_the_registrys_rules(files: dict[str, str]) -> None:
    listing = json.loads(files["server.json"])
    package = listing["packages"][0]

    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", listing["name"])
    assert len(listing["description"]) <= 100
    assert listing["version"] == package["version"]
    assert package["transport"] == {"type": "stdio"}
    secrets = {
        variable["name"] for variable in package["environmentVariables"] if variable["isSecret"]
    }
    assert {"BRAVE_API_KEY", "EXA_API_KEY", "TAVILY_API_KEY"} <= secrets


def test_no_secret_has_a_default(files: dict[str, str]) -> None:
    for name in providers.NAMES:
        assert [o.env for o in providers.load(name).SPEC.options if o.secret and o.default] == []
