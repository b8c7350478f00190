"""Lists of references as they come out of PDFs, slides and mails, each with one kind of damage."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def wrap(text: str, width: int = 72, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)  # fmt: skip


def number(texts: Sequence[str], form: str, width: int = 72) -> list[str]:
    return [line for place, text in enumerate(texts, 1) for line in wrap(form.format(place) + text, width)]  # fmt: skip


def break_words(lines: list[str]) -> list[str]:
    """The last word of a line that a longer word follows is broken with a hyphen."""
    made = list(lines)
    for place in range(len(made) - 1):
        match = re.match(r"([a-z]{4})([a-z]{3,}.*)", made[place + 1])
        if match:
            made[place], made[place + 1] = f"{made[place]} {match[1]}-", match[2]
    return made


def add_pages(lines: list[str]) -> list[str]:
    made = list(lines)
    made[6:6] = ["", "412", "", "\fAbend et al. / Journal of Coastal Studies 12 (2011) 45–61", ""]
    made[18:18] = ["Page 413 of 500", "The Growth of Things"]
    return made


def set_columns(lines: list[str]) -> list[str]:
    half = (len(lines) + 1) // 2
    right = [*lines[half:], ""]
    return [f"{left:<50}{right[place]}".rstrip() for place, left in enumerate(lines[:half])]


def damage_list(texts: Sequence[str]) -> dict[str, list[str]]:
    """The lines of the list for every kind of damage."""
    plain = [line for text in texts for line in wrap(text)]
    inline = " ".join(f"[{place}] {text}" for place, text in enumerate(texts, 1))
    restarted = [
        line for place, text in enumerate(texts) for line in wrap(f"{place % 4 + 1}. {text}")
    ]
    return {
        "brackets": number(texts, "[{}] "), "stops": number(texts, "{}. "), "bare": number(texts, "{} "), "half": number(texts, "{}) "),
        "glued brackets": number(texts, "[{}]"), "glued stops": number(texts, "{}."), "glued digits": number(texts, "{}"),
        "superscripts": [line for place, text in enumerate(texts, 1) for line in wrap(str(place).translate(SUPERSCRIPTS) + text)],
        "raised": number(texts, "<sup>{}</sup> "), "footnotes": number(texts, "[^{}]: "), "escaped brackets": number(texts, r"\[{}\] "),
        "hyphens": break_words(number(texts, "[{}] ")), "pages": add_pages(number(texts, "[{}] ")),
        "blank lines": [part for line in number(texts, "{}. ") for part in (line, "")],
        "number alone": [part for place, text in enumerate(texts, 1) for part in (f"[{place}]", *wrap(text))],
        "restart": restarted, "inline": [inline], "inline wrapped": wrap(inline),
        "inline stops": [" ".join(f"{place}. {text}" for place, text in enumerate(texts, 1))],
        "semicolons": ["; ".join(text.rstrip(".") for text in texts)],
        "bullets": [line for text in texts for line in wrap("• " + text)],
        "hanging": [line for text in texts for line in wrap(text, indent="    ")],
        "plain": plain, "plain pages": add_pages(plain), "plain hyphens": break_words(plain),
        "plain blank lines": [part for line in plain for part in (line, "")],
        "paragraphs": [part for text in texts for part in (*wrap(text), "")],
        "lines": list(texts), "columns": set_columns(number(texts, "[{}] ", 44)),
    }  # fmt: skip
