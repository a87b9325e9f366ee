"""Refusal wording: sentences that say the evidence has no answer, in the languages of the pattern file."""

from __future__ import annotations

import json
import re
from importlib.resources import files

_LONGEST_SENTENCE = 400


def _load() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]]]:
    data = json.loads(files("ragvigil.scorer.data").joinpath("abstention.json").read_text("utf-8"))
    cues = re.compile("|".join(map(re.escape, data["cues"])))
    return cues, {
        language: re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
        for language, patterns in data["patterns"].items()
    }


_CUES, _PATTERNS = _load()


def may_refuse(text: str) -> bool:
    """Whether any cue of a refusal occurs: a cheap first look at a whole answer."""
    return _CUES.search(_plain(text)) is not None


def refuses(sentence: str) -> str | None:
    """The language in which `sentence` refuses to answer, None when it does not.

    >>> refuses("I'm sorry, but the context does not mention this."), refuses("Não encontrei informações sobre isso.")
    ('en', 'pt')
    >>> refuses("The bridge is not open on Mondays.")
    """
    plain = _plain(sentence[:_LONGEST_SENTENCE])
    if _CUES.search(plain) is None:
        return None
    return next((language for language, pattern in _PATTERNS.items() if pattern.search(plain)), None)


def _plain(text: str) -> str:
    return text.replace("\u2019", "'").lower()
