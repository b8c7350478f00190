r"""LaTeX as bibliographies use it, read into plain characters: {\"u}, \'e, \v{c}, \ss, \emph{…}, $\alpha$."""

from __future__ import annotations

import re
import unicodedata

_OPEN, _SHUT, _SLASH, _MONEY = (
    "\ue001",
    "\ue002",
    "\ue003",
    "\ue004",
)  # stand for the real characters
_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323",
    "b": "\u0331", "k": "\u0328", "r": "\u030a", "t": "\u0361",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "SS": "ẞ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ",
    "OE": "Œ", "aa": "å", "AA": "Å", "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "th": "þ",
    "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "S": "§", "P": "¶", "pounds": "£",
    "copyright": "©", "dots": "…", "ldots": "…", "cdots": "…", "textellipsis": "…",
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotesingle": "'", "textasciitilde": "~",
    "textasciicircum": "^", "textbraceleft": _OPEN, "textbraceright": _SHUT, "textbackslash": _SLASH, "textunderscore": "_", "textregistered": "®",
    "texttrademark": "™", "textdegree": "°", "degree": "°", "textmu": "µ", "texteuro": "€",
    "times": "×", "pm": "±", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "approx": "≈", "sim": "∼", "infty": "∞", "to": "→", "rightarrow": "→",
    "leftarrow": "←", "ell": "ℓ", "prime": "′", "circ": "°", "partial": "∂", "nabla": "∇",
    "sqrt": "√", "in": "∈", "subset": "⊂", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
    "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_SPECIAL = re.compile(r"[\\{}~$`]|--|''")
_ACCENT = re.compile(
    r"\\(?:(?P<sign>[\"'`^~=.])\s{0,3}|(?P<word>[uvHcdbkrt])(?:\s{1,3}|(?=[{\\])))"
    r"(?:\{\s{0,3}\\?(?P<held>[^\W\d_]{1,2})\s{0,3}\}|\\(?P<dotless>[ij])(?![a-zA-Z])\s{0,3}|(?P<bare>[^\W\d_]))"
)
_COMMAND = re.compile(r"\\(?P<word>[a-zA-Z]+)\*?(?:[ \t\n]{1,4}|(?=[^a-zA-Z])|$)")
_ESCAPE = re.compile(r"\\([^a-zA-Z])", re.DOTALL)
_HREF = re.compile(r"\\href\s{0,3}\{[^{}]{0,2000}\}\s{0,3}")
_ADDRESS = re.compile(r"\\(?:url|path|nolinkurl)\b|[{}]")
_RAISED = re.compile(r"[_^](?=\{?[\w+-])")  # of formulas, whose small figures stay as plain ones
_GONE = "\ue000"  # stands for an escaped brace while the bare ones are taken out


def plain(text: str) -> str:
    """What a reader of the typeset page would see."""
    if not _SPECIAL.search(text):
        return text
    text = text.replace(r"\{", _OPEN).replace(r"\}", _SHUT)
    if "\\" in text:
        text = _ACCENT.sub(_accented, text)
        text = _HREF.sub("", text)
        text = _COMMAND.sub(_named, text)
        text = _ESCAPE.sub(_escaped, text)
    if "$" in text:
        text = _RAISED.sub("", text)
    text = text.replace("~", " ").replace(_GONE, "~")
    text = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    text = text.replace("{", "").replace("}", "").replace(r"$", "")
    return text.replace(_OPEN, "{").replace(_SHUT, "}").replace(_SLASH, "\\").replace(_MONEY, "$")


def address(text: str) -> str:
    """A URL, in which a tilde is a tilde."""
    text = _ESCAPE.sub(r"\1", text.replace(r"\textasciitilde", "~"))
    return _ADDRESS.sub("", text).strip()


def _accented(match: re.Match[str]) -> str:
    letters = match["held"] or match["dotless"] or match["bare"]
    mark = _MARKS[match["sign"] or match["word"]]
    return unicodedata.normalize("NFC", letters[0] + mark) + letters[1:]


def _named(match: re.Match[str]) -> str:
    """A letter or sign by its name; a command about looks leaves nothing."""
    return _LETTERS.get(match["word"], "").replace("~", _GONE)


def _escaped(match: re.Match[str]) -> str:
    char = match[1]
    if char == "$":
        return _MONEY
    if char in "&%#_":
        return char
    return " " if char in " \n\\," else _GONE if char == "~" else ""
