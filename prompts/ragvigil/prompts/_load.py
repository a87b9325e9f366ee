"""Reading prompt files: Markdown with TOML between two ``+++`` lines in front."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

_FENCE = "+++"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of one rubric or judge prompt."""

    id: str
    version: str
    text: str
    """The Markdown after the front matter."""
    metadata: Mapping[str, object]
    """The front matter: what is judged, what changed."""
    digest: str
    """SHA-256 of the whole file, with LF line ends; stored with every score it led to."""


class UnknownPromptError(LookupError):
    """No such prompt, or no such version of it; names those that exist."""

    def __init__(self, wanted: str, known: list[str]) -> None:
        super().__init__(f"no prompt {wanted!r}; known: {', '.join(known)}")


def load(id: str, version: str | None = None) -> Prompt:  # noqa: A002 - `id` is what the files call it
    """The prompt of that id, in its newest version unless one is named; UnknownPromptError when there is none.

    >>> prompt = load("faithfulness", "1")
    >>> prompt.id, prompt.version, len(prompt.digest)
    ('faithfulness', '1', 64)
    """
    versions = _versions().get(id)
    if versions is None:
        raise UnknownPromptError(id, sorted(_versions()))
    chosen = max(versions, key=_order) if version is None else version
    if chosen not in versions:
        raise UnknownPromptError(f"{id}/{chosen}", [f"{id}/{one}" for one in sorted(versions, key=_order)])
    return _read(versions[chosen], id, chosen)


def _versions() -> dict[str, dict[str, Traversable]]:
    """Prompt files by id and version."""
    return {
        folder.name: {
            file.name.removesuffix(".md"): file for file in folder.iterdir() if file.name.endswith(".md")
        }
        for folder in files("ragvigil.prompts").iterdir()
        if folder.is_dir() and not folder.name.startswith("_")
    }


def _order(version: str) -> tuple[int, str]:
    return int(version) if version.isdigit() else -1, version


def _read(file: Traversable, id: str, version: str) -> Prompt:  # noqa: A002 - as above
    source = file.read_text("utf-8").replace("\r\n", "\n")
    _, front, text = source.split(f"{_FENCE}\n", 2)
    metadata = tomllib.loads(front)
    if (metadata.get("id"), metadata.get("version")) != (id, version):
        raise ValueError(f"{file}: its front matter says {metadata.get('id')}/{metadata.get('version')}")
    return Prompt(id, version, text.strip("\n"), metadata, hashlib.sha256(source.encode()).hexdigest())
