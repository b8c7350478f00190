"""One citation of the evaluation, what is true of it, and how it is kept in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILES = {side: Path(__file__).parent / f"{side}.jsonl" for side in ("seen", "unseen")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """`{site:HOST/PATH}` and `{odd:PATH}` in a citation stand for addresses of the loopback web."""

    id: str
    kind: str
    form: str  # how it is written
    citation: str
    format: str = ""  # bibtex, ris or csl-json for a record, which is audited
    claim: str = ""
    expect: tuple[str, ...] = ()  # labels that are true of it
    may: tuple[str, ...] = ()  # labels that are not wrong either
    instead: tuple[str, ...] = ()  # labels by which it is told as well
    doi: str = ""  # of the work that is meant
    withheld: bool = False  # no registry has the work while this is checked
    provider: str = ""  # the citation is a title to search for with this provider

    @property
    def sound(self) -> bool:
        """Nothing at all may be said against it."""
        return not self.expect and not self.may


def write(path: Path, items: Iterable[Item]) -> None:
    lines = (json.dumps(_full(item), ensure_ascii=False) for item in items)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read(side: str) -> tuple[Item, ...]:
    lines = FILES[side].read_text("utf-8").splitlines()
    return tuple(_item(json.loads(line)) for line in lines)


def _full(item: Item) -> dict[str, Any]:
    return {name: value for name, value in asdict(item).items() if value}


def _item(entry: dict[str, Any]) -> Item:
    return Item(
        **entry | {name: tuple(entry.get(name, ())) for name in ("expect", "may", "instead")}
    )
