"""A gate file, checked before anything is judged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ragvigil.scorer import config
from ragvigil.scorer.config.faults import faults_of, together
from ragvigil.scorer.config.load import naming
from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.gate.names import CORRECTED, Better, named
from ragvigil.scorer.gate.scenarios import SCENARIOS
from ragvigil.scorer.gate.settings import Gate, Limit
from ragvigil.scorer.watch.gold import read_gold

_UNQUOTED = re.compile(r"((?:segments\.[^.]+\.)?limits)\.((?:judge|criteria)\.[^.]+)")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A gate with what its file names."""

    gate: Gate
    judge: config.Judge
    gold: Mapping[str, GoldSet]
    """By the key of the limit that names it, such as ``limits.faithfulness``."""


def load_gate(path: Path) -> Loaded:
    """The gate. ConfigError names every key that is wrong, the problem, and the nearest known key."""
    with naming(path):
        tree = tomllib.loads(path.read_text("utf-8-sig"))
    try:
        gate = Gate.model_validate(tree)
    except ValidationError as error:
        raise together([_explained(fault, path) for fault in faults_of(error, Gate)]) from None
    faults = [fault for key, name, limit in limits_of(gate) for fault in _faults(key, name, limit)]
    faults += [*_regressions(gate), *_scenarios(gate)]
    if faults:
        raise together(faults)
    gold = {
        key: read_gold(path.parent / limit.gold, key=f"{key}.gold")
        for key, _, limit in limits_of(gate)
        if limit.gold is not None
    }
    return Loaded(gate, config.load(overrides={"judge": gate.judge}).judge, gold)


def limits_of(gate: Gate) -> Iterator[tuple[str, str, Limit]]:
    """(key, figure, limit) of each limit, those of segments too."""
    for name, limit in gate.limits.items():
        yield f"limits.{name}", name, limit
    for segment, section in gate.segments.items():
        for name, limit in section.limits.items():
            yield f"segments.{segment}.limits.{name}", name, limit


def _explained(fault: ConfigError, path: Path) -> ConfigError:
    """The fault with the file, where it is of all of it; or that TOML took a name's dot for a section of its own."""
    if not fault.key:
        return ConfigError(str(path), fault.problem, fault.hint)
    split = _UNQUOTED.fullmatch(fault.key)
    if split is None:
        return fault
    return ConfigError(fault.key, "a figure's name holds the dot", f'write {split[1]}."{split[2]}"')


def _faults(key: str, name: str, limit: Limit) -> Iterator[ConfigError]:
    try:
        figure = named(name, key)
    except ConfigError as error:
        yield error
        return
    asked: Better = "high" if limit.at_least is not None else "low"
    if figure.better not in (asked, "neither"):
        right = "at_least" if figure.better == "high" else "at_most"
        yield ConfigError(key, f"a {figure.better} one is good", f"say {right}")
    if figure.unit == "share":
        for end in ("at_least", "at_most"):
            given: float | None = getattr(limit, end)
            if given is not None and 1.0 < given <= 100.0:
                yield ConfigError(
                    f"{key}.{end}", "is a share from 0 to 1", f"did you mean {given / 100.0:g}?"
                )
                return
        if limit.at_least is not None and limit.at_least >= 1.0:
            yield ConfigError(
                f"{key}.at_least", "no interval ends at 1", "0.95 needs 73 answers, all right; 0.99 381"
            )
        if limit.at_most is not None and limit.at_most >= 1.0:
            yield ConfigError(f"{key}.at_most", "every share keeps it", "set a number under 1")
    if limit.gold is not None and name not in CORRECTED:
        yield ConfigError(
            f"{key}.gold", "labels correct the judge's verdicts", f"of {' and '.join(CORRECTED)} alone"
        )


def _scenarios(gate: Gate) -> Iterator[ConfigError]:
    """A misspelt scenario would be tried by the usual limit, or not be left out."""
    told = gate.scenarios
    for key, names in () if told is None else (("at_least", told.at_least), ("without", told.without)):
        for name in names:
            if name not in SCENARIOS:
                place = f"scenarios.{key}.{name}"
                yield ConfigError(place, "no scenario is called so", meant(name, list(SCENARIOS)))
    if told is not None and len(told.without) == len(SCENARIOS):
        yield ConfigError("scenarios.without", "leaves out all of them", "leave [scenarios] out")


def _regressions(gate: Gate) -> Iterator[ConfigError]:
    for name in gate.baseline.figures if gate.baseline else ():
        key = "baseline.figures"
        try:
            figure = named(name, key)
            if figure.better == "neither":
                yield ConfigError(key, f"no end of {name} is the better one", "take another figure")
            elif figure.kind != "share":
                yield ConfigError(key, f"{name} is no share", "give it a limit instead")
        except ConfigError as error:
            yield ConfigError(key, f"no figure is called {name!r}", error.hint)
