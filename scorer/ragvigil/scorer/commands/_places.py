"""How services are told apart on a screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ragvigil.exporters import escaped

_MOST = 60
"""Characters of a name: all columns are as wide as their widest. Kubernetes has 63 for a whole label."""
_END = 20
"""Of them at the end, where names of one team differ."""

Key = tuple[str, str | None]
"""Service and environment."""


def places(keys: Collection[Key]) -> Mapping[Key, str]:
    """A name for each: the environment is said only where a service has several.

    >>> places([("shop", "production"), ("bank", "production"), ("bank", None)])[("bank", None)]
    'bank, no environment'
    >>> places([("shop", "production"), ("bank", "production")])[("shop", "production")]
    'shop'
    """
    known: dict[str, set[str | None]] = {}
    for service, environment in keys:
        known.setdefault(service, set()).add(environment)
    return {
        (service, environment): f"{on_screen(service)}, {on_screen(environment or 'no environment')}"
        if len(known[service]) > 1
        else on_screen(service)
        for service, environment in keys
    }


def place_on_screen(service: str, environment: str | None) -> str:
    """Both names, where there is an environment.

    >>> place_on_screen("shop", "staging"), place_on_screen("shop", None)
    ('shop, staging', 'shop')
    """
    return on_screen(service) + (f", {on_screen(environment)}" if environment else "")


def on_screen(name: str) -> str:
    r"""A name that a sender chose, on one line of at most 60 characters; what is not seen of it is escaped.

    >>> print(on_screen("a\nb\0"), on_screen("x" * 50 + "y" * 50))
    a\nb\x00 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…yyyyyyyyyyyyyyyyyyyy
    """
    line = escaped(name).replace("\n", "\\n").replace("\t", "\\t")
    return line if len(line) <= _MOST else f"{line[: _MOST - _END - 1]}…{line[-_END:]}"
