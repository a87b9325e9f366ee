"""A monitor's state as JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TypeGuard

import numpy as np

Json = Mapping[str, "Json"] | Sequence["Json"] | str | float | bool | None


def dump(value: object) -> Json:
    """`value` as JSON: dataclasses by class and field, arrays by type and values.

    Raises:
        TypeError: something that has no form here.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if _is_list(value):
        return [dump(part) for part in value]
    if _is_dict(value):
        return {"map": {str(key): dump(part) for key, part in value.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "class": type(value).__name__,
            **{f.name: dump(getattr(value, f.name)) for f in fields(value)},
        }
    if hasattr(value, "__array__"):
        return _array(value)
    raise TypeError(f"no JSON form of {type(value).__name__}")


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_dict(value: object) -> TypeGuard[dict[object, object]]:
    return isinstance(value, dict)


def _array(value: object) -> Json:
    array = np.asarray(value)
    kind = array.dtype.kind if array.dtype.kind in "fb" else "i"
    return {"array": kind, "values": array.tolist()}


def load(saved: Json, classes: Mapping[str, type]) -> object:
    """What `dump` made of it; `classes` are the dataclasses that may appear, by name.

    Raises:
        ValueError: a class that is not in `classes`.
    """
    if isinstance(saved, str) or not isinstance(saved, Mapping | Sequence):
        return saved
    if isinstance(saved, Sequence):
        return [load(part, classes) for part in saved]
    if "array" in saved:
        kind = {"f": np.float64, "i": np.int64, "b": np.bool_}[str(saved["array"])]
        return np.array(saved["values"], dtype=kind)
    if "float" in saved:
        return float(str(saved["float"]))
    if "map" in saved and isinstance(saved["map"], Mapping):
        return {key: load(part, classes) for key, part in saved["map"].items()}
    name = str(saved.get("class"))
    if name not in classes:
        raise ValueError(
            f"a monitor's state names {name}, which this version does not know: start a new monitor"
        )
    parts = {key: load(part, classes) for key, part in saved.items() if key != "class"}
    try:
        return classes[name](**parts)
    except TypeError:
        known = {field.name for field in fields(classes[name])}
        wrong = ", ".join(sorted(set(parts) ^ known))
        raise ValueError(
            f"a monitor's state has a {name} with other fields ({wrong}): start a new monitor"
        ) from None
