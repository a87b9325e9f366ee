"""Whole documents, from a folder of texts or a file of rows."""

from __future__ import annotations

from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.retrieval.grid import Document
from ragvigil.scorer.retrieval.retriever import corpus_of
from ragvigil.scorer.testset.corpus import read_corpus


def documents_in(path: Path) -> dict[str, Document]:
    """The documents by id: of a folder the id is the path within it and the title the name of the file.

    Raises InputError that names the file and the fix.
    """
    if not path.is_dir():
        return {name: Document(one["title"], one["text"]) for name, one in corpus_of(path).items()}
    texts = read_corpus(path).texts
    found = {name: Document(Path(name).stem, text) for name, text in texts.items() if text}
    if not found:
        raise InputError(str(path), "holds no text")
    return found
