"""The environment's part in what is wrong with settings: which variable says a key, or was meant to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragvigil.scorer.errors import ConfigError, set_instead

PREFIX = "RAGVIGIL_"
_NAMED = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")
"""A variable in a sentence."""
_TYPE = ".type"
_MISSING = "is missing"


def told(faults: Sequence[ConfigError], environment: Iterable[str]) -> Iterator[ConfigError]:
    """Each fault, with the variable that says its key; what is missing, with one that is spelt nearly so."""
    names = [*environment]
    keys = {_key(name): name for name in names if name.startswith(PREFIX)}
    unfinished = tuple(f"{_section(fault)}." for fault in faults if fault.key.endswith(_TYPE))
    strange = [name for name in names if not name.startswith(PREFIX) or _key(name).startswith(unfinished)]
    for fault in faults:
        hint = _said_by(fault, keys) or _meant_by(fault, strange)
        yield ConfigError(fault.key, fault.problem, "; ".join(filter(None, (fault.hint, hint))) or None)


def _key(name: str) -> str:
    """
    >>> _key("RAGVIGIL_SAMPLE__RATE")
    'sample.rate'
    """
    return name.removeprefix(PREFIX).lower().replace("__", ".")


def _section(fault: ConfigError) -> str:
    return fault.key.removesuffix(_TYPE)


def _said_by(fault: ConfigError, keys: Mapping[str, str]) -> str | None:
    """A channel without a type may be there only because of a variable that names another one wrongly."""
    within = f"{_section(fault)}." if fault.key.endswith(_TYPE) else None
    found = keys.get(fault.key) or next(
        (name for key, name in keys.items() if within is not None and key.startswith(within)), None
    )
    return found and f"set by {found}"


def _meant_by(fault: ConfigError, strange: Sequence[str]) -> str | None:
    """`strange` are the variables that may be misspelt: without our prefix, or in a section that nobody else knows."""
    own = [PREFIX + fault.key.upper().replace(".", "__")] if fault.problem == _MISSING else []
    hints = (set_instead(name, strange) for name in [*own, *_NAMED.findall(fault.problem)])
    return next(filter(None, hints), None)
