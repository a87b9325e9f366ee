"""How services are told apart on a screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping

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
        (service, environment): f"{service}, {environment or 'no environment'}"
        if len(known[service]) > 1
        else service
        for service, environment in keys
    }
