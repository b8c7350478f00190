"""The import budget: what each stage may load, in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "anthropic", "asyncpg", "dbos", "docx", "google", "html_to_markdown", "litellm", "lxml", "markdown_it", "numpy", "openai",
    "openpyxl", "pandas", "playwright", "pptx", "prometheus_client", "psycopg", "pymupdf", "pypdf", "pypdfium2", "redis", "rich",
    "selectolax", "sqlalchemy", "sqlite3", "stamina", "trafilatura", "typer", "wreq", "xlrd",
}  # fmt: skip

OF_EXTRAS = {
    "asyncpg", "citeproc", "dbos", "genai_prices", "keyring", "obstore", "onnxruntime", "playwright", "psycopg", "redis",
    "tokenizers", "wreq",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """Top-level and dotted names of every module loaded after running `code`."""
    script = f"{code}\nimport json, sys\nsys.stderr.write(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_the_package_loads_nothing_else() -> None:
    before = loaded("pass")
    after = loaded("import citewell")

    assert after - before == {"citewell"}


def test_the_front_needs_the_standard_library_alone() -> None:
    modules = loaded(
        "import citewell.__main__, citewell.server.stdio.stdio_server, citewell.server.stdio.stdio_wire"
    )
    third_party = {
        name
        for name in tops(modules)
        if name not in sys.stdlib_module_names and not name.startswith("_")
    }

    assert third_party <= {"citewell", "sitecustomize", "__main__"}
    assert not modules & {
        "asyncio",
        "pydantic",
        "typing_extensions",
        "inspect",
        "logging",
        "tomllib",
    }


def test_the_tools_need_pydantic_and_no_network_or_protocol() -> None:
    modules = tops(loaded("from citewell.core import tooling; tooling.load_all_tools()"))

    assert not modules & (
        {"mcp", "mcp_types", "httpx2", "httpcore2", "starlette", "uvicorn"} | HEAVY
    )


def test_a_session_ready_for_its_first_call_has_loaded_nothing_heavy() -> None:
    code = (
        "import citewell.server.stdio.stdio_session\n"
        "from citewell.core.config import Settings\n"
        "from citewell.server.app import App\n"
        "from citewell.server.protocol.sdk_server import build_sdk_server\n"
        "build_sdk_server(App(Settings()))"
    )
    baseline = tops(loaded("import mcp.server.lowlevel"))
    modules = tops(loaded(code))

    assert not (modules - baseline) & HEAVY
    assert "opentelemetry.sdk" not in loaded(code)


def test_a_first_search_loads_few_modules() -> None:
    """Each module costs a chat window a millisecond before its first answer."""
    modules = loaded(
        "import citewell.server.stdio.stdio_session\n"
        "from citewell.core.config import Settings\n"
        "from citewell.core.tooling import load_tool\n"
        "from citewell.search.search_service import WebSearchService\n"
        "from citewell.server.app import App\n"
        "app = App(Settings())\n"
        "load_tool('web_search')\n"
        "app.require_service(WebSearchService)\n"
        "app.catalogue.connect_provider('duckduckgo')"
    )

    assert len({name for name in modules if name.startswith("citewell.")}) <= 150
    assert len(modules) <= 440
    assert not tops(modules) & {"mcp", "mcp_types", "starlette", "uvicorn"}


@pytest.mark.parametrize("name", ["brave", "hackernews", "wikipedia", "duckduckgo"])
def test_a_provider_brings_no_library_with_it(name: str) -> None:
    base = "import citewell.routing.ports, citewell.net.upstream.upstream_client, citewell.text.safety.text_cleaning, citewell.text.calendar_dates, citewell.core.values.search_queries, citewell.core.values.research\nfrom pydantic import BaseModel\nclass Warm(BaseModel): x: int = 0"
    before = loaded(base)
    after = loaded(f"{base}\nfrom citewell.providers import load; load({name!r})")

    assert len(after - before) <= 12
    assert not tops(after - before) & HEAVY


def test_choosing_a_provider_imports_none() -> None:
    modules = loaded(
        "from citewell.core.config import Settings\n"
        "from citewell.routing.ports import Offer\n"
        "from citewell.routing.provider_catalogue import ProviderCatalogue\n"
        "catalogue = ProviderCatalogue(Settings(), connect=print)\n"
        "assert catalogue.list_offering(Offer.WEB)\n"
        "catalogue.list_provider_statuses()"
    )

    assert not {name for name in modules if name.startswith("citewell.providers.")}


def test_a_search_that_reads_no_page_loads_no_page_reader() -> None:
    modules = loaded(
        "from citewell.core.config import Settings\n"
        "from citewell.search.search_service import WebSearchService\n"
        "from citewell.server.app import App\n"
        "App(Settings()).require_service(WebSearchService)"
    )

    assert not {name for name in modules if name.startswith("citewell.net.browser")}
    assert "citewell.reading.pages.page_reader" not in modules


@pytest.mark.slow
def test_only_the_browser_needs_a_library_of_an_extra() -> None:
    """Every other module imports such a library where it uses it, so that reading works without it."""
    script = f"""
import pkgutil, sys
from importlib import import_module
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {sorted(OF_EXTRAS)}:
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
import citewell
for module in pkgutil.walk_packages(citewell.__path__, "citewell."):
    if not module.name.endswith("__main__"):
        try:
            import_module(module.name)
        except ImportError:
            print(module.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )

    assert done.stdout.split() == [
        "citewell.net.browser.browser_engine",
        "citewell.net.browser.page_visit",
    ]


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_load_no_command_and_no_library_but_the_parser(flag: str) -> None:
    modules = loaded(f"from citewell.cli import main\nmain([{flag!r}])")

    assert not tops(modules) & (HEAVY | {"asyncio", "mcp", "pydantic"}) - {"typer"}
    assert {name for name in modules if name.startswith("citewell.")} <= {
        "citewell.cli",
        "citewell.core",
        "citewell.core.room_modules",
    }


def test_a_command_loads_no_other_command() -> None:
    modules = loaded("from citewell.cli import main\nmain(['search', '--help'])")

    assert "citewell.search.commands.search" in modules
    assert not modules & {
        "citewell.trust.commands.audit",
        "citewell.library.commands.library",
        "citewell.research.commands.research",
    }
