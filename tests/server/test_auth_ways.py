"""Which ways of proving who is calling are configured, and whether their settings fit together."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core import config
from citewell.core.errors import Misconfigured
from citewell.server.http.auth.auth_ways import (
    check_auth_settings,
    choose_audiences,
    list_auth_ways,
)
from citewell.server.http.auth.caller import CallerProof

ISSUER = {"OAUTH_ISSUER_URL": "https://issuer.example.org"}


def load(environ: dict[str, str], **named: Any) -> config.Settings:
    return config.load_settings(environ | named)


def test_each_way_is_listed_if_it_is_configured(environ: dict[str, str]) -> None:
    assert list_auth_ways(load(environ)) == ()
    assert list_auth_ways(load(environ, CITEWELL_API_TOKENS="true")) == (CallerProof.API_TOKEN,)


def test_the_public_address_is_the_audience_if_none_is_named(environ: dict[str, str]) -> None:
    settings = load(environ, **ISSUER, CITEWELL_PUBLIC_URL="https://research.example.org/")

    assert choose_audiences(settings) == ("https://research.example.org/mcp",)


@pytest.mark.parametrize(
    ("named", "missing"),
    [
        ({"OAUTH_AUDIENCE": "https://research.example.org/mcp"}, "need OAUTH_ISSUER_URL"),
        (ISSUER, "needs OAUTH_AUDIENCE"),
        (
            {
                "OAUTH_ISSUER_URL": "http://issuer.example.org",
                "OAUTH_AUDIENCE": "https://a.example.org",
            },
            "must be an https address",
        ),
        ({"CITEWELL_PROXY_USER_HEADER": "x-user"}, "needs CITEWELL_TRUSTED_PROXIES"),
        ({"ENFORCE_SCOPES": "true"}, "no way in which a caller could have scopes"),
    ],
)
def test_settings_that_do_not_fit_together_say_what_to_change(
    environ: dict[str, str], named: dict[str, str], missing: str
) -> None:
    with pytest.raises(Misconfigured, match=missing):
        check_auth_settings(load(environ, **named))
