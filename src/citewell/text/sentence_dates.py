"""Calendar dates in running text."""

from __future__ import annotations

import re
from datetime import date

_MONTH_NAME_ROWS = (
    "january jan januar janvier enero gennaio janeiro",
    "february feb februar février febrero febbraio fevereiro",
    "march mar märz mars marzo março",
    "april apr avril abril aprile",
    "may mai mayo maggio maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug août agosto",
    "september sep sept septembre septiembre settembre setembro",
    "october oct okt oktober octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dez dezember décembre diciembre dicembre dezembro",
)
MONTH_NUMBERS = {
    name: number for number, names in enumerate(_MONTH_NAME_ROWS, 1) for name in names.split()
}
_MONTH_NAME_REGEX = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
SENTENCE_DATE_PATTERN = re.compile(
    rf"(?<![\w-])(?P<y1>\d{{4}})-(?P<m1>\d\d)-(?P<d1>\d\d)(?!\d)"
    rf"|(?<!\w)(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s+(?:of\s+|de\s+)?(?P<m2>{_MONTH_NAME_REGEX})\.?,?\s+(?:de\s+)?(?P<y2>\d{{4}})(?!\d)"
    rf"|(?<!\w)(?P<m3>{_MONTH_NAME_REGEX})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})(?!\d)"
    r"|(?P<y4>\d{4})年(?P<m4>\d{1,2})月(?P<d4>\d{1,2})日",
    re.IGNORECASE,
)


def parse_matched_date(match: re.Match[str]) -> date | None:
    """The date of a match of SENTENCE_DATE_PATTERN; None if there is no such day."""
    parts = match.groupdict()
    for form in "1234":
        if parts[f"y{form}"]:
            month = parts[f"m{form}"].lower()
            number = int(month) if month.isdigit() else MONTH_NUMBERS[month]
            try:
                return date(int(parts[f"y{form}"]), number, int(parts[f"d{form}"]))
            except ValueError:
                return None
    return None
