"""Calendar days as sentences write them."""

from __future__ import annotations

import re
from datetime import date

_NAMES = (
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
MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
DATE = re.compile(
    rf"(?<![\w-])(?P<y1>\d{{4}})-(?P<m1>\d\d)-(?P<d1>\d\d)(?!\d)"
    rf"|(?<!\w)(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s+(?:of\s+|de\s+)?(?P<m2>{_MONTH})\.?,?\s+(?:de\s+)?(?P<y2>\d{{4}})(?!\d)"
    rf"|(?<!\w)(?P<m3>{_MONTH})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})(?!\d)"
    r"|(?P<y4>\d{4})年(?P<m4>\d{1,2})月(?P<d4>\d{1,2})日",
    re.IGNORECASE,
)


def read_day(match: re.Match[str]) -> date | None:
    """The day that a match of `DATE` names; None for one the calendar has not."""
    parts = match.groupdict()
    for form in "1234":
        if parts[f"y{form}"]:
            month = parts[f"m{form}"].lower()
            number = int(month) if month.isdigit() else MONTHS[month]
            try:
                return date(int(parts[f"y{form}"]), number, int(parts[f"d{form}"]))
            except ValueError:
                return None
    return None
