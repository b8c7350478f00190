from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.config import Settings
from citewell.core.errors import InvalidInput, Misconfigured
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec, decode_spec, encode_spec
from citewell.routing.provider_catalogue import (
    ProviderCatalogue,
    SearchRouter,
    find_query_receivers,
)
from tests.requirements import requires
from tests.search.doubles import Scripted, Shop, keyed, spec

BOTH = frozenset({Offer.WEB, Offer.NEWS})


def test_a_provider_is_connected_once_with_its_options_and_defaults() -> None:
    option = ProviderOption(env="X_MODE", help="A mode.", default="calm")
    shop = Shop((spec("x", options=(*keyed("X_KEY"), option)), Scripted()), environ={"X_KEY": "k"})

    first, second = shop.catalogue.connect_provider("x"), shop.catalogue.connect_provider("x")

    assert first is second
    assert shop.connected == [("x", {"X_KEY": "k", "X_MODE": "calm"})]


def test_the_base_url_setting_replaces_the_specs() -> None:
    shop = Shop((spec("x"), Scripted()), environ={"CITEWELL_X_BASE_URL": "http://127.0.0.1:9"})

    assert shop.catalogue.find_spec("x").base_url == "http://127.0.0.1:9"


def test_status_names_what_is_missing() -> None:
    shop = Shop(
        (spec("keyless"), Scripted()),
        (spec("keyed", options=(*keyed("A_KEY"), *keyed("B_ID"))), Scripted()),
        (spec("either", requires_any=("E_URL", "E_LIST")), Scripted()),
        environ={"A_KEY": "k"},
    )

    rows = {row.name: row for row in shop.catalogue.list_provider_statuses()}

    assert rows["keyless"].configured
    assert not rows["keyless"].chosen
    assert (rows["keyed"].configured, rows["keyed"].missing) == (False, ("B_ID",))
    assert (rows["either"].configured, rows["either"].any_of) == (False, ("E_URL", "E_LIST"))


def test_one_of_several_settings_is_enough_where_any_will_do() -> None:
    either = spec("either", requires_any=("E_URL", "E_LIST"))
    shop = Shop((either, Scripted()), environ={"E_LIST": "a,b"})

    assert shop.catalogue.is_configured("either")
    assert shop.catalogue.list_provider_statuses()[0].any_of == ()


@requires("web_search.provider_unknown", "provider.unknown")
def test_an_unknown_provider_is_refused_with_every_supported_name_once() -> None:
    shop = Shop((spec("b"), Scripted()), (spec("a"), Scripted()))

    with pytest.raises(InvalidInput, match=r"'nope'\. Supported: a, b\.") as caught:
        shop.catalogue.resolve_provider("nope", Offer.WEB)

    assert caught.value.build_error_block()["alternatives"] == ["a", "b"]


@requires("web_search.provider_unconfigured", "provider.known")
def test_an_unconfigured_provider_names_its_variable_and_the_example_file() -> None:
    shop = Shop((spec("paid", options=keyed("PAID_KEY")), Scripted()), (spec("free"), Scripted()))

    with pytest.raises(Misconfigured, match=r"PAID_KEY \(see \.env\.example") as caught:
        shop.catalogue.resolve_provider("paid", Offer.WEB)

    assert caught.value.build_error_block()["kind"] == "config"
    assert caught.value.alternatives == ("free",)


def test_a_provider_without_the_offer_says_who_has_it() -> None:
    news = spec("newsy", offers=frozenset({Offer.WEB, Offer.NEWS}))
    shop = Shop((spec("plain"), Scripted()), (news, Scripted()))

    with pytest.raises(InvalidInput, match=r"no news search\. Providers that do: newsy"):
        shop.catalogue.resolve_provider("plain", Offer.NEWS)


def test_chosen_providers_come_before_keyless_ones_and_narrow_ones_last() -> None:
    shop = Shop(
        (spec("narrow", covers_whole_web=False, rank=1), Scripted()),
        (spec("free", rank=5), Scripted()),
        (spec("late", rank=40, options=keyed("LATE_KEY")), Scripted()),
        (spec("early", rank=10, options=keyed("EARLY_KEY")), Scripted()),
        (spec("absent", rank=1, options=keyed("ABSENT_KEY")), Scripted()),
        environ={"LATE_KEY": "k", "EARLY_KEY": "k"},
    )

    assert shop.catalogue.list_offering(Offer.WEB) == ("early", "late", "free", "narrow")


def test_the_users_own_documents_count_as_configured_nowhere_and_are_asked_for_by_name() -> None:
    shop = Shop((spec("own", base_url=""), Scripted()), (spec("free"), Scripted()))

    with pytest.raises(InvalidInput) as caught:
        shop.catalogue.resolve_provider("nope", Offer.WEB)

    assert caught.value.alternatives == ("free",)
    assert shop.catalogue.list_offering(Offer.WEB) == ("free",)
    assert [row.name for row in shop.catalogue.list_provider_statuses()] == ["free"]
    assert shop.catalogue.resolve_provider("own", Offer.WEB).name == "own"


def test_google_never_goes_first_by_default_even_with_every_key_set() -> None:
    keys = {
        option.env: "value"
        for name in providers.NAMES
        for option in providers.load(name).SPEC.options
        if option.secret or option.required
    }
    catalogue = ProviderCatalogue(Settings(raw=keys), lambda _spec, _options: object())

    chosen = [
        name for name in catalogue.list_offering(Offer.WEB) if catalogue.is_explicitly_chosen(name)
    ]

    assert chosen[-1] == "google"
    assert len(chosen) > 1


def test_without_any_key_the_real_catalogue_still_offers_web_search(tmp_path: Path) -> None:
    settings = config.load_settings({"CITEWELL_CONFIG": str(tmp_path / "none.toml")})
    catalogue = ProviderCatalogue(settings, lambda _spec, _options: object())

    able = catalogue.list_offering(Offer.WEB)

    assert able[0] == "duckduckgo"
    assert {"wikipedia", "hackernews"} <= set(able)


def test_only_the_specs_that_a_question_needs_are_read() -> None:
    read: list[str] = []

    def load_spec(name: str) -> ProviderSpec:
        read.append(name)
        return providers.load_spec(name)

    catalogue = ProviderCatalogue(Settings(), lambda _spec, _options: object(), load_spec=load_spec)

    catalogue.resolve_provider("hackernews", Offer.WEB)

    assert read == ["hackernews"]


@pytest.mark.parametrize("name", providers.NAMES)
def test_the_written_spec_is_that_of_the_provider(name: str) -> None:
    assert decode_spec(json.loads(json.dumps(encode_spec(providers.load(name).SPEC)))) == (
        providers.load(name).SPEC
    )


def test_a_new_provider_is_one_file_and_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zebra.py").write_text(
        "from citewell.routing.ports import Offer, ProviderOption, ProviderSpec\n"
        "SPEC = ProviderSpec(name='zebra', title='Zebra', homepage='https://zebra.example.com',\n"
        "    base_url='https://api.zebra.example.com', offers=frozenset({Offer.WEB}),\n"
        "    options=(ProviderOption(env='ZEBRA_KEY', help='Key.', required=True),))\n"
        "class Provider:\n"
        "    def __init__(self, kit): self.kit = kit\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(tmp_path)])
    catalogue = ProviderCatalogue(
        Settings(raw={"ZEBRA_KEY": "k"}),
        lambda item, options: providers.load(item.name).Provider(options),  # type: ignore[arg-type]
        names=(*providers.NAMES, "zebra"),
    )

    try:
        row = next(row for row in catalogue.list_provider_statuses() if row.name == "zebra")
        zebra: Any = catalogue.connect_provider("zebra")
    finally:
        sys.modules.pop("citewell.providers.zebra", None)

    assert (row.configured, row.chosen, row.title) == (True, True, "Zebra")
    assert zebra.kit == {"ZEBRA_KEY": "k"}


def router(environ: dict[str, str] | None = None, **settings: Any) -> SearchRouter:
    shop = Shop(
        (spec("duck", rank=20), Scripted()),
        (spec("wiki", rank=60, covers_whole_web=False), Scripted()),
        (spec("paid", rank=10, options=keyed("PAID_KEY"), offers=BOTH), Scripted()),
        (spec("library", rank=90, covers_whole_web=False, base_url=""), Scripted()),
        environ=environ,
        **settings,
    )
    return SearchRouter(shop.settings, shop.catalogue)


def test_without_settings_the_keyless_general_one_leads_and_narrow_ones_stand_by() -> None:
    chain = router().require_chain(Offer.WEB)

    assert (chain.main, chain.spare) == (("duck",), ("wiki",))


def test_a_key_puts_its_provider_first() -> None:
    assert router({"PAID_KEY": "k"}).require_chain(Offer.WEB).main == ("paid", "duck")


def test_search_provider_goes_first_and_the_rest_follow() -> None:
    chain = router({"PAID_KEY": "k"}, search_provider="Wiki").require_chain(Offer.WEB)

    assert chain.main == ("wiki", "paid", "duck")


@requires("web_search.routing")
def test_a_list_is_the_whole_order() -> None:
    chain = router({"PAID_KEY": "k"}, search_routing="wiki, duck,wiki").require_chain(Offer.WEB)

    assert (chain.main, chain.spare) == (("wiki", "duck"), ())


def test_json_gives_a_list_per_capability() -> None:
    text = '{"news": ["paid"], "web": "duck", "default": ["wiki"], "academic": ["openalex"]}'
    routed = router({"PAID_KEY": "k"}, search_routing=text)

    assert routed.require_chain(Offer.WEB).main == ("duck",)
    assert routed.require_chain(Offer.NEWS).main == ("paid",)


def test_a_routed_provider_without_its_key_is_left_out_and_told_of() -> None:
    routed = router(search_routing="paid,duck")

    assert routed.require_chain(Offer.WEB).main == ("duck",)
    assert routed.describe_unusable_choices() == (
        "paid is chosen but not configured: set PAID_KEY.",
    )


def test_a_routing_that_leaves_nobody_names_what_to_set() -> None:
    with pytest.raises(Misconfigured, match="set PAID_KEY"):
        router(search_routing="paid").require_chain(Offer.WEB)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("duck,barve", r"SEARCH_ROUTING names 'barve'.* Supported: duck, library, paid, wiki"),
        ('{"web": ["duck"', "it is not JSON"),
        ('{"webs": ["duck"]}', "'webs' is not a capability"),
        ('{"web": 7}', "'web' must hold provider names"),
        ('{"web": [7]}', "'web' must hold provider names"),
        ('{"web": []}', "'web' is empty"),
        (" , ", "the list is empty"),
        ("[]", "the list is empty"),
    ],
)
def test_a_malformed_routing_is_refused_at_once_with_the_exact_problem(
    text: str, problem: str
) -> None:
    with pytest.raises(Misconfigured, match=problem):
        router(search_routing=text)


def test_an_unknown_search_provider_is_refused_at_once() -> None:
    with pytest.raises(Misconfigured, match="SEARCH_PROVIDER names 'gogle'"):
        router(search_provider="gogle")


@requires("sealed.every_tool")
def test_a_provider_that_may_not_see_queries_is_never_connected() -> None:
    shop = Shop(
        (spec("duck", rank=20), Scripted()),
        (spec("wiki", rank=60, covers_whole_web=False), Scripted()),
        (spec("library", rank=90, base_url=""), Scripted()),
        query_providers=("Wiki",),
    )
    chain = SearchRouter(shop.settings, shop.catalogue).require_chain(Offer.WEB)

    assert (chain.main, chain.spare) == ((), ("wiki",))
    assert shop.catalogue.connect_provider("library")
    with pytest.raises(Misconfigured, match="may see queries on this server: wiki") as unasked:
        shop.catalogue.connect_provider("duck")
    with pytest.raises(Misconfigured, match="may see queries on this server: wiki") as refused:
        shop.catalogue.resolve_provider("duck", Offer.WEB)
    with pytest.raises(Misconfigured, match="may see queries on this server: wiki") as missing:
        SearchRouter(shop.settings, shop.catalogue).require_chain(Offer.NEWS)
    assert unasked.value.suggested_action == "inform_user"
    assert refused.value.suggested_action == "try_different_provider"
    assert missing.value.suggested_action == "inform_user"


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({}, None),
        ({"search_routing": "searxng"}, None),
        ({"profile": "searxng"}, {"searxng"}),
        ({"profile": "searxng", "search_provider": "Brave"}, {"searxng", "brave"}),
        (
            {"profile": "searxng", "search_routing": '{"news": ["gdelt"], "web": "searxng"}'},
            {"searxng", "gdelt"},
        ),
        ({"profile": "searxng", "query_providers": ("brave",)}, {"brave"}),
        ({"query_providers": ("Brave",), "search_routing": "searxng"}, {"brave"}),
    ],
)
def test_the_profile_and_the_settings_say_who_may_see_a_query(
    settings: dict[str, Any], allowed: set[str] | None
) -> None:
    assert find_query_receivers(Settings(**settings)) == allowed
