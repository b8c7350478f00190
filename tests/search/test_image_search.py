"""Images of scripted providers: filters they lack, real sizes and types, each image once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from citewell.core.errors import CitewellError, InvalidInput, UpstreamUnavailable
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import FoundImage, ImageFilter, ImageQuery
from citewell.routing.ports import Offer
from citewell.routing.provider_panel import ProviderPanel
from citewell.search.domain_search import DomainSearch
from citewell.search.images import ImagesAnswer, ImageSearchQuery, ImageSearchService
from citewell.search.lenses import LensCatalogue
from tests.requirements import requires
from tests.search.doubles import Shop, spec


@dataclass
class Gallery:
    answer: tuple[FoundImage, ...] | CitewellError = ()
    asked: list[ImageQuery] = field(default_factory=list)

    async def search_images(self, query: ImageQuery) -> tuple[FoundImage, ...]:
        self.asked.append(query)
        if isinstance(self.answer, CitewellError):
            raise self.answer
        return self.answer[: query.count]


def museum(name: str, **changes: Any) -> Any:
    return spec(name, offers=frozenset({Offer.IMAGES}), **({"max_images": 200} | changes))


def search(*stock: tuple[Any, Gallery], **request: Any) -> ImagesAnswer:
    shop = Shop(*stock)
    service = ImageSearchService(
        DomainSearch(shop.catalogue, ProviderPanel(shop.catalogue)),
        settings=shop.settings,
        catalogue=shop.catalogue,
        lenses=LensCatalogue(),
    )
    query = ImageSearchQuery(**({"query": "tree"} | request))
    return asyncio.run(service.search_images(query, trace=RoutingTrace()))


def image(name: str, **changes: Any) -> FoundImage:
    given = {"title": name, "link": f"https://img.example.org/{name}"}
    return FoundImage(**(given | changes))


def titles(answer: ImagesAnswer) -> list[str]:
    return [found.title for found in answer.images]


def reports(answer: ImagesAnswer) -> dict[str, str]:
    return {row.filter: row.by for row in answer.filters or ()}


SIZES = (
    image("icon", width=64, height=64),
    image("small", width=400, height=300),
    image("medium", width=1024, height=768),
    image("large", width=1600, height=1200),
    image("huge", width=6000, height=4000),
)


@requires("image_search.size")
@pytest.mark.parametrize(
    ("size", "kept"),
    [
        ("icon", ["icon"]),
        ("small", ["icon", "small"]),
        ("medium", ["medium"]),
        ("large", ["large", "huge"]),
        ("xlarge", ["huge"]),
        ("xxlarge", ["huge"]),
        ("huge", ["huge"]),
    ],
)
def test_a_size_is_checked_on_real_pixels(size: str, kept: list[str]) -> None:
    gallery = Gallery(SIZES)

    answer = search((museum("one"), gallery), size=size, count=5)

    assert titles(answer) == kept
    assert reports(answer) == {"size": "afterwards"}
    assert gallery.asked[0].size is None


def test_an_image_that_states_no_size_is_kept_and_counted() -> None:
    answer = search(
        (museum("one"), Gallery((image("a"), image("b", width=0, height=5)))), size="large"
    )

    assert len(answer.images) == 2
    assert "2 that do not state it were kept" in (answer.filters or ())[0].note  # type: ignore[operator]  # the note is there


@requires("image_search.file_type")
@pytest.mark.parametrize("native", [True, False])
def test_a_file_type_is_checked_by_media_type_or_ending(native: bool) -> None:
    filters = {ImageFilter.FILE_TYPE: frozenset[str]()} if native else {}
    gallery = Gallery(
        (
            image("a.jpg"),
            image("b.PNG?size=.jpg"),
            image("c", media_type="image/png"),
            image("d.png", media_type="image/webp"),
            image("e"),
        )
    )

    answer = search((museum("one", image_filters=filters), gallery), file_type="png")

    assert titles(answer) == ["b.PNG?size=.jpg", "c", "e"]
    assert reports(answer)["file_type"] == ("one" if native else "afterwards")


@requires("image_search.type")
@pytest.mark.parametrize(
    ("kind", "kept", "by"),
    [
        ("photo", ["a.jpg"], "afterwards"),
        ("clipart", ["b.svg", "c.gif"], "afterwards"),
        ("animated", ["c.gif"], "afterwards"),
        ("face", ["a.jpg", "b.svg", "c.gif"], "nobody"),
        ("stock", ["a.jpg", "b.svg", "c.gif"], "nobody"),
    ],
)
def test_a_kind_is_told_by_media_type_or_by_nobody(kind: str, kept: list[str], by: str) -> None:
    gallery = Gallery((image("a.jpg"), image("b.svg"), image("c.gif")))

    answer = search((museum("one"), gallery), type=kind)

    assert titles(answer) == kept
    assert reports(answer) == {"type": by}


@requires("image_search.color_type", "image_search.dominant_color")
def test_colours_are_the_providers_or_nobodys() -> None:
    able = {
        ImageFilter.COLOR_TYPE: frozenset({"gray"}),
        ImageFilter.DOMINANT_COLOR: frozenset[str](),
    }
    gallery = Gallery((image("a"),))

    known = search(
        (museum("one", image_filters=able), gallery), color_type="gray", dominant_color="red"
    )
    unknown = search((museum("one", image_filters=able), gallery), color_type="trans")

    assert reports(known) == {"color_type": "one", "dominant_color": "one"}
    assert (gallery.asked[0].color_type, gallery.asked[0].dominant_color) == ("gray", "red")
    assert reports(unknown) == {"color_type": "nobody"}
    assert gallery.asked[1].color_type is None


@requires("image_search.country", "image_search.safe")
def test_country_language_and_safety_go_to_providers_that_know_them() -> None:
    able = dict.fromkeys(
        (ImageFilter.COUNTRY, ImageFilter.LANGUAGE, ImageFilter.SAFE), frozenset[str]()
    )
    first, second = Gallery((image("a"),)), Gallery((image("b"),))

    answer = search(
        (museum("one", image_filters=able, rank=1), first),
        (museum("two", rank=2), second),
        country="gb", language="en", safe="high",
    )  # fmt: skip

    assert (first.asked[0].country, first.asked[0].language, first.asked[0].safe) == (
        "GB",
        "en",
        "high",
    )
    assert (second.asked[0].country, second.asked[0].safe) == (None, "medium")
    assert {(row.filter, row.by) for row in answer.filters or ()} == {
        *((name, "one") for name in ("country", "language", "safe")),
        *((name, "nobody") for name in ("country", "language", "safe")),
    }


def test_a_lens_keeps_images_on_its_hosts() -> None:
    gallery = Gallery(
        (
            image("a", context="https://www.reuters.com/pictures"),
            image("b", context="https://blog.example.org/"),
            image("c", link="https://img.reuters.com/c.jpg"),
        )
    )

    answer = search((museum("one"), gallery), lens="news")

    assert titles(answer) == ["a", "c"]
    assert reports(answer) == {"lens": "afterwards"}


def test_more_are_asked_for_if_some_will_be_dropped() -> None:
    gallery = Gallery(SIZES)

    search((museum("one", max_images=20), gallery), size="huge", count=10)

    assert gallery.asked[0].count == 20


@requires("image_search.image")
def test_an_image_says_only_what_its_provider_says() -> None:
    bare = image("a", link="https://www.example.org/a.png")

    (found,) = search((museum("one"), Gallery((bare,)))).images

    assert found.to_wire() == {
        "title": "a",
        "link": "https://www.example.org/a.png",
        "displayLink": "example.org",
    }


def test_impossible_sides_are_left_out() -> None:
    odd = image("a", width=-1, height=10**40)

    (found,) = search((museum("one"), Gallery((odd,)))).images

    assert (found.width, found.height) == (None, None)


def test_an_image_of_two_providers_is_listed_once() -> None:
    answer = search(
        (museum("one", rank=1), Gallery((image("a"), image("a?utm_source=x")))),
        (museum("two", rank=2), Gallery((image("a"), image("b")))),
    )

    assert titles(answer) == ["a", "b"]


def test_enough_images_spare_the_next_provider() -> None:
    second = Gallery((image("z"),))

    search((museum("one", rank=1), Gallery(SIZES)), (museum("two", rank=2), second), count=5)

    assert second.asked == []


def test_a_provider_that_fails_is_told_beside_the_images_of_the_next() -> None:
    broken = Gallery(UpstreamUnavailable("down", provider="one"))

    answer = search(
        (museum("one", rank=1), broken), (museum("two", rank=2), Gallery((image("a"),)))
    )

    assert titles(answer) == ["a"]
    assert answer.notes == ("Did not answer: one (upstream_unavailable).",)


def test_all_failing_is_an_error() -> None:
    with pytest.raises(UpstreamUnavailable):
        search((museum("one"), Gallery(UpstreamUnavailable("down", provider="one"))))


@requires("image_search.provider")
def test_a_named_provider_answers_alone() -> None:
    other = Gallery((image("a"),))

    answer = search(
        (museum("one", rank=1), other), (museum("two", rank=2), Gallery()), provider="two"
    )

    assert other.asked == []
    assert answer.hints is not None
    assert answer.hints.reason == "no_match"
    assert answer.hints.suggested_actions == ("try-different-provider: one",)


def test_hints_say_how_many_our_own_filters_removed() -> None:
    answer = search((museum("one"), Gallery((image("a", width=9, height=9),))), size="huge")

    assert answer.hints is not None
    assert answer.hints.reason == "filters_too_restrictive"
    assert answer.hints.filters_applied == ("size",)
    assert "one: our own filters removed 1 of its images." in answer.hints.details


def test_more_than_possible_is_told() -> None:
    answer = search((museum("one", max_images=2), Gallery(SIZES)), count=10)

    assert answer.requested_num_results == 10
    assert answer.notes == ("2 images are the maximum that the provider can return.",)


@pytest.mark.parametrize(
    ("wrong", "explanation"),
    [
        ({"country": "UK"}, "GB"),
        ({"provider": "nobody"}, "Supported: one"),
        ({"query": "\u200b"}, "query is empty"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_right(
    wrong: dict[str, Any], explanation: str
) -> None:
    with pytest.raises(InvalidInput, match=explanation):
        search((museum("one"), Gallery()), **wrong)
