from __future__ import annotations

from typing import cast

import pytest

from citewell.research.planning.provider_choice import ProviderChoice
from citewell.routing.provider_catalogue import ProviderCatalogue


class ModelServer:
    def __init__(self, address: str) -> None:
        self.server_address = address


class OneServer:
    """A catalogue whose every provider is a model server at one address."""

    def __init__(self, address: str) -> None:
        self._address = address

    def connect_provider(self, _name: str) -> ModelServer:
        return ModelServer(self._address)


@pytest.mark.parametrize(
    ("address", "has_proxy", "stays"),
    [
        ("http://127.0.0.1:11434/v1", False, True),
        ("http://127.0.0.1:11434/v1", True, False),
        ("http://192.168.1.2:11434/v1", False, False),
        ("https://models.example.org/v1", False, False),
    ],
)
def test_private_text_stays_only_with_a_loopback_server_that_no_proxy_stands_before(
    address: str, has_proxy: bool, stays: bool
) -> None:
    catalogue = cast("ProviderCatalogue", OneServer(address))

    assert ProviderChoice(catalogue, has_proxy=has_proxy).is_on_this_machine("compatible") is stays
    assert ProviderChoice(catalogue, has_proxy=has_proxy).is_on_this_machine("local")
