"""Which family a model is of: a judge favours what its own family wrote (Panickssery et al., arXiv 2404.13076)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import cast

_SEPARATOR = re.compile(r"[/:@.]")


def _families() -> Mapping[str, tuple[str, ...]]:
    source = files("ragvigil.scorer.data").joinpath("model-families.json").read_text(encoding="utf-8")
    told = cast("dict[str, dict[str, list[str]]]", json.loads(source))["families"]
    return {name: tuple(begins) for name, begins in told.items()}


_FAMILIES = _families()


def family(model: str) -> str | None:
    """The family that a model's name tells, whoever serves it and whatever it was tuned for; None where none is told.

    >>> family("azure/gpt-4o-2024-08-06"), family("ft:gpt-3.5-turbo:acme::abc"), family("anthropic.claude-3-haiku-v1:0")
    ('gpt', 'gpt', 'claude')
    >>> family("meta-llama/Llama-3.1-8B-Instruct"), family("our-own-model") is None
    ('llama', True)
    """
    parts = [part for part in _SEPARATOR.split(model.lower()) if part]
    found = (
        name
        for part in parts
        for name, begins in _FAMILIES.items()
        if any(re.match(rf"{re.escape(begin)}(?![a-z])", part) for begin in begins)
    )
    return next(found, None)


def judges_itself(judge: str, generator: str | None) -> bool:
    """Whether both models are of one family.

    >>> judges_itself("gpt-5-mini", "openai/gpt-4o"), judges_itself("gpt-5-mini", "mistral-large")
    (True, False)
    """
    if generator is None:
        return False
    one = family(judge)
    return judge == generator or (one is not None and one == family(generator))
