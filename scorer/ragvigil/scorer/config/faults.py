"""What is wrong with settings, in words that name the key, the problem and the fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from ragvigil.scorer.config.budgeting import Budgets
from ragvigil.scorer.config.channels import CHANNELS
from ragvigil.scorer.config.citing import Citing
from ragvigil.scorer.config.custom import CustomCheck
from ragvigil.scorer.config.fields import ADDRESS, NAME, recognisable
from ragvigil.scorer.config.filtering import Filter
from ragvigil.scorer.config.forwarding import Forward
from ragvigil.scorer.config.routing import Route
from ragvigil.scorer.config.sections import Settings
from ragvigil.scorer.config.variables import told
from ragvigil.scorer.errors import ConfigError, meant, nearest

_NAMED: Mapping[str, tuple[type[BaseModel], ...]] = {
    "channels": tuple(CHANNELS.values()),
    "forward": (Forward,),
    "filters": (Filter,),
    "citations": (Citing,),
    "budgets": (Budgets,),
    "custom_checks": (CustomCheck,),
    "routes": (Route,),
}
"""Sections of which there may be several, each under a name of its own, and what such a one may be."""
_MOST_FAULTS = 50
_NAME_DEPTH = 2
"""Parts of the key of one of them; deeper are tables whose keys are the operator's own."""
_SECRETS = frozenset(
    {
        "token",
        "secret",
        "routing_key",
        "api_key",
        "embedding_key",
        "password",
        "user_id_key",
        "url",
        "headers",
        "heartbeat_url",
        "pagerduty_secret",
        "slack_signing_secret",
        "secret_key",
    }
)
"""Values that no error may show; an address may hold a password."""


def explained(error: ValidationError, environment: Iterable[str]) -> ConfigError:
    """All that is wrong: a misspelt key before what follows from it, and never a secret's value.

    `environment` are the names of its variables: what those set is in no file.
    """
    return together([*told(faults_of(error, Settings), environment)])


def faults_of(error: ValidationError, root: type[BaseModel]) -> list[ConfigError]:
    """Each thing that is wrong with what should have been a `root`, misspelt keys first."""
    problems = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    return [_explain_one(problem, root) for problem in problems]


def _explain_one(problem: ErrorDetails, root: type[BaseModel]) -> ConfigError:
    place = tuple(str(part) for part in problem["loc"])
    explain = _EXPLANATIONS.get(problem["type"])
    kind: str | None = None
    if place[:1] == ("channels",) and len(place) > _NAME_DEPTH and place[_NAME_DEPTH] in CHANNELS:
        kind, place = place[_NAME_DEPTH], (*place[:_NAME_DEPTH], *place[_NAME_DEPTH + 1 :])
    return (explain or _plainly)(place, problem, root, kind)


def together(faults: Sequence[ConfigError]) -> ConfigError:
    """One error that says them all, so that a configuration is mended in one go; each key once."""
    first, *others = {fault.key: fault for fault in faults}.values()
    return ConfigError(first.key, first.problem, first.hint, also=others[:_MOST_FAULTS])


def _unknown_key(
    place: tuple[str, ...], _: ErrorDetails, root: type[BaseModel], kind: str | None
) -> ConfigError:
    *within, key = place
    deeper = next(_below(tuple(within), key, root), None)
    hint = f"say {deeper}" if deeper else meant(key, _known_keys(tuple(within), root, kind))
    return ConfigError(".".join(place), "unknown key", hint)


def _below(place: tuple[str, ...], key: str, root: type[BaseModel]) -> Iterator[str]:
    """Where that key stands in the sections of a section."""
    if not place or place[0] in _NAMED:
        return
    for section in _found(place, root)[0]:
        for name, field in section.model_fields.items():
            if any(key in inner.model_fields for inner in _section_of(field.annotation)):
                yield ".".join([*place, name, key])


def _no_type(place: tuple[str, ...], _: ErrorDetails, __: type[BaseModel], ___: str | None) -> ConfigError:
    return ConfigError(f"{'.'.join(place)}.type", "missing", "known: " + ", ".join(CHANNELS))


def _wrong_type(
    place: tuple[str, ...], problem: ErrorDetails, _: type[BaseModel], __: str | None
) -> ConfigError:
    said = str(problem.get("ctx", {}).get("tag"))
    return ConfigError(
        f"{'.'.join(place)}.type", f"no channel is called {said!r}", meant(said, list(CHANNELS))
    )


def is_section(
    place: tuple[str, ...],
    problem: ErrorDetails | None = None,
    root: type[BaseModel] = Settings,
    _: str | None = None,
) -> ConfigError:
    """The error of a value where a section has to be."""
    if problem is not None and isinstance(problem["input"], list) and len(place) == 1:
        name = f"{place[0]}.NAME" if place[0] in _NAMED else place[0]
        return ConfigError(place[0], "is a section, not a list", f"write [{name}], not [[{place[0]}]]")
    known = [] if place[0] in _NAMED and len(place) > _NAME_DEPTH else _known_keys(place, root)
    hint = f"set a key in it, such as {known[0]}" if known else '{ "key" = "value" }'
    return ConfigError(".".join(place), "is a section, not a value", hint)


def _plainly(
    place: tuple[str, ...], problem: ErrorDetails, root: type[BaseModel], kind: str | None
) -> ConfigError:
    """What the value has to be, what it is, and what the setting is for."""
    value: object = problem["input"]
    words = _WORDS.get(problem["type"])
    message = _veiled(_message(place, problem, words), value)
    told = problem["type"] not in _UNTOLD and _SECRETS.isdisjoint(place)
    got = _got(value) if told else ""
    hints = _choice(problem) if told else []
    hints += [got] if got and (words or got != _SECTION) else []  # what a section lacks, its rule says
    _, field = _found(place, root, kind)
    if words and field is not None and field.description:
        hints.append(field.description)
    return ConfigError(".".join(place), message, "; ".join(hints) or None)


def _message(place: tuple[str, ...], problem: ErrorDetails, words: str | None) -> str:
    """What the value has to be; `words` are those of its type, with names of its bounds."""
    bounds = {
        name: f"{bound:g}" if isinstance(bound, float) else bound
        for name, bound in problem.get("ctx", {}).items()
    }
    message = words.format_map(bounds) if words else problem["msg"].removeprefix("Value error, ")
    if place[:2] == ("judge", "panel"):  # it is checked as if it were the only judge
        message = message.replace("judge.", ".".join(place[:3]) + ".")
    if problem["type"] == "string_pattern_mismatch":
        return _SHAPES.get(str(bounds["pattern"]), message)
    return message


def _choice(problem: ErrorDetails) -> list[str]:
    """Which of the words that a setting may be is nearest to the one it is; [] where none is near."""
    if problem["type"] != "literal_error" or not isinstance(problem["input"], str):
        return []
    words = re.findall("'([^']+)'", str(problem.get("ctx", {}).get("expected")))
    return [f"did you mean {word}?" for word in nearest(problem["input"], words)]


def _veiled(message: str, value: object) -> str:
    """The message, with whatever it quotes of the value as an error may quote it."""
    for text in _texts(value):
        message = message.replace(text, recognisable(text))
    return message


def _texts(value: object) -> Iterator[str]:
    """Every text in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        several = cast("Mapping[object, object] | Sequence[object]", value)
        for one in several.values() if isinstance(several, Mapping) else several:
            yield from _texts(one)


def _got(value: object) -> str:
    """A value in an error."""
    if isinstance(value, Mapping | list | tuple):
        return _SECTION if isinstance(value, Mapping) else "got a list"
    shown = recognisable(value) if isinstance(value, str) else value
    return f"got {shown!r}"[:_SHOWN_CHARACTERS]


_SECTION = "got a section"
_SHOWN_CHARACTERS = 200
_UNTOLD = ("missing", "model_attributes_type")
"""Problems whose error does not show the value: there is none, or it stands for a whole section, secrets and all."""
_NUMBER = "must be a number"
_WHOLE = "must be a whole number"
_LIST = 'must be a list, such as ["a", "b"]'
_WORDS = {
    "missing": "is missing",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": "is too large a number",
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a text in quotes",
    "path_type": "must be a path in quotes",
    "tuple_type": _LIST,
    "list_type": _LIST,
    "literal_error": "must be {expected}",
    "greater_than": "must be over {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be under {lt}",
    "less_than_equal": "must be at most {le}",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "string_too_short": "is empty",
    "too_short": "is empty",
    "model_attributes_type": "is a section, not a value",
}
"""What pydantic finds wrong, in words for whoever writes settings."""
_SHAPES = {
    ADDRESS: "must be host:port, such as 127.0.0.1:4318",
    NAME: "must begin with a small letter and hold only small letters, digits, _ and -, 63 at most",
}
"""What patterns ask for."""
_EXPLANATIONS = {
    "extra_forbidden": _unknown_key,
    "union_tag_not_found": _no_type,
    "union_tag_invalid": _wrong_type,
    "model_type": is_section,
    "dict_type": is_section,
}


def _known_keys(place: tuple[str, ...], root: type[BaseModel], kind: str | None = None) -> list[str]:
    """Keys of the section at `place`; for a channel of no `kind`, those of every kind of channel."""
    if place and place[0] in _NAMED:
        sections = _NAMED[place[0]] if kind is None else (CHANNELS[kind],)
        return sorted({key for section in sections for key in section.model_fields})
    sections, _ = _found(place, root)
    return [key for section in sections for key in section.model_fields]


def _found(
    place: tuple[str, ...], root: type[BaseModel], kind: str | None = None
) -> tuple[tuple[type[BaseModel], ...], FieldInfo | None]:
    """The sections at that place of a `root`, and the field that leads there, or to the value that holds it.

    `kind` is the type of a channel, which decides what it may be.
    """
    sections: tuple[type[BaseModel], ...] = (root,)
    field: FieldInfo | None = None
    for part in place:
        fields = (section.model_fields.get(part) for section in sections)
        known = next((one for one in fields if one is not None), None)
        if known is None:  # a name of the operator's own, or a place in a list
            continue
        if field is None and part in _NAMED:
            sections = (CHANNELS[kind],) if part == "channels" and kind is not None else _NAMED[part]
        else:
            sections = tuple(_section_of(known.annotation))
        field = known
    return sections, field


def _section_of(annotation: object) -> Iterator[type[BaseModel]]:
    """The section that a field is or may be, or that each of its values is."""
    inner: object = get_args(annotation)[1] if get_origin(annotation) is dict else annotation
    for one in get_args(inner) if get_origin(inner) is UnionType else (inner,):
        if isinstance(one, type) and issubclass(one, BaseModel):
            yield one
