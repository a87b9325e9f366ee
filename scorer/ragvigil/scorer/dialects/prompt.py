"""Passages and question out of a prompt, where no other signal carries them.

Only a context numbered [1], [2], [3] … from one without a gap is taken for passages: anything less regular
would be a guess.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"^[ \t]*\[(\d{1,3})\][ \t:]*(?=\S)", re.MULTILINE)
_END = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:question|query|q|user|answer)[ \t]*:)", re.IGNORECASE)
_LABEL = re.compile(r"^[^\W\d_]{1,16}(?: [^\W\d_]{1,16})?[ \t]*[:\uff1a][ \t]*")
_TEMPLATE = re.compile(
    r"^[ \t]*(?:user )?(?:question|query|q)[ \t]*:[ \t]*(?P<question>\S.*?)\s*(?:^[ \t]*(?:\w+ )?answer[ \t]*:?\s*)?\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_LONGEST_PROMPT = 2_000_000


def passages_in(prompt: str) -> tuple[str, ...]:
    """The numbered passages of a prompt, in order; empty when there is no clean numbering.

    >>> passages_in("Cite with [n].\\n[1] Snow is white.\\n[2] Coal is black.\\n\\nQuestion: Why?")
    ('Snow is white.', 'Coal is black.')
    >>> passages_in("As [2] says, coal is black.")
    ()
    """
    return _split(prompt)[0]


def question_in(prompt: str) -> str:
    """The question of a prompt that has passages or a question label; any other text is the question itself.

    >>> question_in("[1] Snow is white.\\n\\nQuestion: What is white?")
    'What is white?'
    >>> question_in("Context: snow.\\nQuery: What is white?\\nAnswer: ")
    'What is white?'
    >>> question_in("Is it [2]?")
    'Is it [2]?'
    """
    labelled = _TEMPLATE.search(prompt[-20_000:])
    passages, before, after = _split(prompt)
    if labelled and (passages or "\n" in prompt.strip()):
        return labelled["question"]
    if not passages:
        return prompt
    rest = after or before
    return _LABEL.sub("", rest, count=1) or prompt


def _split(prompt: str) -> tuple[tuple[str, ...], str, str]:
    """The passages, the text before them, and the text after them."""
    marks = list(_MARK.finditer(prompt[:_LONGEST_PROMPT]))
    if not marks or [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)):
        return (), prompt, ""
    edges = [mark.start() for mark in marks[1:]]
    texts = [prompt[mark.end() : edge].strip() for mark, edge in zip(marks, edges, strict=False)]
    last = prompt[marks[-1].end() :]
    end = _END.search(last)
    after = last[end.start() :].strip() if end else ""
    return (
        (*texts, last[: end.start()].strip() if end else last.strip()),
        prompt[: marks[0].start()].strip(),
        after,
    )
