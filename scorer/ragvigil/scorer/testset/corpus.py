"""The documents that a test set asks about: a file of passages, or a folder of files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.passages import passages_in

_PASSAGES = ".jsonl"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A snapshot of the documents."""

    texts: Mapping[str, str | None]
    """By id; None where a file is no text."""
    hashes: Mapping[str, str]
    """SHA-256 of each, hexadecimal."""

    @property
    def digest(self) -> str:
        """SHA-256 over ids and contents of all, in the order of the ids."""
        told = "".join(f"{len(name)}:{name}={self.hashes[name]}\n" for name in sorted(self.hashes))
        return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()

    def knows(self, name: str) -> bool:
        """Whether a golden id is there: itself, its document (`doc` of `doc#3`), or passages of a document.

        >>> corpus = Corpus({"fees#1": "", "hours.md": ""}, {})
        >>> [corpus.knows(one) for one in ("fees#1", "fees", "hours.md#2", "fees#2", "rules")]
        [True, True, True, False, False]
        """
        return name in self.texts or bool(self.parts(name)) or name.rpartition("#")[0] in self.texts

    def parts(self, name: str) -> list[str]:
        """Ids of the passages of a document, in their order."""
        return [one for one in self.texts if one.startswith(f"{name}#")]

    def text(self, name: str) -> str | None:
        """The text behind a golden id; None where there is none."""
        if name in self.texts:
            return self.texts[name]
        parts = [text for one in self.parts(name) if (text := self.texts[one])]
        return "\n\n".join(parts) if parts else self.texts.get(name.rpartition("#")[0])

    def hash(self, name: str) -> str | None:
        """SHA-256 of the content behind a golden id; None where there is none."""
        text = self.text(name)
        if text is not None:
            return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return self.hashes.get(name, self.hashes.get(name.rpartition("#")[0]))


def read_corpus(path: Path) -> Corpus:
    """The corpus of a file of rows {id, text}, or of a folder. Raises InputError that names the file and the fix.

    In a folder, `.jsonl` files hold such rows, and every other file is one document whose id is its path in the folder;
    what is hidden is left out.
    """
    texts: dict[str, str | None] = {}
    hashes: dict[str, str] = {}
    for name, content in _contents(path).items():
        hashes[name] = hashlib.sha256(content).hexdigest()
        try:
            texts[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            texts[name] = None
    if not hashes:
        raise InputError(str(path), "holds no document")
    return Corpus(texts, hashes)


def _contents(path: Path) -> dict[str, bytes]:
    if not path.is_dir():
        return {name: text.encode("utf-8", "surrogatepass") for name, text in passages_in(path).items()}
    found: dict[str, bytes] = {}
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        within = file.relative_to(path)
        if any(part.startswith(".") for part in within.parts):
            continue
        if file.suffix == _PASSAGES:
            more = {name: text.encode("utf-8", "surrogatepass") for name, text in passages_in(file).items()}
        else:
            more = {within.as_posix(): _bytes(file)}
        twice = next((name for name in more if name in found), None)
        if twice is not None:
            raise InputError(
                str(file), f"holds {twice[:60]!r}, which another file of {path} holds too; ids must differ"
            )
        found |= more
    return found


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror}") from None
