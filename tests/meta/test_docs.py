"""The guides name only what exists: files, settings, commands, tools."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from citewell.core.config import Settings
from citewell.core.room_modules import list_commands
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.server.commands.diagnosis import installation_checks

ROOT = Path(__file__).resolve().parents[2]
TOP = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "AGENTS.md")
PAGES = [ROOT / name for name in TOP] + sorted((ROOT / "docs").rglob("*.md"))
GUIDES = [page for page in PAGES if page.parent.name != "reference"]
VERBS = set(list_commands())
# Settings of other programs, and codes of statistical offices that guides use in examples.
OTHERS = {
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "DF_QNA",
    "DSD_NAMAIN1",
    "NGDP_RPCH",
    "POSTGRES_PASSWORD",
    "REF_AREA",
}
# The changelog names them because they are gone.
REMOVED_SETTINGS = {
    "BROWSER_IDLE_TIMEOUT",
    "CITEWELL_BROWSER_TIMEOUT",
    "CITEWELL_DOCUMENT_TIMEOUT",
    "CITEWELL_MARKDOWN_TIMEOUT",
    "CITEWELL_OCR_TIMEOUT",
    "CITEWELL_STEALTH_TIMEOUT",
}


def title(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link and not link.startswith("mailto:")]

    assert [link for link in local if not (page.parent / link).exists()] == []


@functools.cache
def constants() -> set[str]:
    """The names of the code's own constants, without a leading underscore."""
    found: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        heads = re.findall(r"^((?:_?[A-Z][A-Z0-9_]+(?:, )?)+)(?::[^=\n]+)? = ", text, re.MULTILINE)
        found |= {name.strip(" _") for head in heads for name in head.split(",")}
    return found


@functools.cache
def read_by_tests() -> set[str]:
    """The environment variables that tests read for themselves."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    return {name for text in texts for name in re.findall(r'environ(?:\.get\(|\[)"(\w+)"', text)}


@pytest.mark.parametrize("page", GUIDES, ids=title)
def test_every_setting_named_exists(page: Path) -> None:
    """A name in capitals is a setting of ours, of the tests or of other programs, or a constant."""
    catalogue = ProviderCatalogue(Settings(), connect=lambda *_: None)
    known = installation_checks.collect_setting_names(
        catalogue.find_spec(name) for name in catalogue.list_provider_names()
    )
    named = re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b", page.read_text(encoding="utf-8"))
    if page.name == "CHANGELOG.md":
        known |= REMOVED_SETTINGS

    assert sorted(set(named) - known - constants() - read_by_tests() - OTHERS) == []


@pytest.mark.parametrize("page", GUIDES, ids=title)
def test_every_command_named_exists(page: Path) -> None:
    used = re.findall(r"`?citewell ([a-z]+)\b(?!://)", " ".join(_code(page)))

    assert set(used) <= VERBS


@pytest.mark.parametrize("page", GUIDES, ids=title)
def test_every_make_verb_named_exists(page: Path) -> None:
    verbs = set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    used = set(re.findall(r"\bmake ([a-z]+)\b", " ".join(_code(page))))

    assert used <= verbs


@pytest.mark.parametrize("page", GUIDES, ids=title)
def test_every_path_named_exists(page: Path) -> None:
    """Paths with a placeholder such as <name> or x are not paths."""
    named = re.findall(r"`((?:src|tests|docs)/[\w./-]+)`", page.read_text(encoding="utf-8"))

    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    "page", [page for page in GUIDES if page.name != "CHANGELOG.md"], ids=title
)
def test_a_guide_answers_one_question(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 250


def test_agents_are_told_in_sixty_lines() -> None:
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= 60


def test_decisions_are_numbered_without_a_gap() -> None:
    names = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))

    assert [name[:4] for name in names] == [f"{number:04}" for number in range(1, len(names) + 1)]


def _code(page: Path) -> list[str]:
    """Fenced blocks and spans of code, where commands stand."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL)
