"""Passages and question out of a prompt, where no other signal carries them."""

from __future__ import annotations

import re
from functools import lru_cache

from ragvigil.scorer.dialects.contexts import context_in
from ragvigil.scorer.dialects.frames import WRAPPER, Context, asks
from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, COLON, CONTEXT, HEAD
from ragvigil.scorer.dialects.shapes import lone_line, split_frame
from ragvigil.scorer.trace import Document

_FRAME = "[a-z_]*(?:context|document|source|passage|excerpt|result|knowledge|question|query)s?"
"""Tags that prompts put around the passages and the question."""
_WORD = r"[^\s\d_:\uff1a.,;!?()\[\]{}<>\"'/]{1,16}"
_LABEL = re.compile(rf"^{HEAD}{_WORD}(?: {_WORD})?(?:{COLON}(?!//)\s*)|^[ \t]*#{{1,6}} [^\n]{{1,40}}\n\s*")
_CLOSED = re.compile(r"</(?P<tag>[a-z_]*(?:question|query))>", re.IGNORECASE)
_CONTEXT_LABEL = re.compile(
    rf"\n[^\n]{{0,60}}[:\uff1a][*_]*\s*\Z|\n[ \t]*#{{1,6}} [^\n]{{1,40}}\s*\Z|\n[ \t]*<{_FRAME}>\s*\Z",
    re.IGNORECASE,
)
"""The last line before the passages, where it only says what follows."""
_TEMPLATE = re.compile(
    rf"^{HEAD}(?:user )?(?:{ASKED})(?:{COLON}\s*|(?<=\w)[*_]*[^\S\n]*\n\s*)(?P<question>\S.*?)\s*"
    rf"(?:^{HEAD}(?:\w+ )?(?:{ANSWERED})[*_]*[^\S\n]*[:\uff1a]?[*_]*\s*)?\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_START = re.compile(
    rf"^{HEAD}(?:user )?(?:{ASKED}){COLON}|^[ \t]*#{{1,6}}[ \t]+[*_]*(?:user )?(?:{ASKED})[*_]*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TASK = re.compile(
    r"\s*Current Task: (?P<task>.*?)(?:\n\n(?:This is the expected|Begin!|Provide your)|\Z)", re.DOTALL
)
"""CrewAI's prompt of a task."""
_EMPTY = re.compile(
    rf"\A\s*<(?P<before>{WRAPPER})>\s*</(?P=before)>|<(?P<behind>{WRAPPER})>\s*</(?P=behind)>\s*\Z"
    rf"|\n{HEAD}(?:{CONTEXT}){COLON}\s*\Z",
    re.IGNORECASE,
)
"""The place of a context where nothing was found, before or behind the question."""
_LONGEST_PROMPT = 2_000_000
_LONGEST_QUESTION = 20_000


def context_of(prompt: str, *, apart: bool = False) -> Context | None:
    """The context of a prompt, of the first two million characters; `apart` from the question, if it is.

    The last few are kept until `forget`: whoever looks for the passages of a prompt looks for its question next.
    """
    return _context_of(prompt[:_LONGEST_PROMPT], apart)


@lru_cache(maxsize=4)
def _context_of(prompt: str, apart: bool) -> Context | None:
    return context_in(prompt, apart=apart)


def forget() -> None:
    """Keep no prompt any longer than its record takes."""
    _context_of.cache_clear()


def documents_in(prompt: str, *, alone: bool = False) -> tuple[Document, ...]:
    """The passages of a prompt, in order; () where none are told apart beyond doubt. `alone`: nothing follows them."""
    context = context_in(prompt[:_LONGEST_PROMPT], alone=alone)
    return context.documents if context else ()


def given_context(text: str) -> Context:
    """A context that stands by itself, with its passages where they can be told apart.

    >>> [each.text for each in given_context("[1] Snow.\\n[2] Question: Why?\\n\\nAnswer: So.").documents]
    ['Snow.', 'Question: Why?\\n\\nAnswer: So.']
    >>> given_context("Snow.\\n\\nCoal.").documents
    ()
    """
    text = text[:_LONGEST_PROMPT]
    found = documents_in(text, alone=True) or tuple(split_frame(text) or lone_line(text))
    return Context(found, 0, len(text), text, exact=True)


def passages_in(prompt: str) -> tuple[str, ...]:
    """The texts of the passages of a prompt.

    >>> passages_in("Cite with [n].\\n[1] Snow is white.\\n[2] Coal is black.\\n\\nQuestion: Why?")
    ('Snow is white.', 'Coal is black.')
    >>> passages_in("As [2] says, coal is black.")
    ()
    """
    return tuple(document.text or "" for document in documents_in(prompt))


def question_in(prompt: str) -> str:
    """The question of a prompt that has passages or a question label; any other text is the question itself.

    >>> question_in("[1] Snow is white.\\n\\nQuestion: What is white?")
    'What is white?'
    >>> question_in("Context: snow.\\nQuery: What is white?\\nAnswer: ")
    'What is white?'
    >>> question_in("Kontext: Schnee.\\nFrage: Was ist weiß?\\nAntwort:")
    'Was ist weiß?'
    >>> question_in("**Question:** What is white?\\n\\n**Context:**\\n[1] Snow is white.")
    'What is white?'
    >>> question_in("<context>\\n[1] Snow is white.\\n</context>\\n<query>What is white?</query>")
    'What is white?'
    >>> question_in("Is it [2]?")
    'Is it [2]?'
    """
    if "Current Task: " in prompt[:100] and (found := _TASK.match(prompt[:_LONGEST_QUESTION])):
        return found["task"].strip() or prompt
    context = context_of(prompt)
    if tagged := _tagged(prompt, context):
        return tagged
    if context is None:
        labelled = _last_labelled(prompt[-_LONGEST_QUESTION:])
        asked = labelled["question"] if labelled and "\n" in prompt.strip() else prompt
        return _EMPTY.sub("", asked).strip() or asked if _EMPTY.search(asked) else asked
    if context.question:
        return context.question
    before, after = prompt[: context.start].strip(), prompt[context.end :].strip()
    before = _CONTEXT_LABEL.sub("", f"\n{before}").strip()
    for part in (after, before):
        if labelled := _last_labelled(part[-_LONGEST_QUESTION:]):
            return labelled["question"]
    asked = before if asks(before) and not asks(after) else after or before
    return _LABEL.sub("", asked, count=1) or prompt


def labelled_in(text: str) -> str | None:
    """The question of a text that is nothing but one, below its label; None of any other.

    >>> labelled_in("Question: What is white?"), labelled_in("Snow is white. What is?")
    ('What is white?', None)
    """
    labelled = _TEMPLATE.match(text.strip()[-_LONGEST_QUESTION:])
    return labelled["question"] if labelled else None


def _tagged(prompt: str, context: Context | None) -> str | None:
    """The text in the last pair of tags that say that it is a question; those within passages ask nothing."""
    first = max(0, len(prompt) - _LONGEST_QUESTION)
    within = (context.start, context.end) if context and context.documents else (0, 0)
    for closed in reversed([*_CLOSED.finditer(prompt, first)]):
        if within[0] <= closed.start() < within[1]:
            continue
        tag, end = f"<{closed['tag']}>", closed.start()
        start = prompt.rfind(tag, first, end)
        return prompt[start + len(tag) : end].strip() or None if start >= 0 else None
    return None


def _last_labelled(text: str) -> re.Match[str] | None:
    """The question behind the last label: passages of a list of frequent questions have labels, too."""
    starts = [found.start() for found in _START.finditer(text)]
    return _TEMPLATE.search(text, starts[-1]) if starts else None
