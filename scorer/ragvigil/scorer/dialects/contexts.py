"""Where in a prompt its context stands, and the passages in it, in the shapes that frameworks and people write.

A shape is taken where it is unmistakable: tags that open and close around each passage; "Document 1:" and its kin,
and [1], [2], numbered without a gap; and within a frame what `shapes` knows. A frame is a pair of tags that says
context, or runs from a line that says so to the label of the question. Any other context is found and left whole: how
many passages it holds would be a guess.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.fields import named_marks, without_fields
from ragvigil.scorer.dialects.framed import framed, of_asker
from ragvigil.scorer.dialects.frames import (
    WRAPPER,
    Context,
    asked_at,
    asks,
    closed_at,
    is_example,
    wrapped,
)
from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, COLON, HEAD, PASSAGE
from ragvigil.scorer.dialects.orders import is_of_answers, is_order, only_orders
from ragvigil.scorer.dialects.products import product_context
from ragvigil.scorer.dialects.profiles import heads_profile, is_profile
from ragvigil.scorer.dialects.shapes import RULE, in_turn
from ragvigil.scorer.dialects.tagged import tagged
from ragvigil.scorer.trace import Document

_RULED = "[-=~#*]{2,40}"
_AT = (
    r"\((?:[^\s()]{1,200}\.[a-z]{2,5}(?:#[^\s()]{1,80})?"
    r"|(?:score|similarity|page|p\.|source:|file:|url:)[^()\n]{1,60})\)"
)
"""Where a passage is from, behind its number; a title in such a place stays with the text."""
_LABELLED = re.compile(
    rf"\n(?>{HEAD}(?:[-=~#]{{2,40}}[ \t]*)?)(?=[\[\u3010(]|[^\W\d_])(?P<open>[\[\u3010(])?(?P<label>{PASSAGE})"
    rf"[-_ \t\u00a0]*(?:no\.?|n[°º]|#)?[ \t]*[\[(]?(?P<number>\d{{1,3}})"
    r"(?(open)(?:[:\uff1a,][^\]\u3011)\n]{1,200})?[\])\u3011]|[\])\u3011]?)"
    rf"(?:[ \t]*{_RULED}[ \t]*(?=\n)|[ \t]*{_AT}(?:{COLON}|[ \t]*(?=\n))|{COLON}|[ \t]+[-\u2013\u2014][ \t]"
    rf"|(?=[ \t]*\([^()\n]{{1,200}}\))|[*_]*[ \t]*(?=\n|\Z)|(?(open)[ \t]+(?=\S)|(?!)))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\n[ \t]*[\[\u3010\uff3b]\^?(?P<number>\d{{1,3}})[\]\u3011\uff3d](?:[ \t]*{_AT}:?[ \t]*(?=\n))?[ \t:\uff1a]*"
    r"(?=\S|\n[ \t]*+(?![\[\u3010\uff3b]\^?\d{1,3}[\]\u3011\uff3d])\S)",
    re.IGNORECASE,
)
"""The passage may begin below its number, and below where it is from."""
_BEHIND_NUMBER = re.compile(r"[ \t]*[\[\u3010\uff3b]\^?\d{1,3}[\]\u3011\uff3d][ \t:\uff1a]*")
"""The number of a passage right before tags, which are its own then."""
_END = re.compile(
    rf"\n(?:(?P<blank>[ \t]*\n)|(?P<rule>(?=[ \t]*[-=]{{3,}}[ \t]*\n))"
    rf"|(?P<label>(?={HEAD}(?:user )?(?:{ASKED}|{ANSWERED})(?:{COLON}|[*_]*[ \t]*\n)))"
    rf"|(?=[ \t]*</?(?:{WRAPPER}|document|source|passage|[a-z_]*(?:question|query))>))",
    re.IGNORECASE,
)
"""Where the last of several passages ends: at a blank line, a rule, a label of what follows, or a tag."""
_FILE = re.compile(r"[^\s\n]{1,200}\.[a-z]{2,5}[ \t]*(?=\n|\Z)", re.IGNORECASE)
"""The name of a file, and nothing else on the line."""
_CLOSES = re.compile(r"\s*(?:\Z|```)")
_LEAVES = re.compile(rf"{_CLOSES.pattern}|[ \t]*\n[ \t]*\n")
"""What ends a list of files: a blank line, too, but not a list of one."""
_BLANK = re.compile(r"\n[ \t]*\n")
_WITHIN = {
    "blank": _BLANK,
    "rule": re.compile(r"\n[ \t]*[-=]{3,}[ \t]*\n"),
    "label": re.compile(
        rf"(?:\A|\n){HEAD}(?:user )?(?:{ASKED}|{ANSWERED})(?:{COLON}|[*_]*[ \t]*(?=\n|\Z))", re.IGNORECASE
    ),
}
"""What ends a passage, within one: there it is a part of it, and so it is of the last one."""
_PAIR = rf"{HEAD}(?:{ASKED}){COLON}[^\n]*\S\n{HEAD}(?:{ANSWERED}){COLON}[ \t]*\S"
_ANSWERED_QUESTION = re.compile(rf"\n{_PAIR}", re.IGNORECASE)
"""A question with its answer: where what is asked stands elsewhere, or behind a blank line, it is a passage's own."""
_IS_ANSWERED = re.compile(_PAIR, re.IGNORECASE)
"""A passage that begins so is one of a list of frequent questions."""
_ORDERS = re.compile(
    r"(?>\s{0,20})(?:answer|respond|reply|use|using|ignore|given|based on|please|only|cite|do not|don't"
    r"|you (?:are|must|should)|if (?:you|the)|beantworte|antworte|verwende|nutze"
    r"|répond(?:s|ez)|utilise[sz]?|responde|responda|usa|utiliza"
    r"|rispondi)\b[^\n]{0,200}\b(?:contexte?|question|answer|passages?|sources?|documents?|knowledge|sentences?|kontext"
    r"|frage|satz|phrases?|contexto|pregunta|pergunta|contesto|domanda|frase)\b",
    re.IGNORECASE,
)
"""A paragraph that tells the model how to answer."""
_CLOSED = re.compile(
    rf"\n[ \t]*(?:{_RULED}|[\[(<])[ \t]*(?:end(?: of)?[ _]|/)[^\n]{{1,40}}(?=\n|\Z)", re.IGNORECASE
)
"""A line that says that a passage ends."""

_OPENED = re.compile(r"(?P<fence>\"{3}|'{3}|`{3})[a-z]{0,20}\s*\Z")
_LONGEST_FENCE = 40
_LONGEST_LINE = 100
"""Characters of the line above the passages."""
_BEGINNING = 400
"""Characters by which a paragraph is known for an order."""
_Marks = Sequence[tuple[re.Match[str], str | None]]
"""What passages begin with, and the name that each has."""


def context_in(prompt: str, *, apart: bool = False, alone: bool = False) -> Context | None:
    """The context of a prompt; None where nothing says that there is one.

    `apart` from the question, which stands elsewhere; `alone`, as a tool gives it: nothing follows the passages.

    >>> [each.text for each in context_in("<doc id='a'>Snow.</doc>\\n<doc id='b'>Coal.</doc>\\nWhy?").documents]
    ['Snow.', 'Coal.']
    >>> [each.text for each in context_in("Dokument 1: Schnee.\\nDokument 2: Kohle.\\n\\nWarum?").documents]
    ['Schnee.', 'Kohle.']
    >>> [each.text for each in context_in("Context:\\n1. Snow.\\n2. Coal.\\n\\nQuestion: Why?").documents]
    ['Snow.', 'Coal.']
    >>> [each.text for each in context_in("Context:\\n- It snowed.\\n- It rained.", apart=True).documents]
    ['It snowed.', 'It rained.']
    >>> context_in("Context: Snow.\\nQuestion: Why?").documents, context_in("1. Be brief.\\n2. Cite.")
    ((), None)
    """
    text = (
        f"\n{prompt}"  # a pattern that begins with a line break is looked for ten times as fast as one with ^
    )
    found = product_context(text, marked=True) or tagged(text, apart=apart)
    if found and _BEHIND_NUMBER.fullmatch(text, text.rfind("\n", 0, found.start) + 1, found.start):
        found = None
    found = found or _parted(text, _labelled(text, apart) or _numbered(text) or _called(text), apart, alone)
    known = found if found and not alone and _is_profile(text, found, apart) else None
    found = (found if known is None else None) or product_context(text, marked=False)
    found = found or framed(text, apart=apart, alone=alone) or (known and of_asker(known))
    return found and found._replace(start=max(0, found.start - 1), end=found.end - 1)


def _is_profile(prompt: str, context: Context, apart: bool) -> bool:
    """Whether the passages are what is known of who asks, by the line above them; or by what they say, where that line
    calls them nothing, `apart` from the question.
    """
    above = prompt[max(0, context.start - _LONGEST_LINE) : context.start].rstrip()
    line = above[above.rfind("\n") + 1 :]
    if heads_profile(line):
        return True
    silent = apart and not line.endswith((":", "\uff1a", ">", "*", "#"))
    return silent and is_profile(each.text or "" for each in context.documents)


def _labelled(prompt: str, apart: bool) -> _Marks:
    """One word for each passage, numbered from one or naught without a gap; a lone one only before a question.

    That question may stand `apart`.
    """
    marks = [*_LABELLED.finditer(prompt)]
    marks = _last_run(prompt, [mark for mark in marks if mark["label"].lower() == marks[0]["label"].lower()])
    if len(marks) == 1 and not apart and asked_at(prompt, marks[0].end()) is None:
        return []
    return _in_turn(marks, (0, 1))


def _numbered(prompt: str) -> _Marks:
    """Numbers in brackets from one on; a lone one above its passage only below a label, or above the question's."""
    marks = _last_run(prompt, [*_NUMBERED.finditer(prompt)])
    if (
        len(marks) == 1
        and prompt.startswith("\n", marks[0].end())
        and asked_at(prompt, marks[0].end()) is None
    ):
        above = prompt[: marks[0].start()].rstrip()
        marks = marks if above.endswith((":", "\uff1a", "*", ">")) or not above else []
    if _name_files(prompt, marks):
        return []  # what passages elsewhere are from
    return _in_turn(marks, (1,))


def _name_files(prompt: str, marks: Sequence[re.Match[str]]) -> bool:
    """Whether nothing but the name of a file stands behind each mark: a passage may have its own above it."""
    names = [_FILE.match(prompt, mark.end()) for mark in marks]
    ends = [*(mark.start() for mark in marks[1:]), len(prompt)]
    if not names or not all(names):
        return False
    below = [prompt[name.end() : end] for name, end in zip(names, ends, strict=True) if name]
    last = _CLOSES if len(below) == 1 else _LEAVES
    return not any(map(str.strip, below[:-1])) and last.match(below[-1]) is not None


def _called(prompt: str) -> _Marks:
    """Passages that begin with a word for a passage and a name of their own."""
    return [(mark, mark["name"].strip()) for mark in named_marks(prompt)]


def _last_run(prompt: str, marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks without those of an example that shows how to answer: it has a question or an answer of its own."""
    starts = [place for place, mark in enumerate(marks) if place and mark["number"] == marks[0]["number"]]
    for start in reversed(starts):
        end, edge = marks[start - 1].end(), marks[start].start()
        if is_example(prompt, end, edge):
            return marks[start:]
    return marks


def _in_turn(marks: Sequence[re.Match[str]], first: Sequence[int]) -> _Marks:
    """Marks that count from one of `first` on; else none."""
    return [(mark, None) for mark in marks] if in_turn([int(mark["number"]) for mark in marks], first) else []


def _parted(prompt: str, marked: _Marks, apart: bool, alone: bool) -> Context | None:
    """The passages between the marks, and what is behind the last one of it; none where its end cannot be told."""
    if not marked:
        return None
    marks = [mark for mark, _ in marked]
    texts = [prompt[mark.end() : other.start()].strip() for mark, other in itertools.pairwise(marks)]
    begin = marks[-1].end()
    begin = len(prompt) - len(prompt[begin:].lstrip())
    around = _around(prompt, marks[0].start(), begin)
    if around is not None:
        texts.append(prompt[begin : around[1]].strip())
        return wrapped(prompt, _documents(marked, texts), around[0], around[2])
    closed = [_CLOSED.search(f"\n{text}") for text in texts]
    ended = _CLOSED.search(prompt, begin) if texts and all(closed) else None
    if ended or alone:
        end = ended.end() if ended else len(prompt)
    else:
        example = is_example(prompt, 0, marks[0].start())
        end = _last_end(prompt, begin, texts, apart=apart, above=example)
    if not ended and _goes_on(prompt, marks[0].start(), end, texts):
        return Context((), marks[0].start(), end)
    if not ended and texts and end < len(prompt):
        limit = _limit(prompt, marks[0].start(), end, apart=apart)
        if _BLANK.match(prompt, end) and not _is_below(prompt[end:limit], texts):
            return Context((), marks[0].start(), limit)
    texts.append(prompt[begin:end].strip())
    if ended:
        texts = [_CLOSED.split(f"\n{text}", maxsplit=1)[0].strip() for text in texts]
    if below := RULE.match(prompt, end):
        texts = [text.removesuffix(f"\n{below['rule']}").rstrip() for text in texts]
    return wrapped(prompt, _documents(marked, texts), marks[0].start(), end)


def _is_below(text: str, others: Sequence[str]) -> bool:
    """Whether no passage goes on there; beside passages with paragraphs not every order is one to the model."""
    return only_orders(text) and (is_of_answers(text) or not any(map(_BLANK.search, others)))


def _documents(marked: _Marks, texts: Sequence[str]) -> list[Document]:
    named = zip(marked, without_fields(texts), strict=True)
    return [replace(each, id=name or each.id) for (_, name), each in named]


def _around(prompt: str, start: int, begin: int) -> tuple[int, int, int] | None:
    """Where the passages begin with the fence around them, where it or a tag closes, and where all ends; else None.

    `start` is where the first passage begins and `begin` where the last one does. A passage may hold fenced code.
    """
    if (closing := closed_at(prompt, start, begin)) is not None:
        return start, closing, closing
    opened = _OPENED.search(prompt, max(0, start - _LONGEST_FENCE), start)
    if opened is None:
        return None
    mark = f"\n{opened['fence']}"
    closed = prompt.rfind(mark, begin, asked_at(prompt, begin) or len(prompt))
    return (opened.start(), closed, closed + len(mark)) if closed >= 0 else None


def _last_end(prompt: str, begin: int, others: Sequence[str], *, apart: bool, above: bool) -> int:
    """Where the last passage ends: at what no other passage has within it, and the question's label at the latest.

    A lone passage may have paragraphs, as one beside others that do, up to one that tells how to answer. Where nothing
    labels a question behind such, it is the last paragraph if that asks, save where it stands `apart`; else all is
    theirs if one is labelled `above` them.
    """
    within = {kind for kind, pattern in _WITHIN.items() if any(map(pattern.search, others))}
    answered = _ANSWERED_QUESTION.search(prompt, begin)
    if answered and (apart or _asks_below(prompt, answered.end())):
        within.add("label")
    if not others:
        within = {"blank"}  # a text may have paragraphs: what is cut off would count as invented
    if pair := _IS_ANSWERED.match(prompt, begin):
        within.add("label")
        begin = pair.end()
    asked = asked_at(prompt, begin) if within and not apart else None
    for found in _END.finditer(prompt, begin):
        if asked is not None and found.start() >= asked:
            return asked
        ordered = not others and _orders_at(prompt, found.end())
        if found.start() == asked or found.lastgroup not in within or ordered:
            return found.start()
    if asked is not None:
        return _before_orders(prompt, begin, asked) if others else asked
    blanks = [each.start() for each in _BLANK.finditer(prompt, begin, len(prompt.rstrip()))]
    if apart or not blanks:
        return _before_orders(prompt, begin, len(prompt)) if others else len(prompt)
    return blanks[-1] if asks(prompt) else len(prompt) if above else blanks[0]


def _before_orders(prompt: str, begin: int, end: int) -> int:
    """Where the paragraphs begin that end there and only tell the model how to answer; `end` where none do."""
    for blank in reversed([*_BLANK.finditer(prompt, begin, len(prompt[:end].rstrip()))]):
        if not is_order(prompt[blank.end() : end].lstrip()[:_BEGINNING]):
            break
        end = blank.start()
    return end


def _orders_at(prompt: str, start: int) -> bool:
    """Whether a paragraph begins there that tells the model how to answer."""
    return _ORDERS.match(prompt, start) is not None or is_order(prompt[start : start + _BEGINNING].lstrip())


def _asks_below(prompt: str, start: int) -> bool:
    """Whether a question has its label behind the next blank line."""
    blank = _BLANK.search(prompt, start)
    return blank is not None and is_example(prompt, blank.start(), len(prompt))


def _limit(prompt: str, start: int, end: int, *, apart: bool) -> int:
    """Where the question begins behind the passages, or the prompt ends: up to there nothing but orders may stand.

    A question without a label is the last paragraph, save where it stands above the passages.
    """
    asked = asked_at(prompt, end)
    if asked is not None:
        return asked
    blanks = [each.start() for each in _BLANK.finditer(prompt, end, len(prompt.rstrip()))]
    above = prompt[:start]
    if apart or not blanks or (not asks(prompt) and ("?" in above or is_example(above, 0, start))):
        return len(prompt)
    return blanks[-1]


def _goes_on(prompt: str, start: int, end: int, others: Sequence[str]) -> bool:
    """Whether the last passage may go on behind the rule right below it: nothing says that the rule ends it.

    A rule above the first passage does, or a rule below each; so does a label, or nothing, below it.
    """
    rule = RULE.match(prompt, end)
    if rule is None or f"\n{rule['rule']}\n" in f"{prompt[:start]}\n" or _ruled(others, rule["rule"]):
        return False
    below = prompt[rule.end() : asked_at(prompt, rule.end())]
    return bool(below.strip())


def _ruled(texts: Sequence[str], rule: str) -> bool:
    return bool(texts) and all(text.endswith(f"\n{rule}") for text in texts)
