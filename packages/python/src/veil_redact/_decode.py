"""Answers as models.

Types are checked, so that a wrong answer raises a clear error at once instead of a surprise later. Additions to the
API are accepted: unknown fields are dropped, and unknown enum values stay as they are, because a service that adds a
category must not break its clients. Libraries that check types refuse unknown values.
"""

from __future__ import annotations

import types
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from veil_redact.errors import UnexpectedAnswerError

T = TypeVar("T")
_ANSWER = "_answer"


def decode(model: type[T], value: object, where: str = "answer") -> T:
    """`value`, as parsed from JSON, as one of the models.

    Raises:
        UnexpectedAnswerError: the value is invalid; the message names the place without repeating the value
    """
    return cast("T", _as(model, value, where))


def answer_of(model: object) -> object:
    """The complete JSON from which a model was read."""
    return getattr(model, _ANSWER)


def _as(hint: Any, value: object, where: str) -> object:
    if hint is Any:
        return value
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _as_union(get_args(hint), value, where)
    if origin is Literal:
        return _of_type(type(get_args(hint)[0]), value, where)
    if origin is list:
        items = _of_type(list, value, where)
        (item_hint,) = get_args(hint)
        return [_as(item_hint, item, f"{where}[{index}]") for index, item in enumerate(items)]
    if origin is dict:
        return _of_type(dict, value, where)
    if is_dataclass(hint):
        return _as_model(cast("type[Any]", hint), value, where)
    return _as_scalar(hint, value, where)


def _as_union(hints: tuple[Any, ...], value: object, where: str) -> object:
    if value is None and type(None) in hints:
        return None
    others = [hint for hint in hints if hint is not type(None)]
    fitting = [hint for hint in others if (get_origin(hint) is dict) == isinstance(value, dict)]
    return _as((fitting or others)[0], value, where)


def _as_scalar(hint: Any, value: object, where: str) -> object:
    if hint in (datetime, date):
        text = _of_type(str, value, where)
        try:
            # Python 3.10 does not parse a trailing Z.
            return hint.fromisoformat(text.removesuffix("Z") + "+00:00" if text.endswith("Z") else text)
        except ValueError:
            raise _unexpected(where, f"a {hint.__name__}", value) from None
    if hint is float:
        return float(_of_type((int, float), value, where))
    return _of_type(type(None) if hint is None else hint, value, where)


def _as_model(model: type[Any], value: object, where: str) -> object:
    given: Mapping[str, object] = _of_type(dict, value, where)
    read: dict[str, object] = {}
    for name, hint, is_required in _shape(cast("Hashable", model)):
        if name in given:
            read[name] = _as(hint, given[name], f"{where}.{name}")
        elif is_required:
            raise UnexpectedAnswerError(f"The service's answer has no {where}.{name}. Is the base URL right?")
    made = model(**read)
    # Not a field, so that models with the same fields stay equal.
    object.__setattr__(made, _ANSWER, given)
    return made


@cache
def _shape(model: Any) -> tuple[tuple[str, Any, bool], ...]:
    hints = get_type_hints(model)
    return tuple((field.name, hints[field.name], field.default is MISSING) for field in fields(model))


def _of_type(expected: Any, value: object, where: str) -> Any:
    # True is a number in Python but not in JSON.
    if isinstance(value, expected) and not (isinstance(value, bool) and expected is not bool):
        return value
    names = " or ".join(one.__name__ for one in (expected if isinstance(expected, tuple) else (expected,)))
    raise _unexpected(where, names, value)


def _unexpected(where: str, expected: str, value: object) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(
        f"In the service's answer, {where} is not {expected} but {type(value).__name__}. Is the base URL right?"
    )
