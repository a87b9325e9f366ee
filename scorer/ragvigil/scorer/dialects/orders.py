"""What in a prompt tells the model what to do, or points at the context, in many languages."""

from __future__ import annotations

import re

from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, BACKGROUND, CONTEXT, HEAD, PASSAGE
from ragvigil.scorer.dialects.words import words_of

_DATA = words_of("orders")

_EDGE = r"(?![a-z\u00df-\u024f\u0370-\u052f])"
"""What follows a word of a script that sets spaces between words."""
_ITEM = re.compile(r"\s*(?:[-*+\u2013\u2022\u00b7\u30fb]\s*|[(]?\d{1,2}[.)\u3001]\s*)?")
_SPEAKING = re.compile(rf"(?:{longest_first(_DATA['speaking'])}){_EDGE}")
_DOING = re.compile(rf"(?:{longest_first(_DATA['doing'])}){_EDGE}")
_ANSWERING = re.compile(rf"(?<![a-z]){longest_first(_DATA['answering'])}".replace("|", "|(?<![a-z])"))
_HEADING = re.compile(
    rf"{HEAD}(?:{longest_first(_DATA['headings'])}|{ANSWERED}|{ASKED})[*_]*[ \t]*(?:[:\uff1a]|\n|\Z)"
    rf"|[ \t]*</?(?:[a-z]+_)?(?:history|instructions?|rules|conversation|question|query|task|example)s?>",
    re.IGNORECASE,
)
_SPACED = r"[a-z\u00df-\u024f\u0370-\u058f\u0600-\u06ff\u0900-\u097f]"
_POINT = rf"(?<!{_SPACED})(?:{longest_first(_DATA['pointing'])})(?!{_SPACED})"
_JOINED = "|".join(word for word in _DATA["pointing"] if word[0] > "\u2fff")
"""Those of scripts that set no space behind them."""
_NAMED = rf"(?:{CONTEXT}|{longest_first(_DATA['facts'])})"
_SHOWS = re.compile(
    rf"{_POINT}\s*(?:[^\s,.;]{{1,20}}\s+){{0,3}}(?:[^\s,.;]{{0,3}}){_NAMED}|(?:{_JOINED}).{{0,6}}{_NAMED}"
    rf"|{_NAMED}[^\s,.;]{{0,3}}\s+(?:[^\s,.;]{{1,20}}\s+)?{_POINT}"
)
_ENDS = re.compile(
    rf"(?:\A|[^a-z])(?:{BACKGROUND})\Z|\A(?:{BACKGROUND})\s.{{1,30}}(?:{ASKED})\Z|\Acontext follows\Z"
    rf"|\A(?:{longest_first(_DATA['showing'])})(?!{_SPACED}).{{0,40}}{_NAMED}"
)
_BASED = re.compile(
    rf"(?:\A|(?<=\s))(?:{longest_first(_DATA['replying'])})(?!{_SPACED})[^.;]{{0,40}}(?<!{_SPACED})(?:{longest_first(_DATA['basing'])})"
    rf"(?!{_SPACED})[^.;]{{0,30}}(?<!{_SPACED})(?:{_NAMED}|{longest_first(_DATA['texts'])})(?:\s+{_POINT})?\Z"
)
"""An order that ends with the name of what the answer is to be made of; a text, too, but not just "the following"."""
_FROM = re.compile(
    rf"\A(?:{longest_first(_DATA['replying'])})(?: [^\s,.;]{{1,12}}){{0,3}}"
    rf" (?:{longest_first(_DATA['basing'])})(?: d[eiu]| von)?\Z"
)
"""An order that ends where what the answer is to be made of begins, as "answer from:" does."""
_OF_ANSWERS = re.compile(
    rf"(?<!{_SPACED})(?:{longest_first(_DATA['manner'])}|(?:{CONTEXT}|{PASSAGE})(?:n|s|es)?(?!{_SPACED}))"
)
_EVIDENCE = re.compile(rf"(?<!{_SPACED})(?:{CONTEXT}|{PASSAGE})(?:n|s|es)?(?!{_SPACED})")
_RULES = re.compile(rf"(?:\A|[^a-z])(?:{longest_first(_DATA['rules'])})")
_NOTHING = re.compile(rf"\W*(?:{longest_first(_DATA['nothing'])})")
_WORD = r"(?:[a-z\u00df-\u1fff]{1,16}|[\u3040-\ud7ff]{1,6})"
_MOMENT = re.compile(rf"(?:{longest_first(_DATA['moment'])})\W*(?:{_WORD}\W*|(?=[^\n]*\d)[^\n]{{1,40}})")
"""A day's name, or something short with a number in it."""
_PERSON = re.compile(rf"(?:{longest_first(_DATA['person'])})\s*\S{{1,40}}(?: \S{{1,40}}){{0,2}}")
"""Of who asks, a name or a word or two."""
_SITUATING = re.compile(rf"\W*(?:{longest_first(_DATA['situating'])})")
_LONGEST_INSTRUCTIONS = 20_000
_OWN = re.compile(
    rf"(?<!{_SPACED})(?:{longest_first(_DATA['own'])})(?!{_SPACED})|{longest_first(_DATA['own_joined'])}"
)
_LIMITS = re.compile(rf"(?<!{_SPACED})(?:{longest_first(_DATA['limiting'])})(?!{_SPACED})")
_REQUESTS = re.compile(
    rf"\s*(?:{longest_first(_DATA['requesting'])})(?!{_SPACED})|[^\n]*(?:{longest_first(_DATA['requesting_joined'])})"
)
_LONGEST_BEGINNING = 300
"""Characters by which an order or a heading is known."""
_LONGEST_NOTHING = 80
_LONGEST_OWN = 2_000
"""Characters in which whoever tells of himself says so."""
_FOUND = re.compile("|".join(map(re.escape, _DATA["found"])))
_BLANK = re.compile(r"\n[ \t]*\n")


def is_order(text: str) -> bool:
    """Whether a paragraph tells the model how, when or whom to answer; one that may be a passage does not.

    >>> is_order("Use only the passages above."), is_order("Sei kurz."), is_order("2. If you do not know, say so.")
    (True, True, True)
    >>> is_order("Use a shovel."), is_order("It is dug from the ground."), is_order("If it rains, the ferry waits.")
    (False, False, False)
    """
    said = _ITEM.sub("", text[:_LONGEST_BEGINNING].lower(), count=1)
    if _SPEAKING.match(said):
        return True
    return (_DOING.match(said) is not None and _ANSWERING.search(said) is not None) or _situates(said)


def limits(text: str) -> bool:
    """Whether an order says for whom, or of what, to answer, not from which passages nor how: a part of the question.

    >>> limits("Answer only for weekdays."), limits("Answer only from the context."), limits("Nur für Kinder.")
    (True, False, True)
    >>> limits("Only for the model: be brief."), limits("Cite only if it is needed.")
    (False, False)
    """
    said = text[:_LONGEST_BEGINNING].lower()
    return _LIMITS.search(said) is not None and _OF_ANSWERS.search(said) is None


def requests(text: str) -> bool:
    """Whether a text of one sentence may ask for something without a question mark.

    >>> requests("Tell me when it leaves."), requests("時刻を教えてください。"), requests("It leaves at nine.")
    (True, True, False)
    """
    return len(text) <= _LONGEST_BEGINNING and _REQUESTS.match(text.lower()) is not None


def is_of_answers(text: str) -> bool:
    """Whether the first paragraph speaks of the passages, the question, or how to answer: else it may be a passage's.

    So does a heading; where there is no paragraph, none is a passage's.

    >>> is_of_answers("\\n\\nUse only the passages above."), is_of_answers("Sei kurz."), is_of_answers("")
    (True, True, True)
    >>> is_of_answers("Please answer all questions of the form.\\n\\nBe brief."), is_of_answers("Your ticket is valid.")
    (False, False)
    """
    said = _BLANK.split(text.lstrip(), maxsplit=1)[0][:_LONGEST_BEGINNING].lower()
    told = _HEADING.match(said) or _OF_ANSWERS.search(said)
    return not said or told is not None or _situates(said)


def _situates(said: str) -> bool:
    """Whether all lines of a paragraph, in lower case, only say when it is or who asks.

    >>> _situates("today is monday."), _situates("current date: 2026-11-24\\nuser: bob"), _situates("today is a feast.")
    (True, True, False)
    """
    lines = [line.strip() for line in said.strip().split("\n")]
    return all(_MOMENT.fullmatch(line) or _PERSON.fullmatch(line) for line in lines)


def names_evidence(text: str) -> bool:
    """Whether instructions speak of what is to be answered from, in their beginning.

    >>> names_evidence("Answer only from the search results."), names_evidence("Antworte nur aus dem Kontext.")
    (True, True)
    >>> names_evidence("You are a friendly guide.")
    False
    """
    return _EVIDENCE.search(text[:_LONGEST_INSTRUCTIONS].lower()) is not None


def situates(text: str) -> bool:
    """Whether a sentence says what the assistant is, or who uses it, as a background for the model does.

    >>> situates("This is an internal tool."), situates("ユーザーは社員です。"), situates("This is how snow is made.")
    (True, True, False)
    """
    return _SITUATING.match(text[:_LONGEST_BEGINNING].lower()) is not None


def is_own(text: str) -> bool:
    """Whether somebody tells of himself, as in "my dog": in Japanese, Chinese and Korean by a few words only.

    >>> is_own("I have a dog."), is_own("J'ai un chien."), is_own("It has a dog.")
    (True, True, False)
    """
    return _OWN.search(text[:_LONGEST_OWN].lower()) is not None


def only_orders(text: str) -> bool:
    """Whether all paragraphs are orders, up to a heading that says that something else than passages follows.

    >>> only_orders("Cite them.\\n\\nBe brief."), only_orders("\\n\\nChat history:\\nUser: Hello."), only_orders("")
    (True, True, True)
    >>> only_orders("It is dug from the ground.\\n\\nBe brief.")
    False
    """
    for paragraph in _BLANK.split(text):
        if _HEADING.match(paragraph.lstrip("\n")[:_LONGEST_BEGINNING]):
            return True
        if paragraph.strip(" \t\n-=*_#~") and not is_order(paragraph):
            return False
    return True


def points(label: str, *, apart: bool = False) -> bool:
    """Whether a line, without its colon and in lower case, points at a context that follows and is about no rules.

    `apart` from the question, in an order to the model: there "answer from the text" is about no text of the user's.

    >>> points("use this context"), points("nutze den folgenden kontext, um zu antworten")
    (True, True)
    >>> points("context for the question"), points("kontext zur frage")
    (True, True)
    >>> points("here is the context you should use"), points("oto dokumenty")
    (True, True)
    >>> points("answer only from the text below", apart=True), points("answer only from the text below")
    (True, False)
    >>> points("respond based on the following", apart=True)  # of rules people say so, too
    False
    >>> points("answer only from"), points("réponds à partir de"), points("where are you from")
    (True, True, False)
    >>> [points(each) for each in ("how to use the context", "follow these rules", "facts about the user", "sources")]
    [False, False, False, False]
    """
    if _RULES.search(label):
        return False
    if _SHOWS.search(label) is not None:
        return True
    if (apart and _BASED.search(label) is not None) or _FROM.match(label) is not None:
        return True
    return " " in label and _ENDS.search(label) is not None


def is_nothing(text: str) -> bool:
    """Whether a context of one line says that nothing was found.

    >>> is_nothing("No relevant documents were found."), is_nothing("Snow is white.")
    (True, False)
    """
    return len(text) <= _LONGEST_NOTHING and _NOTHING.match(text.lower()) is not None


def is_empty_result(text: str) -> bool:
    """Whether a search says in words that it found nothing.

    >>> is_empty_result("No results found."), is_empty_result("Keine Treffer."), is_empty_result("No dogs on board.")
    (True, True, False)
    """
    return is_nothing(text) and "\n" not in text.strip() and _FOUND.search(text.lower()) is not None
