"""answer_truncated: 1 when the answer breaks off, 0 when it does not.

Range {0, 1}, 0 is good. It breaks off where the model says that it ran out of tokens, where a code fence, bracket or
emphasis is never closed at its end, where the last words can end no sentence, and where the last of several sentences
has no end. A list item, heading, footnote, link, closing or signature needs none, and a table row as many cells as the
one before it. Emojis at the end are no part of it. None without an answer.
"""

from __future__ import annotations

import re

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.finish_reason import ran_out
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.courtesy import signature
from ragvigil.scorer.checks.reading.markup import fenced
from ragvigil.scorer.checks.reading.pleasantries import ends_politely

_ENDED = re.compile(r"[.!?…:。\uff01\uff1f؟।॥)\]}>\"'”»」』*_`|\u2019\u00b9\u00b2\u00b3\u2070-\u2079]")
_OPEN_END = re.compile(
    r"(?:,|\b(?:and|or|the|a|an|of|to|with|in|for|by|that|which|und|oder|der|die|das|mit|et|ou|le|la|"
    r"les|de|du|des|que|and then|but|if|because|than|from|your|our|their|whose|into|weil|dass|aber|wenn|"
    r"porque|pero|mais|perché|e|o|os|as|do|da|em|com|para|y|el|los|las|del|con|il|lo|gli|di|che|"
    r"at|under|between|without|during|should|must|would|whether|although|until|unless|including|"
    r"für|von|ein|eine|einen|einem|einer|den|dem|sowie|sofern|falls|ob|sondern|une?|aux|dans|dont|lorsque|"
    r"una|por|entre|cuando|desde|hasta|según|uma?|pelo|pela|quando|dos|das|nos|nas|ao|della|delle|degli|nel|nella|"
    r"dal|dalla|alla|een|van|omdat)|[を、]|(?:として|ですが|ますが|ので)|如果|但是|因为|以及|或者|并且|例如|比如)\Z",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"[ \t]{0,12}(?:[-*+•▪◦‣|>#\u00b9\u00b2\u00b3\u2070-\u2079†‡]|\d{1,3}[.)]|\[[^\[\]\n]{1,60}\]|[^\n]{1,60}:[ \t])|https?://"
)
_SENTENCE_END = re.compile(r"[.!?。\uff01\uff1f؟।](?:\s|\Z)")
_PICTURE = r"\s\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff"
_FIRST_PICTURE = "\u200d"
"""But for white space, which nothing ends in here."""
_PICTURES = re.compile(rf"(?<=[^{_PICTURE}])[{_PICTURE}]+\Z")
_EMPHASIS = re.compile(r"\*\*|(?<!\w)__|__(?!\w)")
_OPENS = re.compile(r"(?<![\w*])(?:\*\*|__)(?=[^\s*]|\Z)")
"""A mark of emphasis that begins one: `2**3` and a footnote's `price**` do not."""
_TEXT = re.compile(r"[^\n]+")
_TAIL = 400
_LAST_WORD = 12
"""Characters that hold the longest word which can end no sentence, and what stands before it."""
_LONG = 60


def _measure(prepared: Prepared) -> Finding:
    answer = prepared.answer.rstrip()
    if not answer:
        return Finding(None, "there is no answer")
    why = _why(prepared, answer)
    return Finding(float(why is not None), why)


def _why(prepared: Prepared, answer: str) -> str | None:
    """Why `answer` is taken for one that breaks off; None where it ends."""
    if ran_out(prepared.record.finish_reason):
        return f"the model stopped for {prepared.record.finish_reason}"
    blocks = fenced(answer)
    if blocks and blocks[-1][1] == len(answer) and not answer.endswith(("```", "~~~")):
        return "a code block is never closed"
    prose = prepared.prose.rstrip()
    if len(prose) < len(answer):
        return None
    whole = prose[-_TAIL:]
    tail = whole if whole[-1] < _FIRST_PICTURE else _PICTURES.sub("", whole)
    line = tail[tail.rfind("\n") + 1 :]
    if _OPEN_END.search(line[-_LAST_WORD:]) and len(line) > 1:
        return f"it ends in: {line[-_LONG:]}"
    if line.startswith("|") and _row_breaks_off(tail):
        return f"a row of a table breaks off: {line[-_LONG:]}"
    emphasis = _open_emphasis(line)
    if _ENDED.match(line[-1:]) and not (emphasis and line.endswith(emphasis)):
        return None
    if emphasis:
        return f"emphasis is never closed: {line[-_LONG:]}"
    if sum(map(line.count, "([{")) > sum(map(line.count, ")]}")):
        return f"a bracket is never closed: {line[-_LONG:]}"
    begins = len(prose) - len(whole) + len(tail) - len(line)
    if _LINE.match(answer, begins) or not _SENTENCE_END.search(tail) or _needs_no_end(line, tail):
        return None
    return f"the last sentence has no end: {line[-_LONG:]}"


def _open_emphasis(line: str) -> str:
    """The mark of emphasis that is opened in `line` and not closed; empty where there is none."""
    marks = _EMPHASIS.findall(line) if "**" in line or "__" in line else []
    return marks[-1] if len(marks) % 2 and _OPENS.search(line, line.rfind(marks[-1])) else ""


def _needs_no_end(line: str, tail: str) -> bool:
    """Whether the last line is a sign alone, one who signs, or a courtesy."""
    return len(line) <= 1 or _signed(tail) or ends_politely(f"{_SENTENCE_END.split(line)[-1]}.")


def _signed(tail: str) -> bool:
    """Whether the last lines are a closing and who signs."""
    return "\n" in tail and signature(tail, [line.span() for line in _TEXT.finditer(tail)]) < len(tail)


def _row_breaks_off(tail: str) -> bool:
    """Whether the last of several rows of a table has fewer cells than the one before it.

    >>> _row_breaks_off("| a | b |\\n| 1 | 2 |"), _row_breaks_off("| a | b |\\n| 1 |")
    (False, True)
    """
    *_, before, last = ["", *tail.split("\n")]
    return before.startswith("|") and last.count("|") < before.count("|")


CHECK = Check("answer_truncated", "6", _measure, range="{0, 1}", better="low")
