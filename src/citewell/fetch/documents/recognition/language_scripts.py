"""Which installed languages may stand on a page, by the script that it is written in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from citewell.text.data_tables import load_table

MAX_LANGUAGES = 3  # each makes recognition slower
_SCRIPT_PATTERN = re.compile(r"^Script: ([A-Za-z]+)", re.MULTILINE)


def is_script_known(languages: Sequence[str]) -> bool:
    """Whether the languages share one script, so that the page need not be asked for its own."""
    return len(languages) < 2 or not _list_non_latin_languages().intersection(languages)


def choose_script_languages(languages: Sequence[str], report: str) -> str:
    """The languages of the script that tesseract reports, as it takes them: `eng+deu`.

    All installed ones, up to a limit, if it reports none, or one that no installed language has.
    """
    found = _SCRIPT_PATTERN.search(report)
    script = found[1] if found else ""
    if script in _load_languages():
        fitting = [name for name in _load_languages()[script] if name in languages]
    elif script:
        fitting = [name for name in languages if name not in _list_non_latin_languages()]
    else:
        fitting = []
    return "+".join((fitting or list(languages))[:MAX_LANGUAGES])


@cache
def _list_non_latin_languages() -> frozenset[str]:
    return frozenset(name for names in _load_languages().values() for name in names)


def _load_languages() -> Mapping[str, Sequence[str]]:
    """By script, tesseract's names of languages that are not written in Latin letters."""
    languages: Mapping[str, Sequence[str]] = load_table(__package__, "script_languages")
    return languages
