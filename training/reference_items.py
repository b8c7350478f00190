"""Works to format as references: recorded ones as CSL-JSON, and books, chapters and papers made of them.

Recorded works are journal articles for the most part. So a share of them is given another kind, with
publishers, places, editors and conferences from the lists here; such a work does not exist, which
does not matter for learning where a title ends.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

from reference_words import (
    CITIES,
    CONFERENCES,
    FAR_PEOPLE,
    FIELDS,
    GIVEN,
    GROUPS,
    HUMANE,
    NEWSPAPERS,
    PAGE_TITLES,
    PUBLISHERS,
    REPORTS,
    SERIES,
    SHORT_WORDS,
    SITES,
    SMALL_WORDS,
    THESES,
    UNIVERSITIES,
    WORDS,
)

from tests.trust import shelf

Item = dict[str, Any]


def recorded_items() -> Iterator[Item]:
    """The recorded works of the evaluation of the trust tools, as CSL items."""
    for number, work in enumerate(shelf.everything()):
        authors = [
            {"literal": who} if isinstance(who, str) else {"given": who[0], "family": who[1]}
            for who in work.authors
        ]
        yield _drop_empty({
            "id": f"w{number}", "type": work.kind, "title": work.title, "author": authors,
            "container-title": work.venue, "volume": work.volume, "issue": work.issue,
            "page": work.pages, "publisher": work.publisher, "DOI": work.doi, "year": work.year,
        })  # fmt: skip


def _drop_empty(item: dict[str, Any]) -> Item:
    return {key: value for key, value in item.items() if value}


def make_far_item(rng: random.Random) -> Item:
    """A made work whose names and title are not in Latin letters."""
    script = rng.choice(("zh", "zh", "ja", "ko", "ru", "ru", "ar"))
    people, words, venues, publishers = (text.split() for text in FAR_PEOPLE[script])
    glue = "" if script in {"zh", "ja"} else " "
    title = glue.join(rng.choice(words) for _ in range(rng.randint(2, 6)))
    start = rng.randint(1, 900)
    return {
        "id": "far", "type": rng.choice(("article-journal", "article-journal", "book")), "title": title[:1].upper() + title[1:],
        "author": [{"literal": name.replace("_", " ")} for name in rng.sample(people, rng.randint(1, 3))],
        "container-title": rng.choice(venues).replace("_", " "), "publisher": rng.choice(publishers).replace("_", " "),
        "publisher-place": {"zh": "北京", "ja": "東京", "ko": "서울", "ru": "Москва", "ar": "القاهرة"}[script],
        "volume": str(rng.randint(1, 90)), "issue": str(rng.randint(1, 12)), "page": f"{start}-{start + 9}",
        "issued": {"date-parts": [[rng.randint(1950, 2025)]]},
    }  # fmt: skip


def vary_item(item: Item, others: list[Item], rng: random.Random) -> Item:
    """The item with full names and perhaps another kind, dates, pages and a DOI of its own."""
    made = dict(item)
    year = item.get("year") or rng.randint(1950, 2025)
    if rng.random() < 0.3:
        year = rng.randint(1920, 2025)
    date = [year]
    if rng.random() < 0.45:
        date.append(rng.randint(1, 12))
        if rng.random() < 0.5:
            date.append(rng.randint(1, 28))
    made["issued"] = {"date-parts": [date]}
    made.pop("year", None)
    made["author"] = [_name_fully(who, rng) for who in item.get("author", [])][
        : rng.choice((1, 2, 2, 3, 3, 4, 6, 8, 12))
    ]
    if not made["author"] or rng.random() < 0.05:
        made["author"] = [{"literal": rng.choice(GROUPS)}] if rng.random() < 0.7 else []
    kind = rng.choices(
        (
            "article",
            "book",
            "chapter",
            "paper-conference",
            "thesis",
            "report",
            "webpage",
            "news",
            "edited",
        ),
        (54, 12, 9, 11, 2, 3, 5, 2, 2),
    )[0]
    if kind == "article" and item.get("container-title"):
        _finish_article(made, rng)
    else:
        _change_kind(made, "book" if kind == "article" else kind, others, rng)
    if rng.random() > 0.35:
        made.pop("DOI", None)
    return _drop_empty(made)


def _name_fully(who: dict[str, str], rng: random.Random) -> dict[str, str]:
    if "literal" in who:
        return who
    given = who["given"]
    if (
        re.fullmatch(r"(?:\w\.?[ -]?)+", given)
        and len(re.findall(r"\w", given)) < 4
        and rng.random() < 0.8
    ):
        letters = re.findall(r"\w", given)
        first = [name for name in GIVEN if name[0] == letters[0].upper()] or [letters[0] + "."]
        given = " ".join([rng.choice(first), *(f"{letter}." for letter in letters[1:])])
    return {"given": given, "family": who["family"]}


def _finish_article(made: Item, rng: random.Random) -> None:
    made["type"] = "article-journal"
    made.setdefault("volume", str(rng.randint(1, 400)))
    if "issue" not in made and rng.random() < 0.5:
        made["issue"] = str(rng.randint(1, 12))
    if "page" not in made:
        start = rng.randint(1, 9000)
        made["page"] = rng.choice(
            (
                f"{start}-{start + rng.randint(1, 40)}",
                f"{start}",
                f"e{start}",
                f"{start:06d}",
                f"{rng.choice(('aac', 'eab', 'kw', 'L', 'S', 'ciz', 'C'))}{start}",
                f"S{start % 90}-S{start % 90 + 8}",
            )
        )
    made["container-title-short"] = shorten_venue(made["container-title"], rng)
    for field, share in (("issue", 0.1), ("page", 0.05), ("volume", 0.03)):
        if rng.random() < share:
            made.pop(field, None)


def shorten_venue(venue: str, rng: random.Random) -> str:
    words = [word for word in venue.split() if word.lower() not in SMALL_WORDS]
    stop = rng.random() < 0.6
    short = [SHORT_WORDS.get(word, word) for word in words]
    return " ".join(word if stop else word.rstrip(".") for word in short)


def _make_title(rng: random.Random) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: rng.choice(WORDS[found[1]]), rng.choice(HUMANE))


def _change_kind(made: Item, kind: str, others: list[Item], rng: random.Random) -> None:
    for field in ("volume", "issue", "container-title", "publisher", "page"):
        made.pop(field, None)
    made["type"] = {"news": "article-newspaper", "edited": "book"}.get(kind, kind)
    if rng.random() < 0.5:
        made["title"] = _make_title(rng)
    if kind in {"book", "chapter", "edited"}:
        _make_book(made, kind, others, rng)
    elif kind == "paper-conference":
        _make_paper(made, others, rng)
    elif kind in {"thesis", "report"}:
        made |= {
            "publisher": rng.choice(UNIVERSITIES if kind == "thesis" else (*UNIVERSITIES, *GROUPS)),
            "genre": rng.choice(THESES if kind == "thesis" else REPORTS),
            "number": str(rng.randint(1, 900)) if kind == "report" else "",
        }
    else:
        _make_page(made, kind, rng)
    if kind in {"chapter", "paper-conference"} and rng.random() < 0.85:
        start = rng.randint(1, 900)
        made["page"] = f"{start}-{start + rng.randint(3, 40)}"


def _make_book(made: Item, kind: str, others: list[Item], rng: random.Random) -> None:
    publisher, place = rng.choice(PUBLISHERS)
    made |= {"publisher": publisher, "publisher-place": place}
    made["issued"] = {"date-parts": [made["issued"]["date-parts"][0][:1]]}
    if rng.random() < 0.15:
        made["edition"] = str(rng.randint(2, 5))
    if rng.random() < 0.1:
        made |= {
            "collection-title": rng.choice(SERIES),
            "collection-number": str(rng.randint(3, 2000)),
        }
    if rng.random() < 0.08:
        made["volume"] = str(rng.randint(1, 12))
    if kind == "chapter":
        made["container-title"] = (
            _make_title(rng) if rng.random() < 0.7 else rng.choice(others)["title"]
        )
        made["editor"] = [_name_fully(who, rng) for who in rng.choice(others).get("author", [])][:3]
    elif kind == "edited":
        made["editor"] = made.pop("author")


def _make_paper(made: Item, others: list[Item], rng: random.Random) -> None:
    publisher, place = rng.choice(PUBLISHERS)
    year = made["issued"]["date-parts"][0][0]
    acronym = "".join(rng.choice("ACDEGILMNOPRSTV") for _ in range(rng.randint(3, 6)))
    made["container-title"] = rng.choice(CONFERENCES).format(
        nth=rng.choice(("2nd", "3rd", "5th", "11th", "21st", "Ninth", "Third", "Fourteenth", "23rd")),
        field=rng.choice(FIELDS), acronym=acronym, year=year, short=str(year)[-2:])  # fmt: skip
    if rng.random() < 0.6:
        made |= {"publisher": publisher, "publisher-place": place}
    if rng.random() < 0.4:
        made["event-place"] = rng.choice(CITIES)
    if rng.random() < 0.15:
        made["editor"] = [_name_fully(who, rng) for who in rng.choice(others).get("author", [])][:2]
    if rng.random() < 0.15:
        made |= {
            "collection-title": "Lecture Notes in Computer Science",
            "volume": str(rng.randint(100, 9000)),
        }


def _make_page(made: Item, kind: str, rng: random.Random) -> None:
    made["container-title"] = rng.choice(NEWSPAPERS if kind == "news" else (*GROUPS, *SITES))
    made["URL"] = (
        f"https://www.example.org/{rng.choice(FIELDS).split()[0].lower()}/{rng.randint(1, 99999)}"
    )
    made["accessed"] = {
        "date-parts": [[rng.randint(2005, 2025), rng.randint(1, 12), rng.randint(1, 28)]]
    }
    if kind == "news":
        year = made["issued"]["date-parts"][0][0]
        made["issued"] = {"date-parts": [[year, rng.randint(1, 12), rng.randint(1, 28)]]}
        made.pop("URL") if rng.random() < 0.5 else None
        return
    made["title"] = made["title"] if rng.random() < 0.4 else rng.choice(PAGE_TITLES)
    if rng.random() < 0.5:
        made["author"] = [] if rng.random() < 0.4 else [{"literal": rng.choice(GROUPS)}]
    if rng.random() < 0.4:
        made.pop("issued")
