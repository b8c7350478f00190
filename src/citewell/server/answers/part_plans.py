"""Finds in a result model which fields are its spine, its body and its appendices; see `AnswerPart`."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from citewell.model.wire_values import AnswerPart


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlan:
    """Which part of an answer a JSON value is. What the plan does not mention is spine."""

    part: AnswerPart | None = None  # None if nothing is declared
    fields: Mapping[str, PartPlan] = field(default_factory=dict)  # of an object, by its key
    item: PartPlan | None = None  # of each item of a list, or of each value of a mapping

    def find_member(self, key: str | int) -> PartPlan:
        """The plan of a field, given its key, or of a list's item, given its place.

        An object that is body and has no model has members that are body.
        """
        if self.part is AnswerPart.BODY and not self.fields and self.item is None:
            return self
        return (self.fields.get(key) if isinstance(key, str) else None) or self.item or _PLAIN_PLAN


_PLAIN_PLAN = PartPlan()


@cache
def build_part_plan(model: type[BaseModel]) -> PartPlan:
    """The plan of a model's wire form, whose keys are the model's aliases."""
    return PartPlan(
        fields={
            info.serialization_alias or info.alias or name: _add_mark(
                _plan_type(info.annotation), info.metadata
            )
            for name, info in model.model_fields.items()
        }
    )


def _plan_type(annotation: Any) -> PartPlan:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _add_mark(_plan_type(arguments[0]), arguments[1:])
    if origin in (Union, types.UnionType):
        plans = [_plan_type(option) for option in arguments if option is not types.NoneType]
        return next((plan for plan in plans if plan != _PLAIN_PLAN), _PLAIN_PLAN)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return build_part_plan(annotation)
    if origin in (list, tuple, dict):
        inner = arguments[-1] if origin is dict else arguments[0]
        return PartPlan(item=_plan_type(inner))
    return _PLAIN_PLAN


def _add_mark(plan: PartPlan, metadata: typing.Iterable[Any]) -> PartPlan:
    part = next((mark for mark in metadata if isinstance(mark, AnswerPart)), None)
    return replace(plan, part=part) if part else plan
