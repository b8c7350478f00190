"""How settings are declared, read and checked: each room declares its own in `<room>/settings.py`.

`settings[NetSettings].user_agent` is a setting of the room `net`. All settings are read and checked
once, when the process starts, and never change. A room that is deleted takes its settings away.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, cast, overload
from urllib.parse import urlsplit

from citewell.core import environment
from citewell.core.errors import Misconfigured
from citewell.core.room_modules import PACKAGE_FOLDER
from citewell.core.values.counted_words import pluralize

T = TypeVar("T")
C = TypeVar("C", bound=str)
S = TypeVar("S", bound="SettingsSection")

_TRUE_WORDS = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE_WORDS = frozenset({"0", "off", "f", "false", "n", "no"})
NO_NAMES: tuple[str, ...] = ()
_DURATION_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Setting(Generic[T]):
    """One setting, as an attribute of a section: read from the environment variable `name`.

    `help` is its documentation. `parse` takes the value as text, or as a flag or a test gives it, and
    raises ValueError that says what is wanted. `other_name` is read if `name` is not set. A cached
    answer is used again only while the settings that have `shapes_answers` are the same.
    """

    field: str

    def __init__(
        self,
        name: str,
        default: T,
        help: str,  # noqa: A002 - named like the option it documents
        parse: Callable[[object], T],
        *,
        secret: bool = False,
        other_name: str | None = None,
        shapes_answers: bool = False,
    ) -> None:
        self.name = name
        self.default = default
        self.help = help
        self.parse = parse
        self.secret = secret
        self.other_name = other_name
        self.shapes_answers = shapes_answers

    def __set_name__(self, _section: type[SettingsSection], field: str) -> None:
        self.field = field

    @overload
    def __get__(self, section: None, kind: type[SettingsSection]) -> Self: ...

    @overload
    def __get__(self, section: SettingsSection, kind: type[SettingsSection]) -> T: ...

    def __get__(self, section: SettingsSection | None, kind: type[SettingsSection]) -> Self | T:
        # A value that was set is in the dictionary of the section, where Python looks first.
        return self if section is None else self.default


class SettingsSection:
    """The settings of one room; `raw` has all raw values by environment name."""

    declared: ClassVar[tuple[Setting[Any], ...]]
    raw: Mapping[str, str]

    def __init_subclass__(cls) -> None:
        cls.declared = tuple(value for value in vars(cls).values() if isinstance(value, Setting))

    def __init__(self, values: Mapping[str, object], raw: Mapping[str, str]) -> None:
        own = {setting.field for setting in self.declared}
        self.__dict__.update({name: values[name] for name in own & values.keys()}, raw=raw)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Settings never change")


class InvalidSettings(ValueError):
    """Settings have values that cannot be used: the name of each, and what it wants."""

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        super().__init__("; ".join(name + reason for name, reason in problems))
        self.problems = problems


class Settings:
    """The configuration of a process, except the provider options, which each SPEC declares.

    `settings[Section]` has the settings of one room. `raw` has the raw values by environment name.
    """

    def __init__(self, *, raw: Mapping[str, str] = MappingProxyType({}), **values: object) -> None:
        """`values` are settings by field name; None means not set. Raises InvalidSettings."""
        self.raw = raw
        self._values: dict[str, object] = {}
        self._sections: dict[type[SettingsSection], SettingsSection] = {}
        given = {field: value for field, value in values.items() if value is not None}
        problems = []
        for setting in list_settings():
            if setting.field in given:
                try:
                    self._values[setting.field] = setting.parse(given.pop(setting.field))
                except ValueError as error:
                    problems.append((setting.name, str(error)))
        if given:
            raise TypeError(f"There are no settings with these names: {', '.join(given)}")
        if problems:
            raise InvalidSettings(tuple(problems))

    def __getitem__(self, kind: type[S]) -> S:
        section = self._sections.get(kind)
        if section is None:
            section = self._sections[kind] = kind(self._values, self.raw)
        return cast(S, section)

    def replace(self, **changes: object) -> Settings:
        """These settings with other values for some, by field name."""
        return Settings(raw=self.raw, **(self._values | changes))

    def get_value(self, setting: Setting[T]) -> T:
        return cast(T, self._values.get(setting.field, setting.default))

    def is_set(self, setting: Setting[Any]) -> bool:
        return setting.field in self._values


@cache
def list_settings() -> tuple[Setting[Any], ...]:
    """All settings of all rooms, by the names of the rooms and then as declared."""
    rooms = sorted(path.parent.name for path in PACKAGE_FOLDER.glob("*/settings.py"))
    return tuple(
        setting
        for room in rooms
        for setting in getattr(
            import_module(f"citewell.{room}.settings"), f"{room.capitalize()}Settings"
        ).declared
    )


def load_settings(environ: Mapping[str, str] | None = None, **overrides: object) -> Settings:
    """Settings from the environment and the settings file.

    `overrides` are settings by field name, for example from command line flags; None means not given.
    Raises Misconfigured, naming each wrong setting but not its value.
    """
    environ = os.environ if environ is None else environ
    try:
        raw = environment.load_raw_settings(environ)
    except environment.UnusableSettingsFile as error:
        raise Misconfigured(str(error), action="inform_user") from None
    given: dict[str, object] = {}
    for setting in list_settings():
        for name in (setting.other_name, setting.name):
            if name in raw:
                given[setting.field] = raw[name]
    given |= {field: value for field, value in overrides.items() if value is not None}
    try:
        return Settings(raw=raw, **given)
    except InvalidSettings as error:
        # Only names, places and what is wanted: the value may be a secret.
        places = [environment.find_setting_place(environ, name) for name, _ in error.problems]
        reasons = [
            f"{name}{reason}{f' (set in {place})' if place else ''}"
            for (name, reason), place in zip(error.problems, places, strict=True)
        ]
        raise Misconfigured(
            f"The configuration cannot be used: {'; '.join(reasons)}. "
            "Change this in the environment or the settings file.",
            action="inform_user",
        ) from None


# What `parse` of a setting can be. The errors continue a sentence that begins with the name.


def parse_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(" must be text")  # noqa: TRY004 - as for any other wrong value
    return value


def text_matching(pattern: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        text = parse_text(value)
        if not re.search(pattern, text):
            raise ValueError(f" must match {pattern}")
        return text

    return parse


def text_of_length(least: int) -> Callable[[object], str]:
    def parse(value: object) -> str:
        text = parse_text(value)
        if len(text) < least:
            raise ValueError(f" must have at least {least} {pluralize(least, 'character')}")
        return text

    return parse


def choice_of(*choices: C, any_case: bool = False) -> Callable[[object], C]:
    def parse(value: object) -> C:
        text = value.lower() if any_case and isinstance(value, str) else value
        for choice in choices:
            if text == choice:
                return choice
        quoted = [f"'{choice}'" for choice in choices]
        raise ValueError(f" must be {', '.join(quoted[:-1])} or {quoted[-1]}")

    return parse


def parse_bool(value: object) -> bool:
    text = str(value).lower()
    if text not in _TRUE_WORDS | _FALSE_WORDS:
        raise ValueError(" must be true or false")
    return text in _TRUE_WORDS


def count_from(least: int, *, most: int | None = None) -> Callable[[object], int]:
    """A whole number within these bounds."""

    def parse(value: object) -> int:
        try:
            number = int(re.sub(r"\.0+$", "", str(value).strip()))
        except ValueError:
            raise ValueError(" must be a whole number") from None
        _check_bounds(number, least, most)
        return number

    return parse


def seconds_from(least: float, *, most: float | None = None) -> Callable[[object], float]:
    """Seconds within these bounds; accepts 90, "90", "90s", "4h", "1h30m" and "500ms"."""

    def parse(value: object) -> float:
        text = str(value).strip()
        parts = re.findall(r"(\d+\.?\d*)(ms|s|m|h|d)", text)
        if not isinstance(value, str) or re.fullmatch(r"[\d.]+", text):
            try:
                seconds = float(text)
            except ValueError:
                raise ValueError(" must be a number") from None
        elif parts and "".join(number + unit for number, unit in parts) == text:
            seconds = sum(float(number) * _DURATION_UNIT_SECONDS[unit] for number, unit in parts)
        else:
            raise ValueError(': write a duration such as "90s", "15m" or "4h"')
        _check_bounds(seconds, least, most)
        return seconds

    return parse


def _check_bounds(number: float, least: float, most: float | None) -> None:
    if number < least:
        raise ValueError(f" must be {least} or more")
    if most is not None and number > most:
        raise ValueError(f" must be {most} or less")


parse_duration = seconds_from(0)


def parse_name_list(value: object) -> tuple[str, ...]:
    """Names; accepts "a, b" and '["a", "b"]'."""
    if isinstance(value, str):
        try:
            listed = (
                json.loads(value)
                if value.lstrip().startswith("[")
                else environment.split_name_list(value)
            )
        except ValueError as error:
            raise ValueError(f": {error}") from None
        return parse_name_list(tuple(listed))
    if not isinstance(value, tuple | list):
        raise ValueError(" must be a list of names")  # noqa: TRY004 - as for any wrong value
    return tuple(parse_text(name) for name in value)


def parse_scope_list(value: object) -> tuple[str, ...]:
    """Scopes; accepts "a b" as OAuth writes it, "a, b" and '["a", "b"]'."""
    return tuple(scope for entry in parse_name_list(value) for scope in entry.split())


def parse_path(value: object) -> Path:
    return value if isinstance(value, Path) else Path(parse_text(value)).expanduser()


def address_with(*schemes: str, example: str) -> Callable[[object], str]:
    """An address with one of these schemes; errors do not quote it, as it may hold a password."""

    def parse(value: object) -> str:
        text = parse_text(value)
        try:
            parts = urlsplit(text)
            usable = parts.scheme.lower() in schemes and bool(parts.netloc or parts.path)
            parts.port  # noqa: B018 - raises for a port that is not a number
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f": write an address such as {example}")
        return text

    return parse


parse_web_address = address_with("http", "https", example="https://host/path")
