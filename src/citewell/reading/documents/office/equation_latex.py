"""Converts the equations of Office documents (OMML) to LaTeX, within a depth and a length."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from xml.etree.ElementTree import Element

from citewell.core.values.counted_words import pluralize
from citewell.reading.documents import xml_tree
from citewell.text.data_tables import load_table

MAX_EQUATION_CHARS = 20_000
MAX_EQUATION_DEPTH = 60
_CUT_MARK = "\\dots "
_SINGLE_COMMAND = re.compile(r"\\[A-Za-z]{1,30}(?:\{[A-Za-z0-9]\})?")
_ROW_END = " \\\\ "
_SCRIPT_COMMANDS = {"double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak",
                    "sans-serif": "mathsf", "monospace": "mathtt"}  # fmt: skip
_MATRIX_NAMES = {
    "()": "pmatrix",
    "[]": "bmatrix",
    "{}": "Bmatrix",
    "||": "vmatrix",
    "‖‖": "Vmatrix",
}
_FALSE_VALUES = frozenset({"0", "false", "off"})
_DROPPED_ELEMENTS = frozenset({"del", "moveFrom", "annotation", "instrText", "delText"})


class EquationConverter:
    """Converts equations of one document and counts those that had to be cut."""

    def __init__(self) -> None:
        self.cut_count = 0
        self._left = 0
        self._was_cut = False
        self._converters: dict[str, Callable[[Element, int], str]] = {
            "r": self._convert_run,
            "f": self._convert_fraction,
            "rad": self._convert_radical,
            "sSub": self._convert_scripts,
            "sSup": self._convert_scripts,
            "sSubSup": self._convert_scripts,
            "sPre": self._convert_prescripts,
            "nary": self._convert_nary,
            "d": self._convert_delimiters,
            "m": self._render_matrix,
            "eqArr": self._convert_equation_array,
            "func": self._convert_function,
            "limLow": self._convert_limit,
            "limUpp": self._convert_limit,
            "acc": self._convert_accent,
            "bar": self._convert_bar,
            "groupChr": self._convert_group_character,
            "borderBox": self._convert_border_box,
            "phant": self._convert_phantom,
        }

    def convert_equation(self, equation: Element) -> str:
        """The LaTeX of an oMath element, on one line and without dollar signs."""
        self._left = MAX_EQUATION_CHARS
        self._was_cut = False
        made = " ".join(self._convert_children(equation, 0).split())
        self.cut_count += self._was_cut
        return made

    def describe_cuts(self) -> tuple[str, ...]:
        if not self.cut_count:
            return ()
        return (
            f"{self.cut_count} {pluralize(self.cut_count, 'equation was', 'equations were')} cut: too long or nested too deeply.",
        )

    def _convert_children(self, element: Element, depth: int) -> str:
        return "".join(self._iterate_converted(element, depth))

    def _iterate_converted(self, element: Element, depth: int) -> Iterable[str]:
        for item in element:
            if self._left <= 0 or depth > MAX_EQUATION_DEPTH:
                if not self._was_cut or depth > MAX_EQUATION_DEPTH:
                    yield _CUT_MARK
                self._was_cut = True
                return
            yield self._convert_element(item, depth)

    def _convert_element(self, item: Element, depth: int) -> str:
        name = xml_tree.strip_namespace(item)
        if name in self._converters:
            return self._converters[name](item, depth)
        if name.endswith("Pr") or name in _DROPPED_ELEMENTS:
            return ""
        return self._convert_children(item, depth + 1)

    def _convert_part(self, element: Element, name: str, depth: int) -> str:
        """The LaTeX of one argument, such as the numerator; "" if it is absent."""
        part = xml_tree.find_child_element(element, name)
        return self._convert_children(part, depth + 1).strip() if part is not None else ""

    def _convert_run(self, run: Element, _: int) -> str:
        text = "".join(item.text or "" for item in run if xml_tree.strip_namespace(item) == "t")
        if len(text) > self._left:
            text, self._was_cut = text[: self._left] + "…", True
        self._left -= len(text) + 1
        properties = [item for item in run if xml_tree.strip_namespace(item) == "rPr"]
        if any(_is_switched_on(item, "nor") for item in properties):
            if not text.strip():
                return text
            safe = "".join(
                f"\\{letter}" if letter in "#$%&_{}" else letter
                for letter in text.replace("\\", "")
            )
            return f"\\text{{{safe}}}"
        plain = text.strip()
        if plain in load_function_names():
            return f"\\{plain} "
        made = "".join(map(convert_math_character, text))
        style = next(filter(None, (_read_value(item, "scr") for item in properties)), "")
        if command := _SCRIPT_COMMANDS.get(style, ""):
            return f"\\{command}{{{made.strip()}}}"
        style = next(filter(None, (_read_value(item, "sty") for item in properties)), "")
        if style == "p" and len(plain) > 1 and plain.isalpha() and plain.isascii():
            return f"\\mathrm{{{made.strip()}}}"
        if style in {"b", "bi"} and made.strip():
            return f"\\mathbf{{{made.strip()}}}"
        return made

    def _convert_fraction(self, item: Element, depth: int) -> str:
        top, bottom = (self._convert_part(item, name, depth) for name in ("num", "den"))
        match _read_value(xml_tree.find_child_element(item, "fPr"), "type"):
            case "lin" | "skw":
                return f"{_brace_latex(top)}/{_brace_latex(bottom)}"
            case "noBar":
                return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{top}}}{{{bottom}}}"
            case _:
                return f"\\frac{{{top}}}{{{bottom}}}"

    def _convert_radical(self, item: Element, depth: int) -> str:
        inner = self._convert_part(item, "e", depth)
        hidden = _is_switched_on(xml_tree.find_child_element(item, "radPr"), "degHide")
        degree = "" if hidden else self._convert_part(item, "deg", depth)
        return f"\\sqrt[{degree}]{{{inner}}}" if degree else f"\\sqrt{{{inner}}}"

    def _convert_scripts(self, item: Element, depth: int) -> str:
        base = self._convert_part(item, "e", depth)
        return _brace_latex(base) + self._convert_script_marks(item, depth)

    def _convert_script_marks(self, item: Element, depth: int) -> str:
        below, above = (self._convert_part(item, name, depth) for name in ("sub", "sup"))
        return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")

    def _convert_prescripts(self, item: Element, depth: int) -> str:
        return f"{{}}{self._convert_script_marks(item, depth)}{_brace_latex(self._convert_part(item, 'e', depth))}"

    def _convert_nary(self, item: Element, depth: int) -> str:
        properties = xml_tree.find_child_element(item, "naryPr")
        mark = _read_value(properties, "chr", default="∫")
        operator = convert_math_character(mark[:1]).strip() if mark else ""
        place = _read_value(properties, "limLoc")
        natural = "subSup" if mark in "∫∬∭∮∯" else "undOvr"
        if place and place != natural:
            operator += "\\limits" if place == "undOvr" else "\\nolimits"
        marks = self._convert_script_marks(item, depth)
        return f"{operator}{marks} {self._convert_part(item, 'e', depth)}"

    def _convert_delimiters(self, item: Element, depth: int) -> str:
        properties = xml_tree.find_child_element(item, "dPr")
        opening = _read_value(properties, "begChr", default="(")
        closing = _read_value(properties, "endChr", default=")")
        parts = xml_tree.collect_child_elements(item, "e")
        if len(parts) == 1 and (made := self._convert_framed(parts[0], opening + closing, depth)):
            return made
        between = _format_delimiter(_read_value(properties, "sepChr", default="|"))
        inner = f"\\middle{between}".join(self._convert_children(part, depth + 1) for part in parts)
        return f"\\left{_format_delimiter(opening)}{inner}\\right{_format_delimiter(closing)}"

    def _convert_framed(self, part: Element, marks: str, depth: int) -> str:
        """A matrix, cases or a binomial for which LaTeX has a name with its delimiters; else ""."""
        shown = [item for item in part if not xml_tree.strip_namespace(item).endswith("Pr")]
        only = shown[0] if len(shown) == 1 else None
        name = xml_tree.strip_namespace(only) if only is not None else ""
        if only is None or depth + 2 > MAX_EQUATION_DEPTH:
            return ""
        if name == "m" and marks in _MATRIX_NAMES:
            return self._render_matrix(only, depth + 2, _MATRIX_NAMES[marks])
        if name == "m" and marks == "{":
            return self._render_matrix(only, depth + 2, "cases")
        if name == "f" and marks == "()":
            properties = xml_tree.find_child_element(only, "fPr")
            if _read_value(properties, "type") == "noBar":
                top = self._convert_part(only, "num", depth + 2)
                return f"\\binom{{{top}}}{{{self._convert_part(only, 'den', depth + 2)}}}"
        return ""

    def _render_matrix(self, item: Element, depth: int, name: str = "matrix") -> str:
        rows = (
            " & ".join(
                self._convert_children(cell, depth + 1).strip()
                for cell in xml_tree.collect_child_elements(row, "e")
            )
            for row in xml_tree.collect_child_elements(item, "mr")
        )
        return f"\\begin{{{name}}}{_ROW_END.join(rows)}\\end{{{name}}}"

    def _convert_equation_array(self, item: Element, depth: int) -> str:
        rows = (
            self._convert_children(row, depth + 1).strip().replace("\\&", "&")
            for row in xml_tree.collect_child_elements(item, "e")
        )
        return f"\\begin{{aligned}}{_ROW_END.join(rows)}\\end{{aligned}}"

    def _convert_function(self, item: Element, depth: int) -> str:
        name = self._convert_part(item, "fName", depth)
        word = name.removeprefix("\\mathrm{").removesuffix("}")
        if word.isalpha() and len(word) > 1:
            name = f"\\operatorname{{{word}}}"
        return f"{name} {_brace_latex(self._convert_part(item, 'e', depth))}"

    def _convert_limit(self, item: Element, depth: int) -> str:
        base, limit = self._convert_part(item, "e", depth), self._convert_part(item, "lim", depth)
        low = xml_tree.strip_namespace(item) == "limLow"
        if limit in {"⏟", "⏞"}:
            return f"\\{'underbrace' if limit == '⏟' else 'overbrace'}{{{base}}}"
        is_function = base.startswith("\\") and base[1:] in load_function_names()
        if is_function or base.startswith(("\\underbrace", "\\overbrace")):
            return f"{base}{'_' if low else '^'}{{{limit}}}"
        return f"\\{'underset' if low else 'overset'}{{{limit}}}{{{base}}}"

    def _convert_accent(self, item: Element, depth: int) -> str:
        mark = _read_value(xml_tree.find_child_element(item, "accPr"), "chr", default="\u0302")
        inner = self._convert_part(item, "e", depth)
        command = load_latex_commands("accents").get(mark)
        if command is None:
            shown = "".join(map(convert_math_character, mark[:4])).strip()
            return f"\\overset{{{shown}}}{{{inner}}}"
        wide = {"hat": "widehat", "tilde": "widetilde", "vec": "overrightarrow", "bar": "overline"}
        return f"\\{wide.get(command, command) if len(inner) > 1 and inner.isalnum() else command}{{{inner}}}"

    def _convert_bar(self, item: Element, depth: int) -> str:
        above = _read_value(xml_tree.find_child_element(item, "barPr"), "pos") == "top"
        return f"\\{'overline' if above else 'underline'}{{{self._convert_part(item, 'e', depth)}}}"

    def _convert_group_character(self, item: Element, depth: int) -> str:
        properties = xml_tree.find_child_element(item, "groupChrPr")
        mark = _read_value(properties, "chr", default="⏟")
        above = _read_value(properties, "pos") == "top"
        inner = self._convert_part(item, "e", depth)
        if mark in {"⏟", "⏞"}:
            return f"\\{'overbrace' if mark == '⏞' else 'underbrace'}{{{inner}}}"
        shown = "".join(map(convert_math_character, mark[:4])).strip()
        return f"\\{'overset' if above else 'underset'}{{{shown}}}{{{inner}}}"

    def _convert_border_box(self, item: Element, depth: int) -> str:
        return f"\\boxed{{{self._convert_part(item, 'e', depth)}}}"

    def _convert_phantom(self, item: Element, depth: int) -> str:
        shown = _read_value(xml_tree.find_child_element(item, "phantPr"), "show", default="1")
        inner = self._convert_part(item, "e", depth)
        return inner if shown not in _FALSE_VALUES else ""


def _brace_latex(latex: str) -> str:
    """The LaTeX in braces, unless it is a single character or command."""
    single = len(latex) == 1 or _SINGLE_COMMAND.fullmatch(latex)
    return latex if single else f"{{{latex}}}"


def _read_value(properties: Element | None, name: str, *, default: str = "") -> str:
    """The `val` of a property; `default` if the property is absent."""
    value = xml_tree.read_child_value(properties, name)
    return default if value is None else value


def _is_switched_on(properties: Element | None, name: str) -> bool:
    value = xml_tree.read_child_value(properties, name)
    return value is not None and value.lower() not in _FALSE_VALUES


def _format_delimiter(mark: str) -> str:
    if not mark:
        return "."
    if mark in "{}":
        return f"\\{mark}"
    command = load_latex_commands("symbols").get(mark)
    return f"\\{command} " if command else mark[:1]


# Maps Unicode mathematical characters to LaTeX commands.


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
    character_name = unicodedata.name(character, "")
    inner = convert_math_character(plain).strip()
    alphabets = load_latex_commands("alphabets")  # by words of a character's name
    command = next((command for words, command in alphabets.items() if words in character_name), "")
    if command:
        return f"\\{command}{{{inner}}}"
    return f"{inner} " if inner.startswith("\\") else inner
