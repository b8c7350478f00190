"""A provider is one file: everything else about it appears by itself."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.core.values.search_queries import SearchHits, SearchQuery
from citewell.net.network import Network
from citewell.routing.ports import Offer, ProviderKit, ProviderSpec, WebSearch
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.search.lenses import LensCatalogue
from citewell.server.commands import reference
from citewell.server.commands.diagnosis import installation_checks, provider_probes
from citewell.server.reference import build_reference_files
from tests.internet.faults import Fault
from tests.internet.serve import Internet

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "provider.py"
NAME = "sample"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> providers.ProviderModule:
    """The one file, where no other file knows of it."""
    file = shutil.copy(EXAMPLE, tmp_path / f"{NAME}.py")
    spec = importlib.util.spec_from_file_location(NAME, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(
        sys.modules, NAME, module
    )  # where pydantic looks up the names of annotations
    spec.loader.exec_module(module)
    return module


def catalogue(
    module: providers.ProviderModule, settings: Settings, network: Network | None = None
) -> ProviderCatalogue:
    def connect(spec: ProviderSpec, options: Mapping[str, str]) -> object:
        assert network
        return module.Provider(
            ProviderKit(
                upstream=network.open_upstream(
                    spec.name,
                    base_url=spec.base_url,
                    secret_headers=spec.build_key_headers(options),
                ),
                options=options,
            )
        )

    return ProviderCatalogue(
        settings,
        connect,
        names=(*providers.NAMES, NAME),
        load_spec=lambda name: module.SPEC if name == NAME else providers.load_spec(name),
    )


def derived(module: providers.ProviderModule) -> dict[str, str]:
    return build_reference_files(
        catalogue(module, Settings()),
        LensCatalogue(),
        reference.build_manifest_entries(),
        version="0.0.0",
    )


def test_its_page_row_and_section_appear(load: providers.ProviderModule) -> None:
    page = derived(load)["docs/reference/providers.md"]

    assert "| [sample](#sample) | web | `SAMPLE_API_KEY` | language | 20 |" in page
    assert "[Sample Search](https://search.example.com/api)" in page
    assert "Name Sample Search beside its results." in page


def test_its_settings_appear_on_the_page_and_in_the_example_file(
    load: providers.ProviderModule,
) -> None:
    files = derived(load)

    for name in ("SAMPLE_API_KEY", "SAMPLE_REGION", "CITEWELL_SAMPLE_BASE_URL"):
        assert f"`{name}`" in files["docs/reference/settings.md"]
        assert f"\n#{name}=" in files[".env.example"]


def test_its_key_is_a_secret_of_the_registry_listing(load: providers.ProviderModule) -> None:
    listing = json.loads(derived(load)["server.json"])

    variables = {
        variable["name"]: variable for variable in listing["packages"][0]["environmentVariables"]
    }
    assert variables["SAMPLE_API_KEY"]["isSecret"] is True
    assert variables["SAMPLE_REGION"] == {
        "name": "SAMPLE_REGION",
        "description": "The index to ask: eu or us.",
        "isRequired": False,
        "isSecret": False,
        "default": "eu",
    }


def test_nothing_else_changes(load: providers.ProviderModule) -> None:
    plain = build_reference_files(
        ProviderCatalogue(Settings(), connect=lambda *_: None),
        LensCatalogue(),
        reference.build_manifest_entries(),
        version="0.0.0",
    )

    changed = {path for path, text in derived(load).items() if plain[path] != text}

    assert changed == {
        "docs/reference/filters.md",
        "docs/reference/providers.md",
        "docs/reference/settings.md",
        ".env.example",
        "server.json",
    }


def test_the_doctor_has_a_row_that_says_what_to_set(load: providers.ProviderModule) -> None:
    known = catalogue(load, Settings())

    rows = asyncio.run(provider_probes.probe_providers(known, {}, offline=True, paid=False))

    row = next(row for row in rows if row.name == NAME)
    assert row.state == provider_probes.NOT_CONFIGURED
    assert row.change == "SAMPLE_API_KEY=… (see https://search.example.com/api)"


def test_its_base_url_is_a_known_setting(load: providers.ProviderModule) -> None:
    known = catalogue(load, Settings())

    names = installation_checks.collect_setting_names(
        known.find_spec(name) for name in known.list_provider_names()
    )

    assert "CITEWELL_SAMPLE_BASE_URL" in names


def test_it_is_offered_once_its_key_is_set_and_refused_by_name_before(
    load: providers.ProviderModule,
) -> None:
    without = catalogue(load, Settings())
    with_key = catalogue(load, Settings(raw={"SAMPLE_API_KEY": "k"}))

    with pytest.raises(Misconfigured, match="SAMPLE_API_KEY"):
        without.resolve_provider(NAME, Offer.WEB)
    assert NAME in with_key.list_offering(Offer.WEB)


def test_it_searches_with_its_key_in_a_header(
    load: providers.ProviderModule, environ: dict[str, str], internet: Internet
) -> None:
    item = {"title": "<b>Sleep</b>", "url": "https://example.org/sleep", "abstract": "About sleep."}
    fault = Fault(status=200, headers={"content-type": "application/json"}, body={"items": [item]})
    internet.world.fail("/sample/search", fault)
    environ |= {"CITEWELL_SAMPLE_BASE_URL": f"{internet.url}/sample", "SAMPLE_API_KEY": "a-key"}

    found = asyncio.run(_search(load, config.load_settings(environ)))

    assert [(hit.title, hit.url, hit.snippet) for hit in found.hits] == [
        ("Sleep", "https://example.org/sleep", "About sleep.")
    ]
    assert internet.world.requests["other"][-1].headers["x-api-key"] == "a-key"


async def _search(module: providers.ProviderModule, settings: Settings) -> SearchHits:
    network = Network(settings)
    try:
        provider = catalogue(module, settings, network).connect_provider(NAME)
        assert isinstance(provider, WebSearch)
        return await provider.search_web(SearchQuery(text="sleep"))
    finally:
        await network.aclose()
