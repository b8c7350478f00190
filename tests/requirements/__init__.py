"""What the product has to do: one sentence for each requirement, and the mark that ties tests to them.

Each module holds the requirements of one specification or of one part of it:
`HELD` maps an id to a sentence that tests hold today, `OPEN` maps the number of
the issue that will build them to further sentences. An id begins with the name
of the tool it is about, or with the name of a rule that all tools share.
`tests/meta/test_requirements.py` checks both directions.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache

import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One sentence about the product; `issue` is the number of the issue that will build it."""

    sentence: str
    module: str
    issue: int | None = None

    @property
    def is_held(self) -> bool:
        return self.issue is None


def requires(*ids: str) -> pytest.MarkDecorator:
    """Mark a test, or one case of it, as holding these requirements."""
    return pytest.mark.requirement(*ids)


@cache
def load_requirements() -> dict[str, Requirement]:
    """Every requirement by its id; an id that two modules declare is an error."""
    found: dict[str, Requirement] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        held = [(one, text, None) for one, text in module.HELD.items()]
        unbuilt = [
            (one, text, issue) for issue, part in module.OPEN.items() for one, text in part.items()
        ]
        for one, text, issue in held + unbuilt:
            if one in found:
                raise ValueError(f"{one} is declared in {found[one].module} and in {info.name}.")
            found[one] = Requirement(sentence=text, module=info.name, issue=issue)
    return found
