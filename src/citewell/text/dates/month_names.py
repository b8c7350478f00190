"""The names of the months in many languages."""

from __future__ import annotations

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
    one for one in (*_MONTH_NUMBERS, *_AMBIGUOUS_MONTH_NUMBERS) if len(one) > 3
) | {"may", "mai"}


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
