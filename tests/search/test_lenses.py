from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewell.core.errors import InvalidInput
from citewell.search.lenses import LensCatalogue
from citewell.text import addresses

FIELDS = (
    "academic biomed clinical medical legal finance government news tech programming docs security"
    " devops science education standards statistics patents humanities investigative_records"
    " curriculum osint awesome-lists academic-extended programming-goggle"
)


def write(directory: Path, name: str, body: object) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    (directory / name).write_text(text, encoding="utf-8")


def test_every_promised_field_has_a_lens() -> None:
    assert set(FIELDS.split()) <= set(LensCatalogue().list_lens_names())


def test_each_bundled_lens_lists_ten_to_thirty_distinct_hosts_and_says_what_it_is() -> None:
    for lens in LensCatalogue().list_lenses():
        assert 10 <= len(lens.domains) <= 30, lens.name
        assert len(set(lens.domains)) == len(lens.domains), lens.name
        assert lens.description.endswith("."), lens.name


def test_no_bundled_lens_names_a_host_twice_by_way_of_its_subdomain() -> None:
    for lens in LensCatalogue().list_lenses():
        for name in lens.domains:
            above = [
                other
                for other in lens.domains
                if other != name and addresses.is_within_domain(name, other)
            ]
            assert not above, (lens.name, name, above)


def test_an_unknown_lens_is_refused_with_the_list() -> None:
    with pytest.raises(InvalidInput, match=r"no lens 'astrology'\. Available: academic,"):
        LensCatalogue().resolve_lens("astrology")


def test_a_lens_is_found_whatever_its_case() -> None:
    assert LensCatalogue().resolve_lens(" Legal ").name == "legal"


def test_a_custom_lens_is_added_and_another_replaces_a_bundled_one(tmp_path: Path) -> None:
    write(tmp_path, "mine.json", {"name": "mine", "domains": ["Example.org"], "cx": "abc"})
    write(tmp_path, "news.json", {"name": "news", "domains": ["example.com"]})

    lenses = LensCatalogue(tmp_path)

    assert lenses.resolve_lens("mine").domains == ("example.org",)
    assert lenses.resolve_lens("mine").required_provider == "google"
    assert lenses.resolve_lens("news").domains == ("example.com",)
    assert lenses.warnings == ()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("{not json", "is not JSON"),
        ("[]", "not a JSON object"),
        ({"name": "x", "domains": "example.org"}, "domains is not a list"),
        ({"name": "x", "domains": ["exa mple"]}, "'exa mple' in domains is not a domain"),
        ({"name": "x", "domains": [7]}, "7 in domains is not a domain"),
        ({"name": "x"}, "neither domains, cx nor goggle"),
        ({"name": "X y", "domains": ["example.org"]}, "name 'X y'"),
        ({"name": "x", "domains": ["example.org"], "cx": 3}, "cx is not text"),
    ],
)
def test_a_broken_custom_file_is_named_and_the_others_still_work(
    tmp_path: Path, body: object, problem: str
) -> None:
    write(tmp_path, "bad.json", body)
    write(tmp_path, "good.json", {"domains": ["example.org"]})

    lenses = LensCatalogue(tmp_path)

    assert lenses.resolve_lens("good").domains == ("example.org",)
    [warning] = lenses.warnings
    assert warning.startswith("CUSTOM_LENSES_PATH: bad.json was left out:")
    assert problem in warning


def test_a_file_that_is_not_utf8_is_a_warning_too(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_bytes(b'{"name": "\xff\xfe"}')

    assert "odd.json" in LensCatalogue(tmp_path).warnings[0]


def test_a_missing_directory_is_a_warning(tmp_path: Path) -> None:
    lenses = LensCatalogue(tmp_path / "absent")

    assert lenses.resolve_lens("legal").domains
    assert "not a directory" in lenses.warnings[0]


def test_a_lens_of_only_a_goggle_needs_brave(tmp_path: Path) -> None:
    write(tmp_path, "g.json", {"goggle": "https://example.org/x.goggle"})

    assert LensCatalogue(tmp_path).resolve_lens("g").required_provider == "brave"
    assert LensCatalogue().resolve_lens("programming-goggle").required_provider is None
