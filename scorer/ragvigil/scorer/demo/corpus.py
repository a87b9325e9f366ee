"""The example service's corpus: the documentation that Python's own standard library carries.

It is on every machine that runs Python and needs no network. Sources are parsed, never executed; what is
written in C shows its docstrings through a fixed list of modules that are safe to import.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import logging
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Literal

from ragvigil.scorer.demo.prose import is_readable, paragraphs, sentences
from ragvigil.scorer.errors import InputError

_LOG = logging.getLogger(__name__)

Kind = Literal["module", "class", "function"]

_VOCABULARY = json.loads(
    files("ragvigil.scorer.demo").joinpath("vocabulary.json").read_text(encoding="utf-8")
)
_SKIPPED_FOLDERS: frozenset[str] = frozenset(_VOCABULARY["skipped_folders"])
_PUBLIC_NAMES: dict[str, str] = _VOCABULARY["public_names"]
"""Modules whose documentation belongs to a name that people know better."""
_WRITTEN_IN_C: list[str] = _VOCABULARY["written_in_c"]
_HOMES_IN_C = ("_blake2", "_sre", "_thread", "nt", "posix")
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_CHUNK_WORDS = 110


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of documentation."""

    id: str
    """The name and the chunk's number, ``json.dumps#0``."""
    name: str
    """What it documents, fully qualified."""
    kind: Kind
    text: str
    """Begins with the name, so that a passage says by itself what it is about."""


def load_corpus(folder: Path | None = None) -> tuple[Passage, ...]:
    """Every passage under `folder` (the standard library), sorted by name; the same on every call.

    Raises InputError where Python came without its sources.
    """
    root = folder or Path(sysconfig.get_path("stdlib"))
    entries: dict[str, tuple[Kind, str]] = {}
    for name, kind, docstring in _from_sources(root):
        entries.setdefault(name, (kind, docstring))
    if not entries:
        raise InputError(
            str(root), "holds no Python sources; the demo reads the standard library's docstrings"
        )
    if folder is None:
        for name, kind, docstring in _from_c_modules():
            entries.setdefault(name, (kind, docstring))
    return tuple(
        passage
        for name, (kind, docstring) in sorted(entries.items())
        for passage in _passages(name, kind, docstring)
    )


def _passages(name: str, kind: Kind, docstring: str) -> Iterator[Passage]:
    for number, chunk in enumerate(_chunks(paragraphs(docstring))):
        if any(is_readable(sentence) for sentence in sentences(chunk)):
            yield Passage(f"{name}#{number}", name, kind, f"{name}: {chunk}")


def _chunks(texts: list[str]) -> Iterator[str]:
    """Neighbouring paragraphs together, as long as a chunk stays near 110 words."""
    chunk: list[str] = []
    words = 0
    for text in texts:
        length = len(text.split())
        if chunk and words + length > _CHUNK_WORDS:
            yield " ".join(chunk)
            chunk, words = [], 0
        chunk.append(text)
        words += length
    if chunk:
        yield " ".join(chunk)


def _from_sources(root: Path) -> Iterator[tuple[str, Kind, str]]:
    for path in sorted(root.rglob("*.py")):
        module = _module_name(path.relative_to(root))
        if module is None:
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError) as error:
            _LOG.info("%s is left out of the corpus: %s", path.name, error)
            continue
        yield from _from_tree(tree, module, "module")


def _module_name(path: Path) -> str | None:
    """The public dotted name of the module at `path`, relative to the library; None for what is skipped."""
    parts = [*path.parts[:-1], path.stem]
    if parts[-1] == "__init__":
        parts.pop()
    name = ".".join(parts)
    if name in _PUBLIC_NAMES:
        return _PUBLIC_NAMES[name]
    hidden = any(part.startswith("_") or "-" in part or part in _SKIPPED_FOLDERS for part in parts)
    return None if hidden or not parts else name


def _from_tree(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, name: str, kind: Kind
) -> Iterator[tuple[str, Kind, str]]:
    docstring = ast.get_docstring(node, clean=False)
    if docstring:
        yield name, kind, docstring
    if kind == "function":
        return
    for child in node.body:
        if isinstance(child, _DEFINITIONS) and not child.name.startswith("_"):
            inner: Kind = "class" if isinstance(child, ast.ClassDef) else "function"
            yield from _from_tree(child, f"{name}.{child.name}", inner)


def _from_c_modules() -> Iterator[tuple[str, Kind, str]]:
    for name in _WRITTEN_IN_C:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        yield from _from_module(module, name)


def _from_module(module: ModuleType, name: str) -> Iterator[tuple[str, Kind, str]]:
    if module.__doc__:
        yield name, "module", module.__doc__
    prefix = "" if name == "builtins" else f"{name}."
    for attribute, value in sorted(vars(module).items()):
        if attribute.startswith("_") or not _is_at_home(value, name):
            continue
        if inspect.isclass(value):
            yield from _from_class(value, prefix + attribute)
        elif inspect.isroutine(value) and value.__doc__:
            yield prefix + attribute, "function", value.__doc__


def _is_at_home(value: object, module: str) -> bool:
    """Whether `value` was made for `module`, and not only imported into it."""
    home = getattr(value, "__module__", None) or module
    return home in (module, f"_{module}") or home in _HOMES_IN_C


def _from_class(value: type, name: str) -> Iterator[tuple[str, Kind, str]]:
    if isinstance(value.__doc__, str):
        yield name, "class", value.__doc__
    for attribute, member in sorted(vars(value).items()):
        docstring = getattr(member, "__doc__", None)
        if not attribute.startswith("_") and callable(member) and isinstance(docstring, str):
            yield f"{name}.{attribute}", "function", docstring
