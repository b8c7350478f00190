"""Names that the best passages bring up and the question does not: where a two-step question leads on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from citewell.text.language import stopwords
from citewell.text.passages.page_units import PageUnit, list_passage_terms

_NAME_PATTERN = re.compile(
    r"\b[A-ZÀ-ÖØ-Þ][\w’'-]{1,60}+(?:\s(?:of|the|de|van|von|la|del|da|di)(?=\s[A-ZÀ-ÖØ-Þ])|\s[A-ZÀ-ÖØ-Þ][\w’'.-]*+){1,4}"
)
_TITLE_BORDER_PATTERN = re.compile(r"\s[-–—|·:]\s")
_MIN_TITLE_SHARE = 0.6  # of a title's words in a name, for the page to be about it


def list_new_names(units: Iterable[PageUnit], query: str, *, language: str | None) -> Iterator[str]:
    """Names of two words or more in these units that share no word with the question."""
    asked = set(list_passage_terms(query, language=language))
    plain = stopwords.list_stopwords(language)
    for unit in units:
        for match in _NAME_PATTERN.finditer(unit.text):
            words = match[0].split()
            if words[0].lower() in plain:
                words = words[1:]
            name = " ".join(words)
            if len(words) > 1 and not asked & set(list_passage_terms(name, language=language)):
                yield name


def is_page_about(title: str, names: Sequence[str], *, language: str | None) -> bool:
    """Whether the title of a page consists mainly of one of these names."""
    own = set(list_passage_terms(_TITLE_BORDER_PATTERN.split(title)[0], language=language))
    if not own:
        return False
    return any(
        len(own & set(list_passage_terms(name, language=language))) >= _MIN_TITLE_SHARE * len(own)
        for name in names
    )
