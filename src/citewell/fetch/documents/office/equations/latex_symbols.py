"""Maps Unicode mathematical characters to LaTeX commands."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from citewell.text.data_tables import load_table


def load_latex_commands(kind: str) -> Mapping[str, str]:
    commands: Mapping[str, str] = load_table(__package__, "latex_commands")[kind]
    return commands


@cache
def load_function_names() -> frozenset[str]:
    return frozenset(load_table(__package__, "latex_commands")["functions"])


@lru_cache(maxsize=4096)
def convert_math_character(character: str) -> str:
    """One character of a formula as LaTeX; a character without a command stays as it is."""
    if character.isascii() and character.isalnum():
        return character
    plain = load_latex_commands("characters").get(character)
    if plain is not None:
        return plain
    greek = load_latex_commands("greek").get(character)
    name = greek or load_latex_commands("symbols").get(character)
    if name:
        return f"\\{name}" if name.endswith("}") else f"\\{name} "
    if "\U0001d400" <= character <= "\U0001d7ff" or "\u2100" <= character <= "\u214f":
        return _convert_alphabet_letter(character)
    return character


def _convert_alphabet_letter(character: str) -> str:
    """A letter of a mathematical alphabet as the plain letter in the command for its alphabet."""
    plain = unicodedata.normalize("NFKC", character)
    if plain == character or len(plain) != 1:
        return character
    said = unicodedata.name(character, "")
    inner = convert_math_character(plain).strip()
    alphabets = load_latex_commands("alphabets")  # by words of a character's name
    command = next((command for words, command in alphabets.items() if words in said), "")
    if command:
        return f"\\{command}{{{inner}}}"
    return f"{inner} " if inner.startswith("\\") else inner
