"""Who gains by a recommendation: what a byline says is found, what it denies or leaves behind is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.trust.tools import verify_recommendation
from tests.requirements import requires

SHOP = "https://www.shopify.com/blog/best-platforms"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("1. Shopify: best for everyone\n2. BigCommerce", SHOP),
        ("Shopify is our top pick", SHOP),
        ("#1 Woo Commerce", "https://woocommerce.com/x"),
        ("Best overall: Shopify", "https://shop.shopify.com/"),
    ],
)
def test_a_brand_that_ranks_itself_first_is_seen(text: str, url: Any) -> None:
    assert verify_recommendation.find_self_promotion(text, url) is not None


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Shopify", SHOP),
        ("1. BigCommerce\n2. Shopify", SHOP),
        ("1. Pineapple computers", "https://www.apple.com/"),
        ("1. Medium is best", "https://medium.com/@somebody/list"),
        ("1. Shopify", "https://reviews.example.org/list"),
        ("1. Shopify", ""),
        ("1. HP", "https://hp.com/"),
    ],
)
def test_a_name_elsewhere_or_a_rank_alone_is_no_self_promotion(text: str, url: Any) -> None:
    assert verify_recommendation.find_self_promotion(text, url) is None


def test_a_list_on_its_winners_own_site_is_seen() -> None:
    titles = ["Acme Desk", "Zen Board", "Blue Sheet"]

    found = verify_recommendation.find_publisher_promotion(
        titles, ["https://acme.example.com/list"] * 3
    )
    elsewhere = verify_recommendation.find_publisher_promotion(
        titles, ["https://news.example.org/list"] * 3
    )

    assert found is None  # example.com is the registrable name, and nobody's brand here
    assert elsewhere is None
    own = verify_recommendation.find_publisher_promotion(
        titles, ["https://blog.acmedesk.io/best"] * 3
    )
    assert own is not None
    assert own.brand == "acmedesk"


def test_items_that_link_to_themselves_are_no_list_of_one_publisher() -> None:
    addresses = ["https://acmedesk.io/", "https://zenboard.io/", "https://bluesheet.io/"]

    assert (
        verify_recommendation.find_publisher_promotion(
            ["Acme Desk", "Zen Board", "Blue Sheet"], addresses
        )
        is None
    )


@pytest.mark.parametrize(
    ("bio", "kind"),
    [
        ("Product Manager at Shopify", "employment"),
        ("Jo writes about retail. Works for Shopify.", "employment"),
        ("Senior engineer @Shopify", "employment"),
        ("at Shopify since 2019", "employment"),
        ("Advisor to Shopify and others", "advisory"),
        ("CEO of Shopify", "employment"),
        ("Shopify employee", "employment"),
        ("Angel investor in Shopify", "equity"),
        ("Holds shares in Shopify", "equity"),
        ("This post was sponsored by Shopify", "funding"),
        ("In partnership with Shopify", "funding"),
        ("Entwicklerin bei Shopify", "employment"),
        ("Travaille chez Shopify", "employment"),
    ],
)
def test_a_tie_that_the_byline_tells_is_seen(bio: str, kind: str) -> None:
    found = verify_recommendation.find_conflict(
        "Shopify, the best shop system", author="J. Doe", bio=bio
    )

    assert found is not None
    assert (found.kind, found.entity) == (kind, "Shopify")
    assert "Shopify" in found.evidence


@requires("verify_recommendation.advisor")
@pytest.mark.parametrize(
    ("bio", "kind", "roles"),
    [
        ("Advisor to Shopify", "advisory", ("advisor",)),
        ("Advises Shopify on growth", "advisory", ("advisor",)),
        ("Berater bei Shopify", "advisory", ("advisor",)),
        ("Advisor to Shopify and investor", "equity", ("advisor", "investor")),
        ("Is an adviser for Shopify, and an angel investor", "equity", ("advisor", "investor")),
        ("Investor in and adviser to Shopify", "equity", ("investor", "advisor")),
        ("Advisor to BigCommerce and investor in Shopify", "equity", ("investor",)),
        ("Former employee of BigCommerce, now advisor to Shopify", "advisory", ("advisor",)),
        ("Has no stake in BigCommerce but is an investor in Shopify", "equity", ("investor",)),
        ("Shopify's investor", "equity", ("investor",)),
        ("She sits on the board of Shopify", "advisory", ("board member",)),
        ("Shopify board member", "advisory", ("board member",)),
        ("Consultant for Shopify", "advisory", ("consultant",)),
        ("Co-founder of Shopify", "equity", ("founder",)),
        ("He founded Shopify in 2006", "equity", ("founder",)),
        ("Owns Shopify stock", "equity", ("shareholder",)),
        ("Has a financial interest in Shopify", "equity", ("shareholder",)),
        ("Received speaker fees from Shopify", "funding", ("speaker",)),
        ("This article contains affiliate links to Shopify", "funding", ("affiliate",)),
        ("Brand ambassador for Shopify", "funding", ("ambassador",)),
        ("Research grant from Shopify", "funding", ("sponsorship",)),
        ("Head of Content at Shopify", "employment", ("employee",)),
        ("Product Manager, Shopify", "employment", ("employee",)),
    ],
)
def test_roles_are_told_apart(bio: str, kind: str, roles: tuple[str, ...]) -> None:
    found = verify_recommendation.find_conflict("Shopify, the best shop system", author="", bio=bio)

    assert found is not None
    assert (found.kind, found.roles, found.entity) == (kind, roles, "Shopify")


@pytest.mark.parametrize(
    "bio",
    [
        "",
        "Has no financial interest in Shopify",
        "Doesn't own shares in Shopify",
        "Neither an investor in nor an advisor to Shopify",
        "Was an advisor to Shopify until 2019",
        "Former board member of Shopify",
        "Sold her stake in Shopify",
        "Stepped down as adviser to Shopify",
        "Hält keine Aktien an Shopify",
        "N'a aucun intérêt dans Shopify",
        "Consultant for Shopify stores",
        "Founder of Shopify agency Foo",
        "Owner of a Shopify store",
        "Shares tips on Shopify",
        "Retail journalist",
        "Former product manager at Shopify",
        "Ex-Shopify engineer",
        "Previously worked at Shopify",
        "Not affiliated with Shopify",
        "Owns no shares in Shopify",
        "Editor at The Example Times",
        "Works at home",
        "Uses Shopify every day",
        "Wrote a book on Shopify",
        "Engineer at BigCommerce",
    ],
)
def test_what_is_denied_over_or_unsaid_is_no_tie(bio: str) -> None:
    assert (
        verify_recommendation.find_conflict("Shopify, the best shop system", author="", bio=bio)
        is None
    )


def test_only_what_the_recommendation_names_counts() -> None:
    bio = "Engineer at BigCommerce"

    assert (
        verify_recommendation.find_conflict("BigCommerce or Shopify", author="", bio=bio)
        is not None
    )
    assert verify_recommendation.find_conflict("the best shop systems", author="", bio=bio) is None


def test_a_name_of_two_words_and_the_domain_count_as_names() -> None:
    bio = "Developer at Blue Sheet"

    found = verify_recommendation.find_conflict("Blue Sheet for tables", author="", bio=bio)
    assert found is not None
    assert found.entity == "Blue Sheet"
    url = "https://acmedesk.io/"
    assert (
        verify_recommendation.find_conflict("a desk", author="", bio="CTO at acmedesk", url=url)
        is not None
    )


def test_a_house_author_is_a_tie() -> None:
    found = verify_recommendation.find_conflict("Shopify", author="Shopify Staff", bio="")

    assert found is not None
    assert (found.kind, found.entity) == ("employment", "Shopify")
    assert verify_recommendation.find_conflict("Shopify", author="Editorial Team", bio="") is None


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_makes_it_fail(title: str, bio: str) -> None:
    verify_recommendation.find_conflict(title, author=bio[:50], bio=bio, url=title)
    verify_recommendation.find_self_promotion(title, bio)
