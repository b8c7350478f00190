"""Maps Unicode mathematical characters to LaTeX commands."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_GREEK_NAMES = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "varsigma",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
_LATIN_CAPITALS = {"Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M",
                   "Ν": "N", "Ο": "O", "Ρ": "P", "Τ": "T", "Χ": "X"}  # fmt: skip
SYMBOL_COMMANDS = {
    "±": "pm", "∓": "mp", "×": "times", "÷": "div", "∗": "ast", "⋅": "cdot", "·": "cdot", "∘": "circ",
    "∙": "bullet", "•": "bullet", "⊕": "oplus", "⊖": "ominus", "⊗": "otimes", "⊙": "odot", "∩": "cap",
    "∪": "cup", "∧": "wedge", "∨": "vee", "¬": "neg", "∖": "setminus", "⋆": "star", "†": "dagger",
    "‡": "ddagger", "≤": "le", "≥": "ge", "≠": "ne", "≈": "approx", "≡": "equiv", "∼": "sim",
    "≃": "simeq", "≅": "cong", "∝": "propto", "≪": "ll", "≫": "gg", "≺": "prec", "≻": "succ",
    "⊂": "subset", "⊃": "supset", "⊆": "subseteq", "⊇": "supseteq", "⊄": "not\\subset", "∈": "in",
    "∉": "notin", "∋": "ni", "⊢": "vdash", "⊨": "models", "⊥": "perp", "∥": "parallel", "∣": "mid",
    "≔": "coloneqq", "≜": "triangleq", "→": "to", "←": "leftarrow", "↔": "leftrightarrow",
    "⇒": "Rightarrow", "⇐": "Leftarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "↑": "uparrow",
    "↓": "downarrow", "⟶": "longrightarrow", "⟵": "longleftarrow", "⟹": "Longrightarrow",
    "⟺": "Longleftrightarrow", "↪": "hookrightarrow", "⇀": "rightharpoonup", "⇌": "rightleftharpoons",
    "↗": "nearrow", "↘": "searrow", "∞": "infty", "∂": "partial", "∇": "nabla", "∀": "forall",
    "∃": "exists", "∄": "nexists", "∅": "emptyset", "ℏ": "hbar", "ℓ": "ell", "ℜ": "Re", "ℑ": "Im",
    "ℵ": "aleph", "℘": "wp", "∠": "angle", "△": "triangle", "□": "square", "◇": "diamond",
    "…": "dots", "⋯": "cdots", "⋮": "vdots", "⋱": "ddots", "′": "prime", "″": "prime\\prime",
    "∴": "therefore", "∵": "because", "∑": "sum", "∏": "prod", "∐": "coprod", "∫": "int",
    "∬": "iint", "∭": "iiint", "∮": "oint", "∯": "oiint", "⋂": "bigcap", "⋃": "bigcup",
    "⋀": "bigwedge", "⋁": "bigvee", "⨁": "bigoplus", "⨂": "bigotimes", "⨀": "bigodot", "⨄": "biguplus",
    "⨆": "bigsqcup", "√": "surd", "⟨": "langle", "⟩": "rangle", "〈": "langle", "〉": "rangle",
    "⌈": "lceil", "⌉": "rceil", "⌊": "lfloor", "⌋": "rfloor", "‖": "Vert", "|": "vert", "€": "text{€}",
    "ℝ": "mathbb{R}", "ℕ": "mathbb{N}", "ℤ": "mathbb{Z}", "ℚ": "mathbb{Q}", "ℂ": "mathbb{C}",
    "ℙ": "mathbb{P}", "ℍ": "mathbb{H}", "ℋ": "mathcal{H}", "ℒ": "mathcal{L}", "ℱ": "mathcal{F}",
    "ϵ": "epsilon", "ϑ": "vartheta", "ϕ": "phi", "ϖ": "varpi", "ϱ": "varrho", "ϰ": "varkappa",
}  # fmt: skip
_PLAIN_CHARACTERS = {"−": "-", "∕": "/", "⁄": "/", "⁡": "", "⁢": "", "⁣": "", "⁤": "", "\u200b": "",
                     "\u00a0": "~", "\u2003": "\\quad ", "\u2002": "\\enspace ", "\u2009": "\\,",
                     "\u200a": "\\,", "\u2005": "\\:", "\u2004": "\\;", "\u2006": "\\,"}  # fmt: skip
_ESCAPED_CHARACTERS = {"#": "\\#", "$": "\\$", "%": "\\%", "&": "\\&", "_": "\\_", "{": "\\{",
                       "}": "\\}", "~": "\\sim ", "^": "\\hat{}", "\\": "\\backslash "}  # fmt: skip
_ALPHABET_COMMANDS = (  # words of a character's name, then the command for that alphabet
    ("DOUBLE-STRUCK", "mathbb"), ("FRAKTUR", "mathfrak"), ("SCRIPT", "mathcal"),
    ("MONOSPACE", "mathtt"), ("SANS-SERIF", "mathsf"), ("BOLD", "mathbf"),
)  # fmt: skip
FUNCTION_NAMES = frozenset(
    [
        "arccos",
        "arcsin",
        "arctan",
        "arg",
        "cos",
        "cosh",
        "cot",
        "coth",
        "csc",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "hom",
        "inf",
        "ker",
        "lg",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "max",
        "min",
        "Pr",
        "sec",
        "sin",
        "sinh",
        "sup",
        "tan",
        "tanh",
    ]
)
ACCENT_COMMANDS = {
    "\u0302": "hat", "^": "hat", "ˆ": "hat", "\u0303": "tilde", "~": "tilde", "˜": "tilde",
    "\u0304": "bar", "\u0305": "overline", "¯": "bar", "‾": "overline", "\u0307": "dot", "˙": "dot",
    "\u0308": "ddot", "¨": "ddot", "\u20db": "dddot", "\u20d7": "vec", "→": "vec", "\u20d6": "overleftarrow",
    "\u20e1": "overleftrightarrow", "\u0306": "breve", "˘": "breve", "\u030c": "check", "ˇ": "check",
    "\u0301": "acute", "´": "acute", "\u0300": "grave", "`": "grave", "\u030a": "mathring",
    "\u0332": "underline", "\u0331": "underline", "\u033f": "overline", "\u20d1": "overrightharpoon",
    "\u20d0": "overleftharpoon", "\u0338": "not",
}  # fmt: skip


def _build_greek_commands() -> dict[str, str]:
    small = {chr(0x3B1 + place): name for place, name in enumerate(_GREEK_NAMES)}
    large = {
        chr(0x391 + place): name.capitalize()
        for place, name in enumerate(_GREEK_NAMES)
        if name != "varsigma"
    }
    made = small | large
    del made["ο"]
    return {letter: name for letter, name in made.items() if letter not in _LATIN_CAPITALS}


_GREEK_COMMANDS = _build_greek_commands()


@lru_cache(maxsize=4096)
def convert_math_character(character: str) -> str:
    """One character of a formula as LaTeX; a character without a command stays as it is."""
    if character.isascii() and character.isalnum():
        return character
    if character in _PLAIN_CHARACTERS:
        return _PLAIN_CHARACTERS[character]
    if character in _ESCAPED_CHARACTERS:
        return _ESCAPED_CHARACTERS[character]
    name = SYMBOL_COMMANDS.get(character) or _GREEK_COMMANDS.get(character)
    if name:
        return f"\\{name}" if name.endswith("}") else f"\\{name} "
    if character in _LATIN_CAPITALS or character == "ο":
        return _LATIN_CAPITALS.get(character, "o")
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
    command = next((command for words, command in _ALPHABET_COMMANDS if words in said), "")
    if command:
        return f"\\{command}{{{inner}}}"
    return f"{inner} " if inner.startswith("\\") else inner
