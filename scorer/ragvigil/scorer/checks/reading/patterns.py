"""Patterns: many regular expressions as one, made so that most places of a text are passed over at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

_QUANTIFIERS = ("?", "*", "+", "{")
LETTERS = re.compile(r"[^\W\d_]+")
"""Letters in a row."""
_IN_ASCII = str.maketrans(
    {place: chr(place).lower() if chr(place).isalpha() else " " for place in range(128)}
)
ELIDED = "(?<![^\\W\\d_])[slSL]['\\u2019](?=[aeiouhAEIOUH\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u00ff])"
"""What French and Italian put before a vowel: no unit behind a number, as in *lot 100 s'élève*, *en 2023 l'entreprise*.

In Turkish an ending may follow the sign of a unit: 5 l'lik, 10 m'ye."""
PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
"""What counts as one in a pattern: an escape, a class of characters, any other character."""


def letters_of(text: str) -> list[str]:
    """Its letters in a row, in lower case.

    >>> letters_of("It's 5 O'clock."), letters_of("Um CAFÉ às 5h")
    (['it', 's', 'o', 'clock'], ['um', 'café', 'às', 'h'])
    """
    return text.translate(_IN_ASCII).split() if text.isascii() else LETTERS.findall(text.lower())


def any_of(patterns: Sequence[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """One pattern for all; where they begin with a word's edge, that edge is looked for once for all of those.

    A pattern that begins so and is a choice must begin so in each of its parts.

    >>> found = any_of([r"\\bcats?", r"\\bdog|\\bdogs", "!"])
    >>> [found.search(text) is not None for text in ("a cat", "bobcat", "two dogs", "no!")]
    [True, False, True, True]
    """
    return _joined(*parted(patterns), flags)


def tells(patterns: Sequence[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """What `any_of` gives, found in the same texts, but maybe as another stretch of them.

    Patterns that begin with a word are sorted by its first letter, so that at most words of a text all are passed over.

    >>> found = tells([r"\\b(?:cats?|(?:big )?dogs) bark", r"\\bcan't (?:bark|purr)\\b", r"\\bc?at"])
    >>> [found.search(text) is not None for text in ("dogs bark", "big dogs bark", "it can't purr", "a bat barks")]
    [True, True, True, False]
    """
    at_words, others = parted(patterns)
    by_letter: defaultdict[str, list[str]] = defaultdict(list)
    for pattern in at_words:
        for letter, rest in _by_letter(pattern):
            by_letter[letter].append(rest)
    sorted_out = [
        f"{letter}(?:{'|'.join(rests)})" if letter else "|".join(rests) for letter, rests in by_letter.items()
    ]
    return _joined(sorted_out, others, flags)


def skipping(patterns: Sequence[str], before: str = r"\w") -> re.Pattern[str]:
    """One pattern, in whatever case, for all that begin with a letter or digit where nothing of `before` stands.

    It begins with a class of characters and minds the case only behind it: so the engine skips to the places where
    one can begin, which it does for nothing that begins otherwise or minds no case. None of `patterns` may begin
    with anything else, not even one of several choices.

    >>> found = skipping(["(?:cats?|dogs) bark", "7 lives"])
    >>> [found.search(text) is not None for text in ("Dogs bark", "two cats bark", "bobcats bark", "of 7 lives")]
    [True, True, False, True]
    """
    by_letter: defaultdict[str, list[str]] = defaultdict(list)
    for pattern in patterns:
        for letter, rest in _by_letter(pattern, str.isalnum):
            by_letter[letter.lower()].append(rest)
    if "" in by_letter:
        raise ValueError(f"patterns: {by_letter['']} begin with no letter")
    letters = "".join(f"{one}{one.upper()}" for one in by_letter)
    parts = [f"(?<=[{one}{one.upper()}])(?i:{'|'.join(rests)})" for one, rests in by_letter.items()]
    return re.compile(rf"[{letters}](?<!{before}.)(?:{'|'.join(parts)})")


def parted(patterns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that begin with a word's edge, without it, and the others."""
    at_words = [one.removeprefix(r"\b") for one in patterns if one.startswith(r"\b")]
    return at_words, [f"(?:{one})" for one in patterns if not one.startswith(r"\b")]


def _joined(at_words: Sequence[str], others: Sequence[str], flags: re.RegexFlag) -> re.Pattern[str]:
    joined = [rf"\b(?:{'|'.join(at_words)})"] if at_words else []
    return re.compile("|".join([*joined, *others]), flags)


def _by_letter(pattern: str, begins: Callable[[str], bool] = str.isalpha) -> list[tuple[str, str]]:
    """The patterns of which `pattern` is a choice, each as its first letter and the rest; "" for one without.

    `begins` says what counts as a letter.
    """
    found: list[tuple[str, str]] = []
    for choice in choices(pattern):
        inner, rest = _group(choice)
        if inner is not None:
            below: defaultdict[str, list[str]] = defaultdict(list)
            for letter, tail in _by_letter(inner, begins):
                below[letter].append(tail)
            found += [(letter, f"(?:{'|'.join(tails)}){rest}") for letter, tails in below.items()]
        elif begins(choice[:1]) and choice[1:2] not in _QUANTIFIERS:
            found.append((choice[0], choice[1:]))
        else:
            found.append(("", choice))
    return found


def choices(pattern: str) -> list[str]:
    """The parts of a choice.

    >>> choices("a|b(?:c|d)|[|]")
    ['a', 'b(?:c|d)', '[|]']
    """
    choices, depth = [""], 0
    for part in PART.findall(pattern):
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            choices.append("")
        else:
            choices[-1] += part
    return choices


def _group(pattern: str) -> tuple[str | None, str]:
    """What a group at the start of `pattern` holds, None where none is or it may be left out, and the rest.

    >>> _group("(?:a|(?:b))c"), _group("(?:a)?c"), _group("ac")
    (('a|(?:b)', 'c'), (None, '(?:a)?c'), (None, 'ac'))
    """
    depth = end = 0
    for part in PART.findall(pattern) if pattern.startswith("(?:") else ():
        depth += (part == "(") - (part == ")")
        end += len(part)
        if not depth:
            break
    if not end or pattern[end : end + 1] in _QUANTIFIERS:
        return None, pattern
    return pattern[len("(?:") : end - 1], pattern[end:]
