from __future__ import annotations

import pytest

from citewell.core import tool_registry as tools
from tests.requirements import requires

HOUR = 3600


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        pytest.param("filing_search", 24 * HOUR, marks=requires("filing_search.cache")),
        pytest.param("legal_search", 24 * HOUR, marks=requires("legal_search.cache")),
        pytest.param("answer", HOUR, marks=requires("answer.cache")),
        pytest.param("structured_search", HOUR, marks=requires("structured_search.cache")),
        pytest.param("patent_search", 24 * HOUR, marks=requires("patent_search.cache")),
        pytest.param("news_search", HOUR // 4, marks=requires("news_search.cache")),
        pytest.param("image_search", HOUR // 2, marks=requires("image_search.cache")),
        pytest.param("clinical_search", 6 * HOUR, marks=requires("clinical_search.cache")),
        pytest.param("econ_search", 6 * HOUR, marks=requires("econ_search.cache")),
        pytest.param("local_search", 6 * HOUR, marks=requires("local_search.cache")),
    ],
)
def test_a_domain_tool_keeps_its_answers_as_long_as_the_spec_says(name: str, seconds: int) -> None:
    tool = tools.load(name)

    assert (tool.toolset, tool.ttl_seconds) == ("domains", seconds)
    assert tool.is_empty_result is not None
