"""Every setting that there is, and a configuration that says one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast, get_args, get_origin

from pydantic import BaseModel

from ragvigil.scorer.config import CHANNELS, Settings


def every_setting(
    section: type[BaseModel] = Settings, place: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Where each of them stands; x is a name of the operator's own."""
    for name, field in section.model_fields.items():
        values = field.annotation
        own = get_origin(values) is dict
        inner = get_args(values)[1] if own else values
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from every_setting(inner, (*place, name, "x") if own else (*place, name))
        elif name != "channels":
            yield (*place, name)
    for kind, channel in () if place else CHANNELS.items():
        yield from (("channels", kind, name) for name in channel.model_fields if name != "type")


def tree_of(
    place: tuple[str, ...], value: object, beside: Mapping[str, object] | None = None
) -> dict[str, object]:
    """A configuration with the value at that place, and what else its own section says."""
    tree: dict[str, object] = {"channels": {place[1]: {"type": place[1]}}} if "channels" in place else {}
    branch = tree
    for part in place[:-1]:
        branch = cast("dict[str, object]", branch.setdefault(part, {}))
    branch |= beside or {}
    branch[place[-1]] = value
    return tree
