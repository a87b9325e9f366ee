"""What people's labels say of judge and cheap score: from a file, or shipped for the built-in judge."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from ragvigil.scorer import config
from ragvigil.scorer.config.watching import Detect
from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.errors import ConfigError, why

_KEY = "monitor.gold"


class Labels(NamedTuple):
    """A gold set and where it is from."""

    gold: GoldSet
    source: Literal["file", "shipped", "none"]
    """With none, verdicts say nothing about the truth, and only deterministic series can page."""


class _Item(BaseModel):
    """One labelled answer."""

    truth: Literal[0, 1]
    verdict: Literal[0, 1]
    cheap: float = Field(ge=0, le=1)
    inclusion: float | None = Field(default=None, gt=0, le=1)


class _Shipped(BaseModel):
    """The file in scorer/data."""

    truth: list[Literal[0, 1]]
    verdict: list[Literal[0, 1]]
    cheap: list[float]


def labels_of(monitor: config.Monitor, judge: config.Judge) -> Labels:
    """The gold set that the settings name, else the one that ships with the judge, else one that says nothing.

    Raises ConfigError that names the file's line and field.
    """
    if monitor.gold is not None:
        return Labels(read_gold(monitor.gold), "file")
    shipped = shipped_gold(judge.model) if judge.kind == "builtin" else None
    return Labels(_silent(), "none") if shipped is None else Labels(shipped, "shipped")


def with_own_floor(detect: Detect, labels: Labels) -> Detect:
    """The settings, without a floor where only labels of other traffic could say whether the level is under it."""
    return detect.model_copy(update={"slo": None, "burn": None}) if labels.source == "shipped" else detect


def shipped_gold(model: str) -> GoldSet | None:
    """The labelled answers that ship with a model of the built-in judge; None for a model without any."""
    shipped = files("ragvigil.scorer.data").joinpath(f"gold-{model}.json")
    if not shipped.is_file():
        return None
    found = _Shipped.model_validate_json(shipped.read_text(encoding="utf-8"))
    return GoldSet(np.array(found.truth), np.array(found.verdict), np.array(found.cheap))


def read_gold(path: Path, *, key: str = _KEY) -> GoldSet:
    """The gold set of a file of JSON lines; `key` is the setting or option that named it.

    Raises ConfigError that names the file's line and field.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(key, f"{path} cannot be read ({why(error)})") from None
    items = [
        _item(line, key, f"{path} line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    truth, verdict, cheap = (
        np.array([getattr(item, name) for item in items]) for name in ("truth", "verdict", "cheap")
    )
    chances = [item.inclusion for item in items if item.inclusion is not None]
    if chances and len(chances) < len(items):
        raise ConfigError(key, f"{path}: some items have an inclusion and some have none", "give all or none")
    try:
        return GoldSet(truth, verdict, cheap, np.array(chances) if chances else None)
    except ValueError as error:
        raise ConfigError(key, f"{path}: {error}") from None


def _item(line: str, key: str, place: str) -> _Item:
    try:
        return _Item.model_validate(json.loads(line))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the item"
        problem = f"{place}: {field}: {first['msg'].lower()}"
        raise ConfigError(key, problem, "give truth, verdict and cheap") from None
    except ValueError as error:
        raise ConfigError(key, f"{place} is no JSON: {error}") from None


def _silent() -> GoldSet:
    """A judge and a cheap score of which nothing is known: as good as a coin."""
    truth = np.repeat([1, 0], 20)
    return GoldSet(truth, np.tile([1, 0], 20), np.full(40, 0.5))
