"""Whom to trust."""

from __future__ import annotations

import ssl
from pathlib import Path

from ragvigil.scorer.errors import ConfigError


def authority(name: str, path: Path | None) -> ssl.SSLContext:
    """Trust in the authority of a file; in those of the system and the environment when there is none.

    Raises ConfigError that names the setting.
    """
    import httpx

    if path is None:
        return httpx.create_ssl_context()
    try:
        return ssl.create_default_context(cafile=path)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"forward.{name}.ca_file", f"{path} cannot be used: {error}") from None
