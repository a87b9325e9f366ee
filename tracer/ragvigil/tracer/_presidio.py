"""Microsoft Presidio as a redactor, with what is installed: it never downloads a model and never uses the network."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from ragvigil.tracer._notices import notices

NETWORKED = frozenset({"EMAIL_ADDRESS", "URL"})
"""Entities whose recognizers fetch the list of top-level domains; the built-in rules replace e-mail addresses."""

LEAST_SCORE = 0.4
"""Presidio's own confidence below which a find is left: it takes the "p1" of a citation for a driver's licence."""


class Entity(Protocol):
    """What Presidio found: a type and where in the text it is."""

    entity_type: str
    start: int
    end: int


class Presidio:
    """A Presidio analyzer, made when the first text comes: loading a model takes seconds."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._analyzer: Any = None
        self._entities: list[str] = []

    def redacted(self, text: str) -> str:
        """The text with every entity replaced by its type."""
        if self._analyzer is None:
            with _quiet():
                self._analyzer = self._loaded()
        found = self._analyzer.analyze(
            text=text, language=self._language, entities=self._entities, score_threshold=LEAST_SCORE
        )
        return without_entities(text, found)

    def _loaded(self) -> Any:
        engines = import_module("presidio_analyzer.nlp_engine")
        spacy: Any = import_module("spacy")
        model = _installed(spacy, self._language)
        name = model or "blank"
        engine = engines.SpacyNlpEngine(models=[{"lang_code": self._language, "model_name": name}])
        if model is None:
            notices.say("Presidio finds no names", f"no spaCy model for {self._language!r} is installed")
            engine.nlp = {self._language: spacy.blank(self._language)}
        registry = import_module("presidio_analyzer").RecognizerRegistry(supported_languages=[self._language])
        registry.load_predefined_recognizers(languages=[self._language], nlp_engine=engine)
        analyzer = import_module("presidio_analyzer").AnalyzerEngine(
            registry=registry, nlp_engine=engine, supported_languages=[self._language]
        )
        self._entities = sorted(set(analyzer.get_supported_entities(self._language)) - NETWORKED)
        return analyzer


@contextmanager
def _quiet() -> Generator[None, None, None]:
    """Without Presidio's line for each recognizer of another language, on this thread."""
    thread, logger = threading.get_ident(), logging.getLogger("presidio-analyzer")

    def others(_: logging.LogRecord) -> bool:
        return threading.get_ident() != thread

    logger.addFilter(others)
    try:
        yield
    finally:
        logger.removeFilter(others)


def _installed(spacy: Any, language: str) -> str | None:
    """The largest model of the language that is installed: by the convention of its name, lg before md before sm."""
    sizes = ("sm", "md", "trf", "lg")
    models = [str(name) for name in spacy.util.get_installed_models() if str(name).startswith(f"{language}_")]
    rank = {name: sizes.index(end) if (end := name.rpartition("_")[2]) in sizes else -1 for name in models}
    return max(models, key=lambda name: (rank[name], name), default=None)


def without_entities(text: str, entities: Sequence[Entity]) -> str:
    """The text with these parts replaced by their types; of overlapping ones the first names the whole.

    >>> from types import SimpleNamespace as Found
    >>> without_entities("Dr Ana Souza", [Found(entity_type="NRP", start=7, end=12),
    ...     Found(entity_type="PERSON", start=3, end=9)])
    'Dr <PERSON>'
    """
    pieces: list[str] = []
    read = 0
    for entity in sorted(entities, key=lambda one: (one.start, -one.end)):
        if entity.start >= read:
            pieces += [text[read : entity.start], f"<{entity.entity_type}>"]
        read = max(read, entity.end)
    return "".join([*pieces, text[read:]])
