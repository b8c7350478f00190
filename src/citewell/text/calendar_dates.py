"""Dates as texts, providers and references write them: days and times, partial dates, names of months."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime

from citewell.core.lazy_patterns import compile_on_use

# Full names, the inflected forms that stand in dates, and abbreviations.
_MONTH_NAME_ROWS = (
    (
        "january jan janv januar jänner janvier enero ene gennaio genn janeiro januari januara januára január januarie"
        " ianuarie gener tammikuu tammikuuta jaanuar styczeń stycznia leden ledna ocak января январь янв січень січня"
        " януари ιανουαρίου ιανουάριος"
    ),
    (
        "february feb febr februar février fevrier fév févr febrero febbraio febbr fevereiro fev februari februara"
        " februára február februarie febrer helmikuu helmikuuta veebruar luty lutego únor února şubat февраля февраль"
        " фев февр лютий лютого февруари φεβρουαρίου φεβρουάριος"
    ),
    (
        "march mar märz maerz marz mrz mars marzo março març maart mrt maret martie marec március"
        " maaliskuu maaliskuuta märts marzec březen března марта март мар березень березня μαρτίου μάρτιος"
    ),
    (
        "april apr avril avr abril abr aprile apríla április aprilie aprill huhtikuu huhtikuuta kwiecień kwietnia"
        " duben dubna nisan апреля апрель апр квітень квітня април απριλίου απρίλιος"
    ),
    (
        "may mai mayo maggio magg maio maig mei maj mája május toukokuu toukokuuta květen května mayıs мая май"
        " травень травня μαΐου μάιος"
    ),
    (
        "june jun juni juin junio giugno giu junho juny iunie júna június kesäkuu kesäkuuta juuni czerwiec czerwca"
        " červen června haziran июня июнь июн червень червня юни ιουνίου ιούνιος"
    ),
    (
        "july jul juli juillet juil julio luglio julho juliol iulie júla július heinäkuu heinäkuuta juuli lipiec"
        " lipca červenec července temmuz июля июль июл липень липня юли ιουλίου ιούλιος"
    ),
    (
        "august aug août aout agosto agost augustus augusti agustus augusztus elokuu elokuuta sierpień"
        " sierpnia srpen srpna ağustos августа август авг серпень серпня αυγούστου αύγουστος"
    ),
    (
        "september sep sept septembre septiembre setiembre settembre sett setembro setembre septembrie septembra"
        " szeptember syyskuu syyskuuta wrzesień września září eylül сентября сентябрь сен сент вересень вересня"
        " септември σεπτεμβρίου σεπτέμβριος"
    ),
    (
        "october oct okt oktober octobre octubre ottobre outubro octombrie októbra október oktoober lokakuu lokakuuta"
        " październik października říjen října ekim октября октябрь окт жовтень жовтня октомври οκτωβρίου"
        " οκτώβριος"
    ),
    (
        "november nov novembre noviembre novembro novembra noiembrie marraskuu marraskuuta listopad listopada"
        " listopadu kasım ноября ноябрь ноя нояб листопад листопада ноември νοεμβρίου νοέμβριος"
    ),
    (
        "december dec dez déc dic dezember décembre decembre diciembre dicembre dezembro desember desembre decembrie"
        " decembra detsember joulukuu joulukuuta grudzień grudnia prosinec prosince aralık декабря декабрь дек"
        " грудень грудня декември δεκεμβρίου δεκέμβριος"
    ),
)
# Forms that are also common words or family names. They are months only between a day and a year.
_AMBIGUOUS_MONTH_NUMBERS = {
    "gen": 1, "marca": 3, "mart": 3, "marts": 3, "maja": 5, "lug": 7, "ago": 8, "augusta": 8, "set": 9,
    "ott": 10, "out": 10, "des": 12,
}  # fmt: skip
# Beginnings of words that only months have, for inflected forms that are not in the rows.
_MONTH_STEM_NUMBERS = {
    "januar": 1, "februar": 2, "septemb": 9, "oktob": 10, "octob": 10, "novemb": 11, "decemb": 12,
    "dezemb": 12, "сентябр": 9, "октябр": 10, "ноябр": 11, "декабр": 12,
}  # fmt: skip
_MONTH_NUMBERS = {
    name: number for number, names in enumerate(_MONTH_NAME_ROWS, 1) for name in names.split()
}
_MONTH_STEM_REGEX = rf"(?:{'|'.join(_MONTH_STEM_NUMBERS)})[^\W\d_]{{0,5}}"
MONTH_NAME_REGEX = "|".join((*sorted(_MONTH_NUMBERS, key=len, reverse=True), _MONTH_STEM_REGEX))
# For a word between a day and a year.
DATED_MONTH_REGEX = "|".join((MONTH_NAME_REGEX, *_AMBIGUOUS_MONTH_NUMBERS))

# Those that are no shortened forms, which may be names of people too.
WHOLE_MONTH_NAMES = frozenset(
    name for name in (*_MONTH_NUMBERS, *_AMBIGUOUS_MONTH_NUMBERS) if len(name) > 3
) | {"may", "mai"}

_ISO_DAY_REGEX = r"(?P<y1>[12]\d{3})-(?P<m1>\d\d)-(?P<d1>\d\d)(?!\d)"
_DAY_FIRST_REGEX = rf"(?P<d2>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?\s+(?:of\s+|de\s+)?(?P<m2>{DATED_MONTH_REGEX})\.?,?\s+(?:de\s+|del\s+)?(?P<y2>\d{{4}})(?!\d)"
# The look-ahead only saves time: few words stand before a number.
_MONTH_FIRST_REGEX = rf"(?<!\w)(?=[^\W\d_]{{3,12}}\.?\s+\d)(?P<m3>{MONTH_NAME_REGEX})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})(?!\d)"
_IDEOGRAPHIC_REGEX = r"(?P<y4>\d{4})\s*[年년]\s*(?P<m4>\d{1,2})\s*[月월]\s*(?P<d4>\d{1,2})\s*[日일]"
SENTENCE_DATE_PATTERN = compile_on_use(
    rf"(?<![\w-]){_ISO_DAY_REGEX}|(?<!\w){_DAY_FIRST_REGEX}|{_MONTH_FIRST_REGEX}|{_IDEOGRAPHIC_REGEX}",
    re.IGNORECASE,
)
# In a byline a date may follow a word without a space, because they are two elements of a page.
_LINE_DATE_PATTERN = compile_on_use(
    rf"(?<!\d){_ISO_DAY_REGEX}|(?<!\d){_DAY_FIRST_REGEX}|{_MONTH_FIRST_REGEX}|{_IDEOGRAPHIC_REGEX}",
    re.IGNORECASE,
)
_NUMERIC_DATE_PATTERN = compile_on_use(r"(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_ISO_BEGINNING_PATTERN = compile_on_use(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_SLASHED_DATE_PATTERN = compile_on_use(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_ZONE_WITHOUT_COLON_PATTERN = compile_on_use(r"([+-]\d{2})(\d{2})$")
_CLOCK_TIME_FORMATS = (
    "%b %d, %Y, %I:%M %p",
    "%m/%d/%Y, %I:%M %p, %z UTC",  # from news engines that copy Google's format
)
_DAYS_PER_UNIT = {
    "s": 1 / 86400, "sec": 1 / 86400, "second": 1 / 86400,
    "m": 1 / 1440, "min": 1 / 1440, "minute": 1 / 1440,
    "h": 1 / 24, "hr": 1 / 24, "hour": 1 / 24,
    "d": 1.0, "day": 1.0,
    "w": 7.0, "wk": 7.0, "week": 7.0,
    "mo": 30.0, "month": 30.0,
    "y": 365.0, "yr": 365.0, "year": 365.0,
}  # fmt: skip
_RELATIVE_AGE_PATTERN = compile_on_use(
    r"(?P<count>\d{1,6}|an?)\s*(?P<unit>[a-z]{1,7}?)s?(?:\s+ago)?", re.IGNORECASE
)
_MAX_MACHINE_CHARS = 64
_MAX_LINE_CHARS = 120
_MAX_PROVIDER_CHARS = 40  # longer text is a sentence, not a date

_YEAR_PATTERN = compile_on_use(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_YEAR_FIRST_PATTERN = compile_on_use(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_MONTH_WORD_PATTERN = compile_on_use(r"[^\W\d_]{3,12}")
_DAY_NUMBER_PATTERN = compile_on_use(r"(?<!\d)([12]\d|3[01]|0?[1-9])(?!\d)")
_MAX_DATE_CHARS = 60
_MAX_PERIOD_CHARS = 40
_PERIOD_YEAR_PATTERN = compile_on_use(r"(\d{4})(?:-?A1?)?")
_DAY_PATTERN = compile_on_use(r"(\d{4})-(\d\d)-(\d\d)(?:T[\d:.]{1,20}Z?)?")
_PART_PATTERN = compile_on_use(r"(\d{4})\s?-?\s?([QMSHWBT])-?(\d{1,2})", re.IGNORECASE)
_PART_FIRST_PATTERN = compile_on_use(r"([QMSH])(\d{1,2})[- /](\d{4})", re.IGNORECASE)
_MONTH_PATTERN = compile_on_use(r"(\d{4})-(\d\d)")
_SPAN_PATTERN = compile_on_use(r"(\d{4})\s?[-/]\s?(\d{4})")
# How many months a part of a year has, and in which form it is written.
_MONTHS_BY_PART = {"M": 1, "Q": 3, "T": 4, "S": 6, "H": 6, "B": 6}
_WEEK = "W"


def parse_partial_date(text: str) -> str:
    """The first date of the text, as exact as it is written; empty if the text has no year.

    1998 Dec-1999 Jan is 1998-12, 2000 Spring is 2000.
    """
    words = text[:_MAX_DATE_CHARS]
    year = _YEAR_PATTERN.search(words)
    if year is None:
        return ""
    if (numbers := _YEAR_FIRST_PATTERN.match(words, year.start())) is not None:
        return build_partial_date(int(numbers[1]), int(numbers[2]), int(numbers[3] or 0))
    month = _find_named_month(words)
    if not month:
        return find_written_date(words) or year[1]
    day = _DAY_NUMBER_PATTERN.search(words[: year.start()] + words[year.end() :])
    return build_partial_date(int(year[1]), month, int(day[1]) if day else 0)


def build_partial_date(year: int, month: int = 0, day_of_month: int = 0) -> str:
    """An ISO date of the valid parts: the year, with month and day if the calendar has them."""
    if not 1 <= month <= 12:
        return f"{year:04}"
    try:
        return date(year, month, day_of_month).isoformat()
    except ValueError:
        return f"{year:04}-{month:02}"


def parse_month_number(text: str) -> int:
    """The month of a number, or of the first month named in the text; 0 for anything else."""
    if text.isascii() and text.isdigit() and len(text) < 3:
        return int(text)
    return _find_named_month(text)


def extract_year(iso_date: str | None) -> int | None:
    """The year of an ISO date; None if there is no date."""
    year = (iso_date or "")[:4]
    return int(year) if year.isdecimal() else None


def _find_named_month(text: str) -> int:
    return next(filter(None, map(find_month_number, _MONTH_WORD_PATTERN.findall(text))), 0)


# Parses days and times in machine form, written out in many languages, or relative to now.


def parse_machine_date(value: object) -> str | None:
    """A date or time in ISO, slashed or email form, as ISO text; None for anything else."""
    if not isinstance(value, str):
        return None
    found = _parse_machine_time(value.strip()[:_MAX_MACHINE_CHARS])
    return found.isoformat() if found else None


def parse_declared_date(value: object) -> str | None:
    """A date in a field for dates, in machine form or written out, as ISO text; None if it is neither."""
    if not isinstance(value, str):
        return None
    return parse_machine_date(value) or find_written_date(value)


def parse_document_date(text: str | None) -> str | None:
    """Like `parse_declared_date`, but an ISO date or time at the start is returned as it is written."""
    match = _ISO_BEGINNING_PATTERN.match((text or "").strip())
    return match.group() if match else parse_declared_date(text)


def find_written_date(text: str) -> str | None:
    """The first date in a short line such as a byline, as ISO text; None for long texts."""
    if len(text) > _MAX_LINE_CHARS:
        return None
    found = map(parse_matched_date, _LINE_DATE_PATTERN.finditer(text))
    day = next((day for day in found if day), None) or _find_numeric_date(text)
    return day.isoformat() if day else None


def parse_matched_date(match: re.Match[str]) -> date | None:
    """The date of a match of SENTENCE_DATE_PATTERN; None if there is no such day."""
    parts = match.groupdict()
    for form in "1234":
        if parts[f"y{form}"]:
            month = parts[f"m{form}"]
            number = (
                int(month) if month.isdigit() else find_month_number(month, after_day=form == "2")
            )
            return _build_date(parts[f"y{form}"], number, parts[f"d{form}"])
    return None


def parse_provider_date(text: str | None, *, now: datetime) -> datetime | None:
    """Parse RFC 3339, RFC 1123, "Jan 2, 2006", "3 maart 2021", "3 days ago", "2h" or "yesterday"; else None."""
    words = " ".join((text or "").split())
    if not words or len(words) > _MAX_PROVIDER_CHARS:
        return None
    for reader in (_parse_machine_time, _parse_whole_date, _parse_clock_time):
        if (found := reader(words)) is not None:
            return _convert_to_utc(found)
    return _parse_relative_date(words.lower(), now)


def _parse_machine_time(text: str) -> date | datetime | None:
    """A `date` if the text has no time of day."""
    slashed = _SLASHED_DATE_PATTERN.match(text)
    if slashed:
        text = f"{slashed[1]}-{slashed[2]:0>2}-{slashed[3]:0>2}{text[slashed.end() :]}"
    text = _ZONE_WITHOUT_COLON_PATTERN.sub(r"\1:\2", text) if "T" in text else text
    return _parse_iso_day(text) or _parse_iso_time(text) or _parse_email_time(text)


def _parse_iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if "-" in text else None
    except ValueError:
        return None


def _parse_iso_time(text: str) -> datetime | None:
    if "-" not in text[:8]:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _parse_email_time(text: str) -> datetime | None:
    if ":" not in text:  # RFC 1123 always has a time; without one the standard library guesses
        return None
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _parse_whole_date(words: str) -> date | None:
    match = _LINE_DATE_PATTERN.fullmatch(words)
    return parse_matched_date(match) if match else None


def _parse_clock_time(words: str) -> datetime | None:
    for pattern in _CLOCK_TIME_FORMATS:
        try:
            return datetime.strptime(words, pattern)  # noqa: DTZ007 - parse_provider_date makes it UTC
        except ValueError:
            continue
    return None


def _parse_relative_date(words: str, now: datetime) -> datetime | None:
    if words in {"today", "just now", "now"}:
        return now
    if words == "yesterday":
        return now - timedelta(days=1)
    match = _RELATIVE_AGE_PATTERN.fullmatch(words)
    unit = _DAYS_PER_UNIT.get(match["unit"]) if match else None
    if match is None or unit is None:
        return None
    count = int(match["count"]) if match["count"].isdigit() else 1
    try:
        return now - timedelta(days=count * unit)
    except OverflowError:
        return None


def _find_numeric_date(text: str) -> date | None:
    """A numeric date; None if day and month cannot be told apart, as in 3/4/2026."""
    match = _NUMERIC_DATE_PATTERN.search(text)
    if match is None:
        return None
    first, sign, second, year = match.groups()
    if sign == "." or int(first) > 12:
        return _build_date(year, int(second), first)
    return _build_date(year, int(first), second) if int(second) > 12 else None


def _build_date(year: str, month: int, day: str) -> date | None:
    try:
        return date(int(year), month, int(day))
    except ValueError:
        return None


def _convert_to_utc(found: date) -> datetime | None:
    """The moment in UTC; a day alone, or a time without a zone, is taken as UTC."""
    moment = found if isinstance(found, datetime) else datetime.combine(found, time.min, UTC)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:  # year 1 or 9999, moved out of range by the time zone
        return None


# The names of the months in many languages.


def find_month_number(word: str, *, after_day: bool = False) -> int:
    """The number of the month that the word names, in any language; 0 if it names none.

    `after_day` says that a day stands before the word, so that "out" and "set" can be months.
    """
    name = word.lower()
    if found := _MONTH_NUMBERS.get(name, 0):
        return found
    if after_day and name in _AMBIGUOUS_MONTH_NUMBERS:
        return _AMBIGUOUS_MONTH_NUMBERS[name]
    return next(
        (number for stem, number in _MONTH_STEM_NUMBERS.items() if name.startswith(stem)), 0
    )


# Periods as statistical offices write them: a day, week, month, quarter, half-year or year.


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPeriod:
    """A period with its first and last day, in ISO 8601; both are empty if it cannot be read."""

    text: str
    first_day: str = ""
    last_day: str = ""


def parse_stated_period(text: str) -> StatedPeriod:
    """The period, in one form for all offices: 2024, 2024-S1, 2024-Q1, 2024-03, 2024-W09, 2024-03-31.

    A text that is none of these keeps its own form, without days.
    """
    stated = text.strip()[:_MAX_PERIOD_CHARS]
    try:
        return _parse_period(stated) or StatedPeriod(text=stated)
    except (ValueError, OverflowError):  # a month 13, a week 54, the year 0
        return StatedPeriod(text=stated)


def _parse_period(stated: str) -> StatedPeriod | None:
    if match := _PERIOD_YEAR_PATTERN.fullmatch(stated):
        return _build_months(match[1], int(match[1]), 1, 12)
    if match := _DAY_PATTERN.fullmatch(stated):
        day = date(int(match[1]), int(match[2]), int(match[3])).isoformat()
        return StatedPeriod(text=day, first_day=day, last_day=day)
    if match := _MONTH_PATTERN.fullmatch(stated):
        return _build_months(stated, int(match[1]), int(match[2]), 1)
    if match := _PART_PATTERN.fullmatch(stated):
        return _build_part(int(match[1]), match[2].upper(), int(match[3]))
    if match := _PART_FIRST_PATTERN.fullmatch(stated):
        return _build_part(int(match[3]), match[1].upper(), int(match[2]))
    if match := _SPAN_PATTERN.fullmatch(stated):
        return StatedPeriod(
            text=stated,
            first_day=date(int(match[1]), 1, 1).isoformat(),
            last_day=date(int(match[2]), 12, 31).isoformat(),
        )
    return None


def _build_part(year: int, part: str, number: int) -> StatedPeriod:
    if part == _WEEK:
        first = date.fromisocalendar(year, number, 1)
        last = first + timedelta(days=6)
        return StatedPeriod(
            text=f"{year}-W{number:02}", first_day=first.isoformat(), last_day=last.isoformat()
        )
    months = _MONTHS_BY_PART[part]
    text = f"{year}-{number:02}" if part == "M" else f"{year}-{part}{number}"
    return _build_months(text, year, (number - 1) * months + 1, months)


def _build_months(text: str, year: int, month: int, count: int) -> StatedPeriod:
    end = month + count - 1
    last = date(year, end, monthrange(year, end)[1])
    return StatedPeriod(
        text=text, first_day=date(year, month, 1).isoformat(), last_day=last.isoformat()
    )


def format_utc_time(seconds: float) -> str:
    """Seconds since the epoch as an ISO 8601 time, such as 2026-01-31T08:00:00Z."""
    shown = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return shown.replace("+00:00", "Z")
