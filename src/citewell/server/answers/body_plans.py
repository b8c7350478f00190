"""Finds in a result model which texts are long bodies; see `LongBody`."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from citewell.model.wire_values import LongBody


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPlan:
    """Where long bodies are in a JSON value. What the plan does not mention is never cut."""

    is_long: bool = False  # every text inside may be cut
    fields: Mapping[str, BodyPlan] = field(default_factory=dict)  # of an object, by its key
    item: BodyPlan | None = None  # of each item of a list, or of each value of a mapping

    def find_member(self, key: str | int) -> BodyPlan:
        """The plan of a field, given its key, or of a list's item, given its place."""
        if self.is_long:
            return self
        return (self.fields.get(key) if isinstance(key, str) else None) or self.item or _PLAIN_PLAN


_PLAIN_PLAN = BodyPlan()
_LONG_PLAN = BodyPlan(is_long=True)


@cache
def build_body_plan(model: type[BaseModel]) -> BodyPlan:
    """The plan of a model's wire form, whose keys are the model's aliases."""
    return BodyPlan(
        fields={
            info.serialization_alias or info.alias or name: (
                _LONG_PLAN if _has_mark(info.metadata) else _plan_type(info.annotation)
            )
            for name, info in model.model_fields.items()
        }
    )


def _plan_type(annotation: Any) -> BodyPlan:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _LONG_PLAN if _has_mark(arguments[1:]) else _plan_type(arguments[0])
    if origin in (Union, types.UnionType):
        plans = [_plan_type(one) for one in arguments if one is not types.NoneType]
        return next((plan for plan in plans if plan != _PLAIN_PLAN), _PLAIN_PLAN)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return build_body_plan(annotation)
    if origin in (list, tuple, dict):
        inner = arguments[-1] if origin is dict else arguments[0]
        return BodyPlan(item=_plan_type(inner))
    return _PLAIN_PLAN


def _has_mark(metadata: typing.Iterable[Any]) -> bool:
    return any(isinstance(one, LongBody) for one in metadata)
