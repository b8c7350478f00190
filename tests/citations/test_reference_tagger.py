"""References in words of any style: the fields that the tagger finds, and what it must not invent."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from citewell.citations.references import reference_tagger
from citewell.citations.references.prose_references import (
    parse_prose_document,
    parse_prose_reference,
)
from citewell.citations.references.reference_fields import Reference
from citewell.citations.references.reference_tagger import split_reference_tokens
from tests.requirements import requires

MADE = json.loads((Path(__file__).parent / "made.json").read_text("utf-8"))
FLOOR = 0.95  # micro-F1 of the fields
STRICT = {"author", "title", "venue", "year", "volume", "pages"}  # must not be invented


def parse(text: str) -> Reference:
    return parse_prose_reference(text)


def families(found: Reference) -> list[str]:
    return [who.family or who.name for who in found.authors]


@requires("audit_bibliography.prose_fields")
@pytest.mark.parametrize(
    ("text", "people", "title", "venue", "numbers"),
    [
        pytest.param("D. Alder, S. Birch, and K. Cedar. Improving register allocation for subscripted variables. In Proceedings of the Ninth Conference on Programming Language Design, pages 53-65, White Plains, NY, June 1990.",
                     ["Alder", "Birch", "Cedar"], "Improving register allocation for subscripted variables", "Proceedings of the Ninth Conference on Programming Language Design", ("", "", "53-65", 1990), id="abbrv"),
        pytest.param("David Alder and Steve Birch. The cost of shade in large cities. Journal of Urban Forestry, 12(3):145-160, May 1998.",
                     ["Alder", "Birch"], "The cost of shade in large cities", "Journal of Urban Forestry", ("12", "3", "145-160", 1998), id="plain"),
        pytest.param("Alder, D., Birch, S.: Shade and its measurement. In: Cedar, K. (ed.) Advances in Forestry. LNCS, vol. 1234, pp. 12-24. Springer, Heidelberg (2009)",
                     ["Alder", "Birch"], "Shade and its measurement", "Advances in Forestry", ("1234", "", "12-24", 2009), id="lncs"),
        pytest.param("D. Alder, S. Birch, K. Cedar, Measurement of shade in vitro, J. Urban For. 118 (2003) 63-72.",
                     ["Alder", "Birch", "Cedar"], "Measurement of shade in vitro", "J. Urban For", ("118", "", "63-72", 2003), id="elsevier"),
        pytest.param("Alder, D. & Birch, S. Shade in the tropics. Nat. Climate 7, 112–119 (2015).",
                     ["Alder", "Birch"], "Shade in the tropics", "Nat. Climate", ("7", "", "112-119", 2015), id="nature"),
        pytest.param("Alder DB, Birch S, Cedar K, et al. Shade and mortality in older adults: a cohort study. J Shade Med. 2019;21(4):311-320. doi:10.1000/shade.2019.4",
                     ["Alder", "Birch", "Cedar"], "Shade and mortality in older adults: a cohort study", "J Shade Med", ("21", "4", "311-320", 2019), id="ama"),
        pytest.param("David Alder and Steve Birch. 2014. Finding shade with sensors. In Proceedings of the 12th Workshop on Urban Sensing. ACM, New York, NY, USA, 101–110.",
                     ["Alder", "Birch"], "Finding shade with sensors", "Proceedings of the 12th Workshop on Urban Sensing", ("", "", "101-110", 2014), id="acm"),
        pytest.param("Alder D, Birch S (2011) Root growth under pavement. Plant Soil 340:45–58",
                     ["Alder", "Birch"], "Root growth under pavement", "Plant Soil", ("340", "", "45-58", 2011), id="springer"),
        pytest.param("Alder, David: Die Geschichte der Stadtbäume, in: Zeitschrift für Stadtgeschichte 12 (1998), S. 34–56.",
                     ["Alder"], "Die Geschichte der Stadtbäume", "Zeitschrift für Stadtgeschichte", ("12", "", "34-56", 1998), id="german"),
        pytest.param("Alder D., « L'histoire des arbres en ville », dans Birch S. (dir.), La ville et ses arbres, Paris, Armand Colin, 2004, p. 37-51.",
                     ["Alder"], "L'histoire des arbres en ville", "La ville et ses arbres", ("", "", "37-51", 2004), id="french"),
        pytest.param("ALDER, D. Árvores da cidade e a saúde. Revista Brasileira de Ecologia, v. 8, n. 2, p. 15-29, 2012.",
                     ["ALDER"], "Árvores da cidade e a saúde", "Revista Brasileira de Ecologia", ("8", "2", "15-29", 2012), id="abnt"),
    ],
)  # fmt: skip
def test_the_common_styles_are_read(
    text: str, people: list[str], title: str, venue: str, numbers: tuple[str, str, str, int]
) -> None:
    found = parse(text)

    assert families(found) == people
    assert (found.title, found.venue) == (title, venue)
    assert (found.volume, found.issue, found.pages, found.year) == numbers


@pytest.mark.parametrize("others", ["et al.", "Et Al.", "ET AL", "and others"])
def test_et_al_is_nobody(others: str) -> None:
    found = parse(
        f"Alder D, Birch S, {others} Shade in the tropics. J Shade Med. 2019;21(4):311-20."
    )

    assert families(found) == ["Alder", "Birch"]
    assert found.and_others


def plain(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(
        re.findall(r"[^\W_]+", "".join(c for c in flat if not unicodedata.combining(c)))
    )


def agrees(field: str, gold: str, parsed: str) -> bool:
    """Names by their longer words, numbers by their digits, other text within a sixth of its length."""
    if field == "author":
        gold = re.sub(r"\b(?:and|eds?|editors|et al)\b", " ", gold, flags=re.IGNORECASE)
        wanted, got = (
            {word for word in plain(text).split() if len(word) > 1} for text in (gold, parsed)
        )
        return bool(wanted & got) and len(wanted & got) >= 0.8 * max(len(wanted), len(got))
    if field in {"volume", "issue", "pages", "year"}:
        return re.findall(r"\d+", gold)[:1] == re.findall(r"\d+", parsed)[:1]
    wanted_text, got_text = plain(gold), plain(parsed)
    if field == "doi":
        return bool(got_text) and got_text in wanted_text
    short, long = sorted((wanted_text, got_text), key=len)
    return short in long and len(short) > 0.85 * len(long)


@requires("audit_bibliography.prose_fields")
def test_damaged_references_in_many_styles_are_read() -> None:
    counts: Counter[str] = Counter()

    for row in MADE:
        found = parse(row["raw"])
        parsed = {
            "author": " ".join(who.name for who in found.authors), "title": found.title, "venue": found.venue,
            "year": str(found.year or ""), "volume": found.volume, "issue": found.issue, "pages": found.pages,
            "publisher": found.publisher, "doi": found.doi or "",
        }  # fmt: skip
        for field, value in parsed.items():
            gold = row["gold"].get(field, "")
            if gold and value:
                counts["right" if agrees(field, gold, value) else "wrong"] += 2
            elif gold or (value and field in STRICT):
                counts["lost"] += 1

    assert len({row["style"] for row in MADE}) >= 40
    assert counts["right"] / counts.total() >= FLOOR


def test_a_reference_in_arabic_has_its_words_and_year() -> None:
    found = parse("محمد علي. دراسة في تاريخ الأدب العربي. القاهرة: دار المعارف، 1998.")

    assert found.year == 1998
    assert {found.title, *families(found)} - {""}
    assert all(part in found.raw for part in (found.title, found.venue, found.publisher))


def test_authors_may_come_last() -> None:
    found = parse(
        "Shade in the tropics. Alder D, Birch S. Journal of Urban Forestry. 1998;12(3):34-56."
    )

    assert found.title == "Shade in the tropics"
    assert families(found) == ["Alder", "Birch"]


@pytest.mark.parametrize("text", ["1998", "(1998).", "1998, 12"])
def test_a_year_alone_is_no_reference(text: str) -> None:
    assert not parse_prose_document(text).references


def test_a_reference_in_capitals_is_read() -> None:
    found = parse(
        "ALDER, D., AND BIRCH, S. SHADE IN THE TROPICS. JOURNAL OF SHADE 12, 3 (1998), 34-56."
    )

    assert found.year == 1998
    assert [name.upper() for name in families(found)] == ["ALDER", "BIRCH"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5000, "A. " * 1700, "(" * 5000, "1 " * 2500, "“" * 5000, "🌳" * 2000, "Alder, D. 🌳 (2019). Shade 🌴 wins. 🌵",
        "Alder, D. (2019). " + "Shade and trees " * 320 + ". Journal of Shade, 12(3), 4-5.", "\u0301" * 3000, "-" * 5000, "et al. " * 700,
    ],
    ids=str.__len__,
)  # fmt: skip
def test_whatever_comes_is_parsed_and_nothing_is_invented(text: str) -> None:
    found = parse(text)

    parts = [found.title, found.venue, found.publisher, *(who.family for who in found.authors)]
    assert all(word in text for part in parts for word in part.split())


def test_each_token_has_one_label_and_the_tokens_cover_the_text() -> None:
    text = "Alder, D. (2019). Shade wins. Journal of Shade, 12(3), 4–5. https://doi.org/10.1000/x"
    tokens = split_reference_tokens(text)

    labels = reference_tagger.tag_reference_tokens(tokens)

    assert len(labels) == len(tokens)
    assert "".join(token.text for token in tokens) == text.replace(" ", "")
    assert set(labels) <= set(reference_tagger.load_tagger_weights().labels)


def test_the_weights_hold_words_but_no_sentences() -> None:
    names = reference_tagger.load_tagger_weights().features

    assert max(name.count(" ") for name in names) <= 4  # shapes of five tokens, or two words
    assert max(map(len, names)) < 60
