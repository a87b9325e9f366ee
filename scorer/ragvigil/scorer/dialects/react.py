"""Models that think aloud in plain text: what they say is a note, a call of a tool, or at last the answer.

DSPy has them write the answer, and their reasoning, below a heading of its own each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ANSWERED = re.compile(r"\s*Thought:.*?\n\s*(?:Final )?Answer:[ \t]*(?P<answer>\S.*)", re.DOTALL)
_CALLED = re.compile(r"\s*(?:Thought:.*?\n\s*)?Action:[ \t]*\S[^\n]*\n\s*Action Input:.*", re.DOTALL)
_LONGEST = 200_000
_FIELD = re.compile(r"^\[\[ ## (?P<name>\w+) ## \]\][ \t]*$", re.MULTILINE)
_ASIDE = frozenset({"reasoning", "rationale", "completed"})
_HANDS_OVER = re.compile(r"\n[ \t]*\w+\([ \t]*(?:\w+[ \t]*=[ \t]*)?(?P<quote>\"{3}|'{3}|[\"'])")
"""A line of code that begins with a call, and its first argument with a text."""
_RETRY = "\n\nFix the errors and try again."
_INVALID = re.compile(r"Validation feedback:\n|\d+ validation errors?:")
"""How Pydantic AI ends and begins what it says of a reply that was not valid."""
_CONTEXT = "For context:"
_RELAYED = re.compile(r"\[[\w. -]+\] (?:said: |called tool `|`\w+` tool returned result: )")
_QUOTED = "For context: below is a transcript of what another agent did, quoted between <<<BEGIN_QUOTED_"
"""What Google's ADK tells an agent of another one that ran before it, in parts: at first as it is, now quoted."""
_THOUGHTS = ("think", "thinking", "thought", "thoughts", "reasoning")
"""Tags around the thoughts with which a reply begins. Servers of open models put the first one into the prompt."""


def answer_after_thoughts(text: str) -> str:
    """The answer at the end of a model's thoughts, "" where they or a call are all there is; any other text unchanged.

    >>> answer_after_thoughts("Thought: I know it.\\nAnswer: At nine [1].")
    'At nine [1].'
    >>> answer_after_thoughts("Thought: I need a tool.\\nAction: search\\nAction Input: {'q': 'ferry'}")
    ''
    >>> answer_after_thoughts("Answer: At nine.")
    'Answer: At nine.'
    >>> answer_after_thoughts("[[ ## reasoning ## ]]\\nIt says so.\\n\\n[[ ## answer ## ]]\\nAt nine.")
    'At nine.'
    >>> answer_after_thoughts("<think>Ten? No.</think>At nine."), answer_after_thoughts("<think>Is it")
    ('At nine.', '')
    """
    text = _of_field(_after_tags(text))
    if len(text) > _LONGEST:
        return text
    if found := _ANSWERED.fullmatch(text):
        return found["answer"].rstrip()
    return "" if "Action Input:" in text and _CALLED.fullmatch(text) else text


def _of_field(text: str) -> str:
    """The one field of DSPy's that a reply has beside its reasoning; any other text unchanged."""
    if not text.lstrip().startswith("[[ ## "):
        return text
    parts = _FIELD.split(text)[1:]
    told = [said.strip() for name, said in zip(parts[::2], parts[1::2], strict=True) if name not in _ASIDE]
    return told[0] if len(told) == 1 else text


def _after_tags(text: str) -> str:
    if "<" not in text:
        return text  # as nearly always
    begin = text.lstrip()
    for tag in _THOUGHTS:
        opening, closing = f"<{tag}>", f"</{tag}>"
        if begin.startswith(opening) or (tag == "think" and closing in text and opening not in text):
            rest = begin.partition(closing)[2].strip()
            whole = rest.startswith("<answer>") and rest.endswith("</answer>")
            return rest.removeprefix("<answer>").removesuffix("</answer>").strip() if whole else rest
    return text


def is_observation(text: str, parts: Sequence[str] = ()) -> bool:
    """Whether a message that a framework sends as the user's is what a tool found, another agent said, or was wrong.

    `parts`: its texts, where there are several. Users say "For context:", too, with what it is behind it.

    >>> is_observation("Observation: [1] The ferry leaves at nine."), is_observation("An observation: why?")
    (True, False)
    >>> relayed = ("For context:", "[searcher] said: It is nine.")
    >>> is_observation("\\n".join(relayed), relayed), is_observation("For context:\\n[Anna] said: It is nine. Is it?")
    (True, False)
    >>> is_observation("Validation feedback:\\nCite your sources.\\n\\nFix the errors and try again.")
    True
    """
    if text.startswith(_CONTEXT):
        told = len(parts) > 1 and parts[0] == _CONTEXT and _RELAYED.match(parts[1]) is not None
        return told or text.startswith(_QUOTED)
    return text.startswith("Observation:") or (text.endswith(_RETRY) and _INVALID.match(text) is not None)


def hands_over(reply: str, answer: str) -> bool:
    """Whether a reply is code that calls a function with the answer: so do agents that act in code.

    >>> hands_over('Thought: I know.\\n<code>\\nfinal_answer("At nine.")\\n</code>', "At nine.")
    True
    >>> hands_over("They said 'At nine.'", "At nine."), hands_over("\\nprint('It is said at nine.')", "At nine.")
    (False, False)
    """
    if not answer or len(reply) > _LONGEST:
        return False
    for call in _HANDS_OVER.finditer(f"\n{reply}"):
        quote = call["quote"]
        written = answer.replace("\\", "\\\\").replace(quote, f"\\{quote}")
        if reply.startswith(
            (answer + quote, written + quote, written.replace("\n", "\\n") + quote), call.end() - 1
        ):
            return True
    return False
