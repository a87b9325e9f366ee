"""What the fields of several sections have in common: addresses, durations, secrets, lists of words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, SecretStr

from ragvigil.scorer.errors import why

ADDRESS = r"^[^\s/@?#]*:\d{1,5}$"
_SIGNING_IN = re.compile(r"^([^/]*//)[^/]*@")
_NAMED_SECRET = re.compile(r"((?:pass|pwd|token|secret|key)\w*\s*=\s*)\S+", re.IGNORECASE)
_HOST = re.compile(r"(?:\[[\d:a-fA-F.]*\]|[^\s/@?#:\[\]]*)(?::\d{1,5}(?![^/?#]))?")


class Section(BaseModel):
    """A section of the settings: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _bare(address: object) -> object:
    """A URL is refused in words of its own: its host would be none that is loopback."""
    if isinstance(address, str) and "://" in address:
        bare = _host_of(address)
        example = bare if re.fullmatch(ADDRESS, bare) and not bare.startswith(":") else "127.0.0.1:4318"
        raise ValueError(f"must be host:port without a scheme, such as {example}")
    return address


def _port_exists(address: str) -> str:
    if int(address.rpartition(":")[2]) > 65_535:
        raise ValueError("a port is at most 65535")
    return address


def _not_empty(secret: SecretStr) -> SecretStr:
    """An unset variable of a deployment arrives as an empty secret: that is none, and no door may open for it."""
    if not secret.get_secret_value().strip():
        raise ValueError("is empty; give it a value, or leave it out")
    return SecretStr(secret.get_secret_value().strip())


def _sendable(secret: SecretStr) -> SecretStr:
    """A header holds ASCII on one line; what else stands in a key came with a careless copy."""
    key = secret.get_secret_value()
    if not (key.isascii() and key.isprintable()):
        raise ValueError(
            "has a character that no header can carry (an accent, a line break, a typographic dash): "
            "copy the key again, printable ASCII alone"
        )
    return secret


def _read(secret: object) -> object:
    """What ``{ file = "/run/secrets/name" }`` stands for: the text of that file, as orchestrators mount secrets."""
    if not isinstance(secret, dict):
        return secret
    told = cast("dict[object, object]", secret)
    path = told.get("file")
    if set(told) != {"file"} or not isinstance(path, str):
        raise ValueError('must be a text, or { file = "path" }')
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ValueError(f"the file {path} cannot be read ({why(error)})") from None


def several(value: object) -> object:
    """What an environment variable says of a list: JSON, or words between commas."""
    if not isinstance(value, str):
        return value
    if not value.startswith("["):
        return [word.strip() for word in value.split(",") if word.strip()]
    try:
        return json.loads(value)
    except ValueError:
        raise ValueError('must be words between commas, or a list in JSON such as ["a", "b"]') from None


def one_or_several(value: object) -> object:
    """The same of a list of regular expressions, in which commas and brackets mean something else: JSON, or one."""
    if not isinstance(value, str):
        return value
    try:
        told: object = json.loads(value)
    except ValueError:
        return [value]
    return cast("object", told) if isinstance(told, list) else [value]


def place_and_name(entry: str) -> tuple[str, str]:
    """Module or file of code, and what is meant in it, if it is said; folders may have colons in their names.

    >>> place_and_name("ours.dialects:Mine"), place_and_name("/a:b/mine.py"), place_and_name("/a:b/mine.py:Mine")
    (('ours.dialects', 'Mine'), ('/a:b/mine.py', ''), ('/a:b/mine.py', 'Mine'))
    """
    if entry.endswith(".py") or ":" not in entry:
        return entry, ""
    place, _, name = entry.rpartition(":")
    return place, name


def _host_of(address: str) -> str:
    """Host and port; what signs in may hold a slash, so it ends with the last @."""
    found = _HOST.match(address.rpartition("@")[2] if "@" in address else address.partition("://")[2])
    return found[0] if found else ""


def recognisable(value: str) -> str:
    """What was set, as an error may quote it: of an address only scheme, host and port, for the rest may be secret.

    >>> recognisable("https://me:p/w@gateway:4318/v1?key=k"), recognisable("me:pw@db"), recognisable("fast")
    ('https://***@gateway:4318***', '***@db', 'fast')
    """
    scheme, mark, _ = value.partition("://")
    if not mark and "@" not in value:
        return _NAMED_SECRET.sub(r"\1***", value)
    begins = f"{scheme}{mark}" if mark and re.fullmatch(r"[a-zA-Z+]{1,20}", scheme) else ""
    host, behind = _host_of(value), "@" in value
    shown = f"{begins}{'***@' if behind else ''}{host}"
    return shown if value.endswith(f"{'@' if behind else '://'}{host}") else f"{shown}***"


def without_secrets(url: str) -> str:
    """An address as it may be shown and stored: stars for who signs in, and for the values of its parameters.

    >>> without_secrets("https://me:pw@gateway/v1?key=sk-1&v=2"), without_secrets("http://127.0.0.1:8080/v1")
    ('https://***@gateway/v1?key=***&v=***', 'http://127.0.0.1:8080/v1')
    """
    before, mark, query = url.partition("?")
    names = [f"{part.partition('=')[0]}=***" if "=" in part else "***" for part in query.split("&")]
    return _SIGNING_IN.sub(r"\1***@", before) + (f"?{'&'.join(names)}" if mark else "")


Url = Annotated[str, PlainSerializer(without_secrets, when_used="json")]
"""An address in which an operator may have put a secret."""
MOST_DAYS = 36_525
"""A hundred years: longer is a slip, and soon more nanoseconds than an integer of SQLite holds."""
Seconds = Annotated[float, Field(gt=0, le=MOST_DAYS * 86_400)]
NAME = r"^[a-z][a-z0-9_-]{0,62}$"
Address = Annotated[str, BeforeValidator(_bare), Field(pattern=ADDRESS), AfterValidator(_port_exists)]
Secret = Annotated[SecretStr, BeforeValidator(_read), AfterValidator(_not_empty)]
Key = Annotated[Secret, AfterValidator(_sendable)]
"""A secret that is sent as a header."""
Words = Annotated[tuple[str, ...], BeforeValidator(several)]
Name = Annotated[str, Field(pattern=NAME)]
"""What an operator calls a thing of which there may be several; it stands in counters and log lines."""
