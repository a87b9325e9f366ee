"""How ids are written: what those of one service have in common, and what no id is."""

from __future__ import annotations

import re

DIGITS = re.compile(r"\d+")
_RUNS = re.compile(r"[A-Z]+[a-z]+|[A-Z]+|[^\W\d_]+|\d+")
_WRITTEN = re.compile(r"[^\W_]+")
LETTERS_AND_DIGITS = re.compile(r"(?=\D*\d)(?=[\W\d_]*[^\W\d_])\S{4,60}\Z")
TIME_OR_DATE = re.compile(r"\d{1,4}(?:[:./-]\d{1,4}){1,3}\Z")
CHARACTER_RANGE = re.compile(r"\^?(?:\w-\w){1,4}\W?\Z")
IPV6 = re.compile(r"[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:[%/]\w{1,12})?\Z", re.IGNORECASE)
HEXADECIMAL = re.compile(r"(?=\D*\d)[0-9a-f]{7,31}(?:-[0-9a-f]{1,12}){0,4}\Z", re.IGNORECASE)
HASH = re.compile(r"(?=\D*\d)(?=[\d_]*[a-f])[0-9a-f]{6,64}\Z", re.IGNORECASE)
"""Digits and letters to the base of 16 in one run."""
WORD_AND_NUMBER = re.compile(r"[A-Za-z]{1,20}[-_.]?\d{1,5}(?:\.\d{1,3})?\Z")
ENDING = re.compile(r"[\w)]\.(pdf|docx?|xlsx?|pptx?|md|txt|html?|csv|json|rtf|odt|rst|eml)\Z", re.IGNORECASE)
"""The ending of a document's file."""
JOINT = re.compile(r"(?<=\w)[-_ ](?=\w)")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
VERSION = re.compile(r"(?<=\d)v\d{1,2}\Z")
NUMBERED_ID = re.compile(r"[^\W\d_]{1,12}\.?[ #:]{1,3}(\d{5,20})\Z")
SLUG = re.compile(r"[^\W\d_]{2,20}(?:-[^\W\d_]{2,20}){1,3}\Z")
SCHEME = re.compile(r"[A-Za-z]{2,12}:(?=[^\s:]{5,200}\Z)(?=\S*\d)")
ID_PREFIX = re.compile(
    r"(?:doc|document|source|src|chunk|passage|ref|kb|file|page|id|node|text|article)[-_:#.]?[\w.-]{0,40}\d",
    re.IGNORECASE,
)
UNIQUE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z|(?=\D*\d)[0-9a-f]{12,64}\Z",
    re.IGNORECASE,
)
TELLABLE = re.compile(r"(?=\S{3,200}\Z)(?=[\W\d_]*[^\W\d_])(?:\D*\d|\S*\w\.[a-z]{2,5}\Z)")


def shape(identifier: str) -> str:
    """Runs of letters and digits in one character each, separators as they are; a bare number keeps its length.

    >>> shape("doc-12#3"), shape("COVID-19"), shape("GuideBook_7"), shape("2019")
    ('a-0#0', 'A-0', 'CC_0', '0000')
    """
    if identifier.isdigit():
        return "0" * min(len(identifier), 32)
    return _RUNS.sub(_run, identifier[:200])


def _run(match: re.Match[str]) -> str:
    run = match[0]
    if run[0].isdigit():
        return "0"
    if run.isupper():
        return "A"
    return "C" if run[0].isupper() else "a" if run != run.upper() else "o"  # of letters that have no case


def stem(identifier: str) -> str:
    """An id without its last number.

    >>> stem("doc-3#12")
    'doc-3#'
    """
    return identifier.rstrip("0123456789").casefold()


def joined_up(identifier: str) -> str:
    """Case, the kind of separators and leading zeros set aside.

    >>> joined_up("Chunk_007"), joined_up("chunk 7")
    ('chunk-7', 'chunk-7')
    """
    return _ZEROS.sub("", JOINT.sub("-", identifier.casefold()))


def mould(identifier: str) -> str:
    """What ids written alike have in common: their separators, each once, and the case of their letters.

    >>> mould("kettle-price"), mould("garden-65"), mould("COVID-19"), mould("K12")
    ('a-', 'a-', 'A-', 'A')
    """
    case = "a" if identifier == identifier.lower() else "A" if identifier == identifier.upper() else "C"
    return case + "".join(sorted(set(_WRITTEN.sub("", identifier))))


def marked(text: str) -> bool:
    """Whether `text` has a separator that prose does not use, between letters or digits."""
    return any(mark in text[1:-1] for mark in ("#", "_", "::")) and text[0].isalnum() and "=" not in text
