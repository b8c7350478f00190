from __future__ import annotations

from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.routing.ports import Offer
from citewell.routing.provider_catalogue import find_query_receivers
from citewell.routing.provider_chains import SearchRouter
from tests.requirements import requires
from tests.search.doubles import Scripted, Shop, keyed, spec

BOTH = frozenset({Offer.WEB, Offer.NEWS})


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
