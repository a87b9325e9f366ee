"""Refusal wording: sentences that say the evidence has no answer, in the languages of the pattern file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files

_LONGEST_SENTENCE = 400


@dataclass(frozen=True, slots=True)
class _Wording:
    """How one language refuses."""

    language: str
    cues: tuple[str, ...]
    pattern: re.Pattern[str]


def _load() -> tuple[_Wording, ...]:
    data = json.loads(files("ragvigil.scorer.data").joinpath("abstention.json").read_text("utf-8"))
    return tuple(
        _Wording(
            language,
            tuple(one["cues"]),
            re.compile("|".join(f"(?:{pattern})" for pattern in one["patterns"])),
        )
        for language, one in data["languages"].items()
    )


_WORDINGS = _load()
_CUES = tuple(sorted({cue for wording in _WORDINGS for cue in wording.cues}))


def may_refuse(text: str) -> bool:
    """Whether any cue of a refusal occurs: a cheap first look at a whole answer."""
    plain = _plain(text)
    return any(cue in plain for cue in _CUES)


def refuses(sentence: str) -> str | None:
    """The language in which `sentence` refuses to answer, None when it does not.

    >>> refuses("I'm sorry, but the context does not mention this."), refuses("Não encontrei informações sobre isso.")
    ('en', 'pt')
    >>> refuses("The bridge is not open on Mondays.")
    """
    plain = _plain(sentence[:_LONGEST_SENTENCE])
    for wording in _WORDINGS:
        if any(cue in plain for cue in wording.cues) and wording.pattern.search(plain):
            return wording.language
    return None


def _plain(text: str) -> str:
    return text.replace("\u2019", "'").lower()
