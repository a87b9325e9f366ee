"""Ten ways in which models spoil the JSON that they were asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import cast

Reply = dict[str, object]


def _text(reply: Reply) -> str:
    return json.dumps(reply, ensure_ascii=False, indent=1)


def _single_quotes(reply: Reply) -> str:
    return repr(reply)


def _comments(reply: Reply) -> str:
    second = list(reply)[min(1, len(reply) - 1)]
    return _text(reply).replace(f'"{second}"', f'// and the rest\n "{second}"')


def _as_words(reply: Reply) -> str:
    return _text(cast("Reply", _numbers_as_words(reply)))


def _numbers_as_words(value: object) -> object:
    if isinstance(value, dict):
        return {name: _numbers_as_words(one) for name, one in cast("Reply", value).items()}
    if isinstance(value, list):
        return [_numbers_as_words(one) for one in cast("list[object]", value)]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _without_scores(reply: Reply) -> str:
    """Without what a reply is for: its scores, or where it has none its last part."""
    lost = "scores" if "scores" in reply else list(reply)[-1]
    return _text({name: value for name, value in reply.items() if name != lost})


DAMAGES: Mapping[str, Callable[[Reply], str]] = {
    "fence": lambda reply: f"```json\n{_text(reply)}\n```",
    "prose": lambda reply: f"Here is the verdict you asked for:\n\n{_text(reply)}\n\nI hope this helps!",
    "thought": lambda reply: f"<think>The answer cites {{one}} passage.</think>\n{_text(reply)}",
    "trailing_comma": lambda reply: _text(reply).replace("\n}", ",\n}").replace("\n ]", ",\n ]"),
    "single_quotes": _single_quotes,
    "comments": _comments,
    "numbers_as_words": _as_words,
    "cut_off": lambda reply: _text(reply)[: len(_text(reply)) * 2 // 3],
    "lost_scores": _without_scores,
    "nothing": lambda _: "",
}
"""Ways by name."""
