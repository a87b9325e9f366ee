"""Criteria of the team's own: one Markdown file each, no code.

Front matter in TOML between two lines ``+++``: ``id`` and ``version``, and where they are wanted ``share``, ``shows``,
``services`` and ``changes``. Under it the question, with what passes and what fails. The file is set into the prompt
``criterion``, which asks for a critique and pass or fail; the digest of both is stored with every score.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ragvigil import prompts
from ragvigil.prompts import Prompt, PromptError
from ragvigil.scorer import config
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.judge.digest import FIELDS
from ragvigil.scorer.judge.fill import check
from ragvigil.scorer.judge.replies import check_reply

PREFIX = "criteria."
"""Of a criterion's name in scores and series."""
_KEY = "judge.criteria"
_PLACE = "[[criterion]]"
_KEYS = ("id", "version", "changes", "share", "shows", "services", "languages", "judges")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}\Z")
_LONGEST = 4_000
_FEWEST = 20
_TEMPLATE = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One yes-or-no question about every answer that is judged."""

    id: str
    prompt: Prompt
    """Ready to be filled; its texts and digest are of file and frame together."""
    question: str
    """As the team wrote it, in its first language."""
    share: float = 1.0
    """Share of the judged answers that are asked about, in (0, 1]."""
    shows: frozenset[str] = frozenset(FIELDS)
    """What of a record the judge is shown."""
    services: frozenset[str] = frozenset()
    """Services whose answers it is about; empty: all."""

    @property
    def name(self) -> str:
        """Of its scores and its series, such as ``criteria.tone``."""
        return f"{PREFIX}{self.id}"


def load_criteria(folder: Path) -> tuple[Criterion, ...]:
    """The criteria of a folder, one a file ``*.md``, by id. Raises ConfigError that names every file that is wrong."""
    if not folder.is_dir():
        raise ConfigError(_KEY, f"there is no folder {folder}", "make it, with one .md file a criterion")
    paths = sorted(folder.glob("*.md"))
    if not paths:
        raise ConfigError(_KEY, f"{folder} holds no .md file", "one file a criterion: see docs/judge.md")
    found: dict[str, tuple[Path, Criterion]] = {}
    faults: list[ConfigError] = []
    for path in paths:
        try:
            one = load_criterion(path)
            if one.id in found:
                other = found[one.id][0].name
                raise PromptError(str(path), f"has the id {one.id} of {other}; give one of them another")
            found[one.id] = (path, one)
        except PromptError as error:
            faults.append(ConfigError(_KEY, str(error)))
    if faults:
        raise ConfigError(_KEY, faults[0].problem, also=faults[1:])
    return tuple(found[name][1] for name in sorted(found))


def load_criterion(path: Path) -> Criterion:
    """The criterion in a file; PromptError says what is wrong and how to mend it."""
    own = prompts.load_file(path)
    name = str(path)
    front = own.metadata
    for key in front:
        if key not in _KEYS:
            raise PromptError(name, f"its front matter has an unknown key {key}; {meant(key, _KEYS)}")
    if not _NAME.match(own.id):
        raise PromptError(
            name, f"id {own.id[:60]!r} must be lower-case letters, digits, - and _, as tone_of_voice"
        )
    if own.data is not None:
        raise PromptError(
            name, "has a part +++ data; leave it out: what is shown is laid out for you, see shows"
        )
    for language, text in (own.texts or {"text": own.text}).items():
        _check_text(name, language, text)
    prompt = _framed(own)
    check(prompt, FIELDS)
    check_reply(prompt, "criterion")
    return Criterion(
        own.id, prompt, own.text, _share(name, front), _shows(name, front), _services(name, front)
    )


def criterion_of(settings: config.Judge, criterion: str) -> Criterion:
    """The criterion of that id; ConfigError where its file is not there."""
    known = {one.id: one for one in load_criteria(settings.criteria)} if settings.criteria is not None else {}
    if criterion not in known:
        raise ConfigError(_KEY, f"holds no criterion {criterion!r}", "point it at the folder with its file")
    return known[criterion]


def _check_text(name: str, language: str, text: str) -> None:
    if len(text.strip()) < _FEWEST:
        raise PromptError(
            name, f"part {language} asks nothing; write the question, and what passes and what fails"
        )
    if len(text) > _LONGEST:
        raise PromptError(
            name, f"part {language} has {len(text):,} characters; at most {_LONGEST:,}: one question a file"
        )
    braces = next((one for one in _TEMPLATE if one in text), None)
    if braces is not None:
        raise PromptError(
            name,
            f"part {language} has {braces}; write no places to fill: question, passages and answer are shown",
        )


def _framed(own: Prompt) -> Prompt:
    """The frame with the criterion in its place, in each of the frame's languages."""
    frame = prompts.load("criterion")
    texts = {code: text.replace(_PLACE, own.in_language(code)) for code, text in frame.texts.items()}
    digest = hashlib.sha256(f"{frame.digest} {own.digest}".encode()).hexdigest()
    return replace(
        frame, id=own.id, version=own.version, texts=texts, text=next(iter(texts.values())), digest=digest
    )


def _share(name: str, front: Mapping[str, object]) -> float:
    value = front.get("share", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= 1.0:
        raise PromptError(name, f"share is {value!r}; write a number above 0 and at most 1, as share = 0.25")
    return float(value)


def _shows(name: str, front: Mapping[str, object]) -> frozenset[str]:
    wanted = _words(name, front, "shows", FIELDS)
    strange = [one for one in wanted if one not in FIELDS]
    if strange:
        raise PromptError(name, f"shows has {strange[0]!r}; {meant(strange[0], list(FIELDS))}")
    return frozenset((*wanted, "answer"))


def _services(name: str, front: Mapping[str, object]) -> frozenset[str]:
    return frozenset(_words(name, front, "services", ()))


def _words(name: str, front: Mapping[str, object], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = front.get(key, list(default))
    told = cast("list[object]", value) if isinstance(value, list) else None
    if told is None or not all(isinstance(one, str) for one in told):
        raise PromptError(name, f'{key} must be a list of words, as {key} = ["answer"]')
    return tuple(map(str, told))
