"""Which headers go to a backend."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.receive.forward.item import VIA
from ragvigil.scorer.receive.settings import ForwardTo


class Headers:
    """What is added to every request, and what of the sender's may pass."""

    def __init__(self, name: str, settings: ForwardTo, *, instance: str) -> None:
        """Raises ConfigError for a file that cannot be read."""
        self._instance = instance
        self._passed = tuple(header.lower() for header in settings.pass_headers)
        self._added = {key.lower(): value for key, value in settings.headers.items()}
        for key, path in settings.header_files.items():
            self._added[key.lower()] = _secret(f"forward.{name}.header_files.{key}", path)

    def of(self, sent: Mapping[str, str]) -> dict[str, str]:
        """Names in lower case; ours win over the sender's."""
        found = {key: sent[key] for key in self._passed if key in sent}
        passed = {key: value for key, value in found.items() if value.isascii() and value.isprintable()}
        via = ", ".join(filter(None, (sent.get(VIA), self._instance)))
        return {**passed, **self._added, VIA: via}


def _secret(key: str, path: Path) -> str:
    try:
        value = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ConfigError(key, f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise ConfigError(key, f"{path} must hold printable ASCII") from None
    if not value or not value.isprintable():
        raise ConfigError(key, f"{path} must hold one line of text")
    return value
