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
    return _text(reply).replace('"must_pass"', '// and the rest\n "must_pass"')


def _as_words(reply: Reply) -> str:
    scores = {name: str(value) for name, value in cast("Reply", reply["scores"]).items()}
    return _text({**reply, "scores": scores})


def _without(key: str) -> Callable[[Reply], str]:
    return lambda reply: _text({name: value for name, value in reply.items() if name != key})


DAMAGES: Mapping[str, Callable[[Reply], str]] = {
    "fence": lambda reply: f"```json\n{_text(reply)}\n```",
    "prose": lambda reply: f"Here is the verdict you asked for:\n\n{_text(reply)}\n\nI hope this helps!",
    "thought": lambda reply: f"<think>The answer cites {{one}} passage.</think>\n{_text(reply)}",
    "trailing_comma": lambda reply: _text(reply).replace("\n}", ",\n}").replace("\n ]", ",\n ]"),
    "single_quotes": _single_quotes,
    "comments": _comments,
    "numbers_as_words": _as_words,
    "cut_off": lambda reply: _text(reply)[: len(_text(reply)) * 2 // 3],
    "lost_scores": _without("scores"),
    "nothing": lambda _: "",
}
"""Ways by name."""
