"""Orders and replies of calls about an answer: a verdict on it, a title, what to ask next, a label."""

from __future__ import annotations

import re
from collections.abc import Container

from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.dialects.asides import is_grade
from ragvigil.scorer.dialects.frames import asks
from ragvigil.scorer.dialects.shapes import is_sentence
from ragvigil.scorer.dialects.values import ANSWER_KEYS, mapping_of
from ragvigil.scorer.dialects.words import words_of

_DATA = words_of("asides")


def _phrases(kind: str, gap: int) -> re.Pattern[str]:
    """The phrases of this kind, with up to so many characters of one sentence where they leave words out."""
    choice = longest_first(_DATA[kind]).replace("\u2026", rf"[^.!?\n]{{0,{gap}}}?")
    return re.compile(rf"(?<![a-z])(?:{choice})")


JUDGING, ADDING = _phrases("judging", 60), _phrases("adding", 20)
"""Orders to judge an answer, and for a title, what to ask next or the like; all in lower case."""
AGAIN, WRITING = _phrases("again", 0), _phrases("writing", 0)
"""Orders to write an answer again, and to write anything."""
_VERDICTS, _NEGATIVE = frozenset(_DATA["verdicts"]), frozenset(_DATA["negative"])
_GRADE = re.compile(r"\d{1,3}(?:[.,]\d{1,3})?(?:\s?/\s?\d{1,3}|\s?%)?")
_GRADED = re.compile(
    rf"[ \t*_#-]*(?:{longest_first(_DATA['grades'])})[ \t*_]*[:=\uff1a][ \t*_]*(?P<grade>[^\n]{{1,40}})",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that says what it grades by: `Score: 4/5`."""
_OPENED = re.compile(r"[\s*\"']*(?P<verdict>[^\W\d_]+(?: [^\W\d_]+)?)[*\"']*[.,:;\n\u3002\u2014-]")
_OF_ANSWER = re.compile(r"\b(?:the|this) (?:answer|response|reply)\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)\u3001])\s*")
_TITLE = 8
"""Words of a title, and of a question that may come next."""
_FEW = 3
"""Words of a class, or of a verdict."""
_LABEL = 60
"""Characters of a label, a title or a list of tags; of one without a blank and in no letters of ASCII a fifth."""


def is_order_about(order: str, reply: str) -> bool:
    """Whether an order, alone, is for such a thing, and the reply may be one: it tells nothing that was asked.

    >>> is_order_about("Suggest questions.", "Why?\\nWhere?"), is_order_about("What could I ask next?", "Ask at nine.")
    (True, False)
    >>> is_order_about("Give the chat title in French.", "Bacs"), is_order_about("Translate the chat title.", "Bacs")
    (True, False)
    """
    told = order.lower()
    adding = ADDING.search(told) is not None
    if not adding and JUDGING.search(told) is None:
        return False
    if AGAIN.search(ADDING.sub(" ", JUDGING.sub(" ", told))):
        return False
    if adding and not asks(order):
        return True
    return is_verdict(reply) or (adding and (is_brief(reply) or only_asks(reply)))


def verdict_of(reply: str) -> str:
    """The word of a verdict, in lower case: all of the reply, what it is graded with, or what it begins with.

    >>> verdict_of("Verdict: FAIL"), verdict_of("Faithful. The answer is in [1]."), verdict_of("No, at nine.")
    ('fail', 'faithful', 'no, at nine')
    """
    if (line := _GRADED.search(reply)) is not None:
        return _word(line["grade"])
    opened = _OPENED.match(reply)
    if opened is not None and _OF_ANSWER.search(reply, opened.end()):
        return _word(opened["verdict"])
    return _word(reply)


def is_verdict(reply: str) -> bool:
    """Whether a reply says that an answer passes, or does not, or how well.

    >>> is_verdict("Yes."), is_verdict("5"), is_verdict("It is all there.\\nScore: 5/5"), is_verdict("Yes, at nine.")
    (True, True, True, False)
    >>> is_verdict('{"escalate": false}'), is_verdict('{"answer": 4}'), is_verdict('{"time": "nine"}')
    (True, False, False)
    """
    word = verdict_of(reply)
    return word in _VERDICTS or _GRADE.fullmatch(word) is not None or is_grade(reply) or _is_of_flags(reply)


def is_negative(reply: str) -> bool:
    """Whether a verdict says that the answer does not pass."""
    return verdict_of(reply) in _NEGATIVE


def is_brief(reply: str) -> bool:
    """Whether a reply is one short line and no sentence that tells something, as a title is, or a question.

    >>> is_brief("Ferry times"), is_brief("At nine."), is_brief("A\\nB")
    (True, False, False)
    """
    return (
        not reply.startswith("<")
        and "\n" not in reply
        and len(reply.split()) <= _TITLE
        and not reply.endswith((".", "!", "\u3002", "\uff01"))
    )


def is_no_answer(reply: str, asked: Container[str]) -> bool:
    """Whether a reply can be no answer to a user: a verdict, a class, JSON, or what was `asked` of a search.

    >>> is_no_answer("unsafe", set()), is_no_answer('{"safe": false}', set()), is_no_answer("When?", set())
    (True, True, True)
    >>> is_no_answer("It leaves at nine.", set())
    False
    """
    text = reply.strip()
    if not text or text in asked or text.endswith(("?", "\uff1f", "\u061f")):
        return True
    return bool(mapping_of(text)) or (len(text.split()) <= _FEW and not is_sentence(text))


def is_label(reply: str) -> bool:
    """Whether a reply is a word or a few, or an object of flags: no sentence, and nothing that it cites.

    >>> is_label("rent"), is_label("rent, day of payment"), is_label('{"done": true}'), is_label("At nine [1]")
    (True, True, True, False)
    >>> is_label("42"), is_label("9 AM")
    (False, False)
    """
    if _is_of_flags(reply):
        return True
    if not reply or not (reply[0].isalpha() or reply[0] == "#"):
        return False  # as a figure, which is an answer as often
    most = _LABEL if " " in reply or reply.isascii() else _LABEL // 5
    return (
        is_brief(reply)
        and len(reply) <= most
        and not asks(reply)
        and reply.isprintable()
        and "[" not in reply
    )


def only_asks(reply: str) -> bool:
    """Whether a reply is several questions, below a line that says so or not.

    >>> only_asks("You may ask:\\n1. Why?\\n2. Where?"), only_asks("Which one?"), only_asks("So.\\nWhy?\\nWho?")
    (True, False, False)
    """
    lines = [line for line in reply.split("\n") if line.strip()]
    if len(lines) > 1 and lines[0].rstrip(" *").endswith((":", "\uff1a")):
        lines = lines[1:]
    return len(lines) > 1 and all(asks(_ITEM.sub("", line, count=1)) for line in lines)


def _is_of_flags(reply: str) -> bool:
    """Whether a reply is an object of nothing but truths and figures, and none of them an answer."""
    fields = mapping_of(reply)
    return (
        bool(fields)
        and fields.keys().isdisjoint(ANSWER_KEYS)
        and all(value is None or isinstance(value, (bool, int, float)) for value in fields.values())
    )


def _word(text: str) -> str:
    return text.strip(" \t\n.!*\"'`\u3002").lower()
