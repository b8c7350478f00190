"""Quantities in normalized units, whether two can be the same value, and the names of units and currencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

DOZEN = Decimal(12)
MAGNITUDE_FACTORS: dict[str, Decimal] = {
    name: Decimal(10) ** power
    for power, names in {
        2: "hundred hundert",
        3: "thousand tausend mil mille tsd tys тыс k",
        6: "million millions mio mln mn millionen millón millones milione milioni miljoen miljoner milhão"
        " milhões millioner миллион миллиона миллионов млн m",
        9: "billion billions bn mrd milliarde milliarden milliard milliards miliardo miliardi miljard"
        " miljarder миллиард миллиарда миллиардов млрд b",
        12: "trillion trillions tn trn billionen billón billones триллион триллионов трлн",
    }.items()
    for name in names.split()
} | dict.fromkeys(["dozen", "dutzend", "douzaine", "douzaines", "docena", "docenas"], DOZEN)
# Magnitudes only after an amount with a currency sign: elsewhere m and b mean something else.
SHORT_MAGNITUDES = frozenset(("k", "m", "b"))
CJK_MAGNITUDE_FACTORS = {"千": Decimal(1000), "万": Decimal(10**4), "萬": Decimal(10**4), "億": Decimal(10**8), "亿": Decimal(10**8), "兆": Decimal(10**12)}  # fmt: skip

_CURRENCY_NAME_ROWS = {
    "usd": "$ us$ usd dollar dollars dólares dollari",
    "eur": "€ eur euro euros",
    "gbp": "£ gbp pound pounds sterling",
    "jpy": "¥ jpy yen 円",
    "cny": "cny rmb yuan renminbi 元",
    "inr": "₹ inr rupee rupees",
    "chf": "chf franken francs",
    "krw": "₩ krw won",
    "rub": "₽ rub rouble roubles ruble rubles руб рублей",
    "cad": "c$ cad",
    "aud": "a$ aud",
}
_MEASURE_NAME_ROWS: dict[str, dict[str, str]] = {
    "%": {"1": "% percent pct prozent percento porcentaje procent процент процентов процента ％"},
    "pp": {"1": "pp"},
    "m": {
        "1": "m metre metres meter meters metern mètre mètres metro metros",
        "1000": "km kilometre kilometres kilometer kilometers kilometern kilomètres kilómetros",
        "0.01": "cm centimetre centimetres centimeter centimeters zentimeter zentimetern centimètres centímetros",
        "0.001": "mm millimetre millimetres millimeter millimeters millimetern millimètres milímetros",
        "0.000001": "µm μm micrometre micrometres micrometers",
        "0.000000001": "nm nanometre nanometres nanometers",
        "1609.344": "mile miles mi",
        "0.3048": "ft foot feet",
        "0.0254": "inch inches",
        "0.9144": "yard yards",
    },
    "g": {
        "1": "g gram grams gramme grammes gramm gramos",
        "1000": "kg kilogram kilograms kilogramme kilogrammes kilo kilos kilogramm kilogramos",
        "0.001": "mg milligram milligrams",
        "0.000001": "µg μg mcg microgram micrograms",
        "1000000": "t tonne tonnes ton tons tonnen",
        "453.59237": "lb lbs",
        "28.349523125": "oz ounce ounces",
    },
    "l": {
        "1": "l litre litres liter liters litern litro litros",
        "3.785411784": "gallon gallons",
        "0.001": "ml millilitre millilitres milliliters milliliter mililitros",
    },
    "b": {
        "1": "byte bytes", "1000": "kb kilobyte kilobytes", "1000000": "mb megabyte megabytes",
        "1000000000": "gb gigabyte gigabytes", "1000000000000": "tb terabyte terabytes",
    },
    "wh": {
        "1": "wh", "1000": "kwh", "1000000": "mwh", "1000000000": "gwh", "1000000000000": "twh",
    },
    "w": {
        "1": "w watt watts", "1000": "kw kilowatt kilowatts", "1000000": "mw megawatt megawatts",
        "1000000000": "gw gigawatt gigawatts", "1000000000000": "tw",
    },
    "kcal": {"1": "kcal kilocalorie kilocalories calorie calories kalorie kalorien calorías", "0.239005736": "kj"},
    "hz": {"1": "hz", "1000": "khz", "1000000": "mhz", "1000000000": "ghz"},
    "day": {
        "1": "day days tag tage tagen kalendertag kalendertage kalendertagen jour jours día días",
        "7": "week weeks workweek workweeks woche wochen semaine semaines semana semanas",
    },
    "hour": {"1": "hour hours hr hrs h stunde stunden heure heures hora horas"},
    "minute": {"1": "minute minutes min mins minuten minuto minutos"},
    "second": {
        "1": "second seconds s sec secs sekunde sekunden seconde secondes segundo segundos",
        "0.001": "ms millisecond milliseconds",
    },
    "month": {"1": "month months monat monate monaten mois meses"},
    "year": {
        "1": "year years yr yrs jahr jahre jahren an ans année années año años", "10": "decade decades jahrzehnt jahrzehnte jahrzehnten décennie décennies década décadas",
        "100": "century centuries jahrhunderte jahrhunderten siècles siglos",
    },
    "°c": {"1": "°c celsius"},
    "°k": {"1": "°k kelvin"},
    "°f": {"1": "°f fahrenheit"},
    "km/h": {"1": "km/h kmh kph", "1.609344": "mph"},
    "m²": {
        "1": "m² m2 sqm quadratmeter quadratmetern", "1000000": "km² km2 sqkm quadratkilometer quadratkilometern",
        "10000": "ha hectare hectares hektar hectárea hectáreas", "4046.8564224": "acre acres", "0.09290304": "ft² ft2 sqft",
    },
    "x": {"1": "times fold mal fois veces"},
}  # fmt: skip

# German adjectives for lengths of time: "vierwöchig", "12-monatig".
TIME_ADJECTIVES = {
    f"{stem}{ending}": (unit, Decimal(factor))
    for stem, (unit, factor) in {
        "minütig": ("minute", 1), "stündig": ("hour", 1), "tägig": ("day", 1), "wöchig": ("day", 7),
        "monatig": ("month", 1), "jährig": ("year", 1),
    }.items()
    for ending in ("", "e", "em", "en", "er", "es")
}  # fmt: skip
UNIT_FACTORS: dict[str, tuple[str, Decimal]] = {
    name: (unit, Decimal(factor))
    for unit, scales in _MEASURE_NAME_ROWS.items()
    for factor, names in scales.items()
    for name in names.split()
} | TIME_ADJECTIVES
MEASURE_UNITS = frozenset(unit for unit, _ in UNIT_FACTORS.values())
CURRENCY_CODES = {
    name: unit for unit, names in _CURRENCY_NAME_ROWS.items() for name in names.split()
}
# Areas and cents: words for a unit in two words, or for a part of a currency.
SQUARE_FACTORS = {
    name: Decimal(factor) ** 2
    for factor, names in _MEASURE_NAME_ROWS["m"].items()
    for name in names.split()
} | {"in": Decimal("0.0254") ** 2, "yd": Decimal("0.9144") ** 2}
CENT_FACTOR = Decimal("0.01")
# Too short or too common to be units anywhere but directly after a figure.
_TERSE_UNIT_LIST = "m g l b w s h t in an mi ft oz min won mal times second seconds x k"
TERSE_UNITS = frozenset(_TERSE_UNIT_LIST.split())
# Directly after a figure these say that it is no year; "1990 an" and "2015 in" say nothing.
UNITS_OF_NO_YEAR = frozenset(
    name
    for name, (unit, _) in UNIT_FACTORS.items()
    if unit in {"m", "g", "l", "wh", "w", "hz", "%", "°c", "°f", "km/h", "m²"}
    and (name == "m" or name not in TERSE_UNITS)
)
# Every unit that a parsed value can have.
VALUE_UNITS = frozenset((*_MEASURE_NAME_ROWS, *_CURRENCY_NAME_ROWS))

_PLAIN_DEGREES = frozenset({"degre", "degré", "grad", "grado"})  # as stems
_SCALED_DEGREES = frozenset({"°c", "°f"})
YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT = "year#", "date", "ordinal"
_FIXED_UNITS = (
    MEASURE_UNITS | frozenset(CURRENCY_CODES.values()) | {YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedQuantity:
    """A value or range in one unit; `start` and `end` are its offsets in the text."""

    low: Decimal
    high: Decimal
    unit: str  # %, usd, m, day …; year# for a calendar year, a stem for counted things, or empty
    text: str
    start: int
    end: int
    precision: Decimal  # value of the last digit given: 100 million for "8.1 billion"
    scale: Decimal = Decimal(1)  # by which the figure as written was multiplied for its unit

    def can_equal(self, other: StatedQuantity) -> bool:
        """Whether both can be the same value, at the precision of the less exact one."""
        slack = max(self.precision, other.precision) / 2
        if self.unit in {YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT} or self.precision == other.precision:
            slack = Decimal(0)
        return self.low - slack <= other.high and other.low - slack <= self.high


def has_conflicting_values(
    first: Sequence[StatedQuantity], second: Sequence[StatedQuantity]
) -> bool:
    """Whether the two texts share a unit but no value in it."""
    mine, theirs = _group_by_unit(first), _group_by_unit(second)
    return any(
        not any(own.can_equal(other) for own in mine[unit] for other in theirs[unit])
        for unit in mine.keys() & theirs.keys()
    )


def find_missing_quantities(
    wanted: Iterable[StatedQuantity], held: Iterable[StatedQuantity]
) -> tuple[StatedQuantity, ...]:
    """The wanted quantities for which `held` has no equal value in a comparable unit."""
    there = tuple(held)
    return tuple(
        value for value in wanted if not any(have_equal_values(value, other) for other in there)
    )


def have_equal_values(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both can be the same value in one unit; a figure without a unit is taken as written."""
    first, second = write_alike(value, other)
    return first.can_equal(second) and have_comparable_units(value, other)


def write_alike(
    value: StatedQuantity, other: StatedQuantity
) -> tuple[StatedQuantity, StatedQuantity]:
    """Both as they are written if only one has a unit: "no more than 200" for 200 milligrams."""
    if bool(value.unit) == bool(other.unit):
        return value, other
    return _undo_scale(value), _undo_scale(other)


def _undo_scale(value: StatedQuantity) -> StatedQuantity:
    if value.scale == 1:
        return value
    return replace(
        value,
        low=value.low / value.scale,
        high=value.high / value.scale,
        precision=value.precision / value.scale,
    )


def is_fixed_unit(unit: str) -> bool:
    """Whether a unit is one of measure, money or time, and not the stem of counted things."""
    return unit in _FIXED_UNITS


def have_comparable_units(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether units can match: a missing unit matches any, and counted things may be named differently."""
    if value.unit == other.unit or not value.unit or not other.unit:
        return True
    if _PLAIN_DEGREES & {value.unit, other.unit} and {value.unit, other.unit} & _SCALED_DEGREES:
        return True  # "0.45 degrees" says no scale
    return value.unit not in _FIXED_UNITS and other.unit not in _FIXED_UNITS


def _group_by_unit(found: Iterable[StatedQuantity]) -> dict[str, list[StatedQuantity]]:
    units: dict[str, list[StatedQuantity]] = {}
    for row in found:
        units.setdefault(row.unit, []).append(row)
    return units


def build_exact_quantity(
    value: Decimal, unit: str, text: str, place: tuple[int, int]
) -> StatedQuantity:
    start, end = place
    written, whole = text[start:end], Decimal(1)
    return StatedQuantity(
        low=value, high=value, unit=unit, text=written, start=start, end=end, precision=whole
    )
