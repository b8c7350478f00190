"""What a field of a schema asks of a text: which kind of value, of what, and in which unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from citewell.model.domains.field_schema import SchemaField
from citewell.services.domains.structured.field_labels import split_label_words, stem_term
from citewell.text.language import stopwords, tokens
from citewell.text.quantities.units import CURRENCY_CODES, TERSE_UNITS, UNIT_FACTORS


class QuestionKind(StrEnum):
    COUNT = "count"
    MEASURE = "measure"
    PERCENT = "percent"
    MONEY = "money"
    YEAR = "year"
    AGE = "age"
    DATE = "date"


_WORD_ROWS = {
    "money": "price cost costs fee fees revenue income earnings salary wage budget turnover worth fine rent"
    " funding valuation debt profit dividend gross bond tariff spending",
    "share": "percent percentage pct",
    "change": "growth increase decrease rise fall drop change reduction gain",
    "level": "rate share margin",
    "date": "date day",
    "founding": "founded established incorporated",
    # Say nothing about what is counted or measured.
    "generic": "number num count total many much amount size quantity value level year date day time"
    " period whether name age",
    # Speak of the page and not of its subject.
    "page": "article page post text story list lists listed mention mentions mentioned recommended named"
    " stated given author according",
    "plural": "people men women children feet teeth staff aircraft",
    "participle": "sold built made won lost held hurt sent given taken",
}
WORDS = {name: frozenset(row.split()) for name, row in _WORD_ROWS.items()}
# Units that a text writes right after the figure and that are not converted.
_LITERAL_UNITS = {
    "db": "db", "decibel": "db", "decibels": "db", "ohm": "ohm", "ohms": "ohm", "mah": "mah",
    "ah": "ah", "gf": "gf", "mp": "mp", "megapixel": "mp", "megapixels": "mp", "gbps": "gbps",
    "mbps": "mbps", "lumen": "lm", "lumens": "lm", "volt": "v", "volts": "v", "iu": "iu",
}  # fmt: skip
_LAST_UNITS = frozenset(("g", "oz", "ft", "l", "w"))  # as the last word of a name only
_RATES = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annual": "year"}  # fmt: skip
_ALIASES = {"weight": "weigh", "expiri": "expir"}  # stems of one word
_DECLARED_UNIT_PATTERN = re.compile(r"\bin (?:the )?([A-Za-z%]{1,12})\b")
_NAME_PATTERN = re.compile(r"(?<=\s)[A-Z][\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldQuestion:
    """`heads` are stems of what is counted or measured; `named` the stems that a place must have."""

    kind: QuestionKind
    heads: frozenset[str]
    named: frozenset[str]
    context: frozenset[str]  # further stems of the description, of which half must be there
    names: frozenset[str]  # those of the context that are names
    asks_change: bool = False
    unit: str = ""
    scale: Decimal = Decimal(1)
    per: str = ""  # "month" for a price per month, and for a monthly price

    @property
    def terms(self) -> frozenset[str]:
        return self.heads | self.named | self.context


def build_field_question(field: SchemaField) -> FieldQuestion | None:
    """The question of a field with a number or a date; None for other fields."""
    words, per = _split_rate(split_label_words(field.name))
    told = [*tokens.split_words(field.description[:400])]
    unit, scale = find_asked_unit(field)
    kind = _choose_field_kind(field, words, told, unit)
    if kind is None:
        return None
    skipped = WORDS["generic"] | stopwords.list_stopwords("en") | _RATES.keys() | {per}
    skipped |= _list_implied_words(kind) | {
        word for word in (*words, *told) if _is_field_unit(word, unit)
    }
    named = [word for word in words if word not in skipped]
    context = [word for word in told if word not in skipped | WORDS["page"]]
    heads = stem_terms(_find_counted(named, context) if kind is QuestionKind.COUNT else named)
    own = stem_terms(named)
    names = [word.lower() for word in _NAME_PATTERN.findall(field.description)]
    return FieldQuestion(
        kind=kind,
        heads=heads,
        named=own,
        context=stem_terms(context) - heads - own,
        names=stem_terms([word for word in names if word in context]),
        asks_change=bool(WORDS["change"] & {*words, *told}),
        unit=unit,
        scale=scale,
        per=per,
    )


def find_asked_unit(field: SchemaField) -> tuple[str, Decimal]:
    """The unit that the name or "in grams" declares, with its scale; empty without one."""
    words = _split_rate(split_label_words(field.name))[0]
    long = [word for word in words if word not in TERSE_UNITS and word != "year"]
    last = [word for word in words[1:][-1:] if word in _LAST_UNITS]
    declared = [word.lower() for word in _DECLARED_UNIT_PATTERN.findall(field.description)]
    for word in (*long, *last, *declared):
        if (unit := _read_unit(word)) and unit[0] != "x":
            return unit
    return "", Decimal(1)


def drop_unit_words(field: SchemaField) -> str:
    """The name without the unit, as a label on a page has it: weight_grams is the weight."""
    unit = find_asked_unit(field)[0]
    kept = [word for word in split_label_words(field.name) if not _is_field_unit(word, unit)]
    return " ".join(kept) if unit and kept else field.name


def stem_terms(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem_term(word) for word in words if len(word) > 1)


def is_plural(word: str) -> bool:
    plain = word.lower()
    return plain in WORDS["plural"] or (plain.endswith("s") and not plain.endswith("ss"))


def _split_rate(words: Sequence[str]) -> tuple[list[str], str]:
    """The words without "per month" or "monthly", and the time or thing it names."""
    if "per" in words[:-1]:
        place = list(words).index("per")
        return [*words[:place], *words[place + 2 :]], words[place + 1]
    per = next((_RATES[word] for word in words if word in _RATES), "")
    return [word for word in words if word not in _RATES], per


def _choose_field_kind(
    field: SchemaField, words: Sequence[str], told: Sequence[str], unit: str
) -> QuestionKind | None:
    last = [word for word in words if word.isalpha()][-1:]
    if field.type == "string" and not field.choices:
        return QuestionKind.DATE if last == ["date"] else None
    if field.type not in {"integer", "number"} or field.choices or not last:
        return None
    founded = WORDS["founding"] & {*words}
    checks = (
        (QuestionKind.PERCENT, unit == "%" or WORDS["share"] & {*words, *told}),
        (QuestionKind.MONEY, unit in CURRENCY_CODES.values()),
        (QuestionKind.MEASURE, unit),
        (QuestionKind.AGE, "age" in words),
        (QuestionKind.YEAR, "year" in words or founded or [*told[:1]] == ["year"]),
        (QuestionKind.PERCENT, (WORDS["change"] | WORDS["level"]) & {*last}),
        (QuestionKind.MONEY, WORDS["money"] & {*words}),
    )
    return next((kind for kind, holds in checks if holds), QuestionKind.COUNT)


def _list_implied_words(kind: QuestionKind) -> frozenset[str]:
    """Words of a name that the kind of value itself says: an amount of money is a price."""
    if kind is QuestionKind.PERCENT:
        return WORDS["share"] | WORDS["change"] | WORDS["level"]
    return frozenset(("price", "cost", "rate")) if kind is QuestionKind.MONEY else frozenset()


def _read_unit(word: str) -> tuple[str, Decimal] | None:
    literal = _LITERAL_UNITS.get(word) or CURRENCY_CODES.get(word)
    return (literal, Decimal(1)) if literal else UNIT_FACTORS.get(word)


def _is_field_unit(word: str, unit: str) -> bool:
    return bool(unit) and (_read_unit(word) or ("",))[0] == unit


def _find_counted(named: Sequence[str], context: Sequence[str]) -> list[str]:
    """The last noun of the name, and the first plural of the description: "patients", "people"."""
    nouns = list(named)
    while len(nouns) > 1 and (nouns[-1] in WORDS["participle"] or nouns[-1].endswith("ed")):
        nouns.pop()
    return [*nouns[-1:], *[word for word in context if is_plural(word)][:1]]
