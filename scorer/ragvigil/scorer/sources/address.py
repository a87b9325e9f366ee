"""Addresses and keys that a person gives for a server, checked before anything is asked of it."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from ragvigil.exporters import is_address
from ragvigil.scorer.errors import ConfigError


def client_of(option: str, url: str, headers: Mapping[str, str], timeout: httpx.Timeout) -> httpx.Client:
    """A client for the server at `url`, which `option` names. Raises ConfigError, and shows no password.

    >>> str(client_of("--to", "http://127.0.0.1:4318", {}, httpx.Timeout(1)).base_url)
    'http://127.0.0.1:4318'
    """
    if not is_address(url):
        raise ConfigError(option, "must look like https://HOST or http://HOST:PORT")
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ConfigError(option, "holds a password", "keys come from the environment")
    if parts.query or parts.fragment:
        raise ConfigError(
            option, "goes on behind a ? or #", "name the server's root; keys come from the environment"
        )
    try:
        return httpx.Client(base_url=url, headers=headers, timeout=timeout)
    except httpx.InvalidURL as error:
        raise ConfigError(option, f"is no address: {error}") from None


def key(variable: str) -> str | None:
    """A key out of the environment, without the line end of the file it came from; None when it is not set.

    Raises ConfigError for one that no header can hold.
    """
    found = os.environ.get(variable, "").strip()
    if not (found.isascii() and found.isprintable()):
        raise ConfigError(variable, "must be one line of printable ASCII, for it becomes a header")
    return found or None


def bearer(variable: str) -> dict[str, str]:
    """The header for a token out of the environment; {} when it is not set. Raises ConfigError."""
    token = key(variable)
    return {"authorization": f"Bearer {token}"} if token else {}


def basic(user: str, password: str) -> dict[str, str]:
    """The header for user and password out of these variables; {} when no user is set. Raises ConfigError."""
    name = key(user)
    if not name:
        return {}
    pair = base64.b64encode(f"{name}:{key(password) or ''}".encode()).decode()
    return {"authorization": f"Basic {pair}"}
