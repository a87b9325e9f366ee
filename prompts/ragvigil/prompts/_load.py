"""Reading prompt files: Markdown with TOML between two ``+++`` lines in front.

After the front matter comes one text, or one for each language, each under a line ``+++ en`` with its code, and
under ``+++ data`` how what is judged is laid out for the judge.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import cast

_FENCE = "+++"
_PART = re.compile(r"^\+\+\+ ([a-z]{2,4})\n", re.MULTILINE)
_DATA = "data"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of one rubric or judge prompt."""

    id: str
    version: str
    text: str
    """The Markdown after the front matter; of several languages, the first."""
    metadata: Mapping[str, object]
    """The front matter: what is judged, what changed."""
    digest: str
    """SHA-256 of the whole file, with LF line ends; stored with every score it led to."""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The Markdown by language code; empty where the file has one text only."""
    data: str | None = None
    """Template of what is judged; None where the file has none."""

    @property
    def name(self) -> str:
        """Id and version, as logs and errors call it: ``rubric/1``."""
        return f"{self.id}/{self.version}"

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the values that the text has places for."""
        found = self.metadata.get("fields", [])
        return tuple(map(str, cast("list[object]", found))) if isinstance(found, list) else ()

    @property
    def reply(self) -> str | None:
        """Name of the schema that an answer to it follows; None where nothing is asked."""
        found = self.metadata.get("reply")
        return found if isinstance(found, str) else None

    def in_language(self, code: str | None) -> str:
        """The text in that language, else in the first one of the file.

        >>> load("rubric").in_language("pt")[:8] != load("rubric").in_language("xx")[:8]
        True
        """
        return self.texts.get(code or "", self.text)


class UnknownPromptError(LookupError):
    """No such prompt, or no such version of it; names those that exist."""

    def __init__(self, wanted: str, known: list[str]) -> None:
        super().__init__(f"no prompt {wanted!r}; known: {', '.join(known)}")


class PromptError(ValueError):
    """A prompt file that cannot be used; says which and why."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"prompt {name}: {problem}")


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
    prompt = parse(versions[chosen].read_text("utf-8"), name=f"{id}/{chosen}")
    if (prompt.id, prompt.version) != (id, chosen):
        raise PromptError(f"{id}/{chosen}", f"its front matter says {prompt.name}")
    return prompt


def names() -> tuple[str, ...]:
    """Ids of all prompts.

    >>> "rubric" in names()
    True
    """
    return tuple(sorted(_versions()))


def load_file(path: Path) -> Prompt:
    """The prompt in a file of one's own; PromptError says what is wrong with it."""
    try:
        source = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(str(path), f"cannot be read ({type(error).__name__})") from None
    return parse(source, name=str(path))


def parse(source: str, *, name: str) -> Prompt:
    """The prompt that a text spells; PromptError, which calls it `name`, says what is wrong with it.

    >>> parse('+++\\nid = "tone"\\nversion = "1"\\n+++\\nBe kind.\\n', name="tone").text
    'Be kind.'
    """
    source = source.replace("\r\n", "\n")
    parts = source.split(f"{_FENCE}\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise PromptError(name, "begins with no front matter: TOML between two lines +++")
    try:
        metadata = tomllib.loads(parts[1])
    except tomllib.TOMLDecodeError as error:
        raise PromptError(name, f"its front matter is no TOML: {error}") from None
    for key in ("id", "version"):
        if not isinstance(metadata.get(key), str) or not metadata[key]:
            raise PromptError(name, f'its front matter lacks {key}: write {key} = "…"')
    texts = _texts(parts[2])
    data = texts.pop(_DATA, None)
    text = next(iter(texts.values())) if texts else parts[2].strip("\n")
    digest = hashlib.sha256(source.encode()).hexdigest()
    return Prompt(metadata["id"], metadata["version"], text, metadata, digest, texts, data)


def _texts(body: str) -> dict[str, str]:
    """The parts by their names; none where the body is not parted."""
    _, *parts = _PART.split(body)
    return {code: text.strip("\n") for code, text in zip(parts[::2], parts[1::2], strict=True)}


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
