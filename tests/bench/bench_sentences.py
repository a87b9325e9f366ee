"""Sentence segmenters side by side: boundaries of the hard cases, and microseconds per kilobyte, in one run.

    python tests/bench/bench_sentences.py [--rounds 5]

Libraries that are not installed are left out. F1 is over sentence ends, per case micro-averaged; "lines" means
that the library is given one line at a time, because most do not read a line break as an end. The language is
what production knows: nothing, so libraries that ask for one are given English, and ``told`` repeats them with
the true one. CPU time, median of rounds, rounds alternate.
"""

from __future__ import annotations

import argparse
import importlib
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from ragvigil.scorer.checks.reading.sentences import sentences

CORPUS = Path(__file__).parent.parent / "scorer" / "checks" / "corpus"
TUNED, UNSEEN = CORPUS / "sentences.txt", CORPUS / "sentences_unseen.txt"
END = "⏹"
_LINE = re.compile(r"[^\n]+")


class _Segmenter(Protocol):
    def segment(self, text: str) -> Iterable[str]: ...


class _Breaks(Protocol):
    def setText(self, text: str) -> None: ...  # noqa: N802  # the library's name
    def __iter__(self) -> Iterator[int]: ...


Cutter = Callable[[str, str], Iterable[str]]


def cases(path: Path = TUNED) -> Iterator[tuple[str, str, frozenset[int]]]:
    """Language, text, and its sentence ends, counted in characters that are no white space."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, marked = line.split("\t")
            pieces = marked.replace("\\n", "\n").split(END)
            yield language, "".join(pieces), ends(pieces)


def ends(pieces: Iterable[str]) -> frozenset[int]:
    """Where each piece ends, white space not counted."""
    found: set[int] = set()
    position = 0
    for piece in pieces:
        size = len("".join(piece.split()))
        position += size
        if size:
            found.add(position)
    return frozenset(found)


def _ours(text: str, _language: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def _candidates() -> dict[str, Cutter]:
    found: dict[str, Cutter] = {"ours": _ours}
    for name, make in _LIBRARIES.items():
        try:
            cut = make()
        except ImportError:
            continue
        found[name] = _in_english(cut)
        found[f"{name}, lines"] = _in_english(_by_lines(cut))
        if name in ("sentencex", "pysbd", "icu"):
            found[f"{name}, lines, told"] = _by_lines(cut)
    return found


def _in_english(cut: Cutter) -> Cutter:
    return lambda text, _language: cut(text, "en")


def _by_lines(cut: Cutter) -> Cutter:
    return lambda text, language: (one for line in _LINE.findall(text) for one in cut(line, language))


def _sentencex() -> Cutter:
    segment = importlib.import_module("sentencex").segment
    return lambda text, language: segment(language, text)


def _pysbd() -> Cutter:
    known: dict[str, _Segmenter] = {}
    segmenter = importlib.import_module("pysbd").Segmenter
    languages = importlib.import_module("pysbd.languages").LANGUAGE_CODES

    def cut(text: str, language: str) -> Iterable[str]:
        code = language if language in languages else "en"
        if code not in known:
            known[code] = segmenter(language=code, clean=False)
        return known[code].segment(text)

    return cut


def _syntok() -> Cutter:
    process = importlib.import_module("syntok.segmenter").process
    return lambda text, _language: [
        "".join(token.spacing + token.value for token in sentence)
        for paragraph in process(text)
        for sentence in paragraph
    ]


def _segtok() -> Cutter:
    split = importlib.import_module("segtok.segmenter").split_multi
    return lambda text, _language: split(text)


def _blingfire() -> Cutter:
    split = importlib.import_module("blingfire").text_to_sentences
    return lambda text, _language: split(text).split("\n")


def _nupunkt() -> Cutter:
    split = importlib.import_module("nupunkt").sent_tokenize
    return lambda text, _language: split(text)


def _icu() -> Cutter:
    known: dict[str, _Breaks] = {}
    module = importlib.import_module("icu")

    def cut(text: str, language: str) -> Iterable[str]:
        if language not in known:
            locale = module.Locale(f"{language}@ss=standard")
            known[language] = module.BreakIterator.createSentenceInstance(locale)
        units = text.encode("utf-16-le")
        known[language].setText(text)
        places = [0, *known[language]]
        return [units[2 * a : 2 * b].decode("utf-16-le") for a, b in pairwise(places)]

    return cut


_LIBRARIES: dict[str, Callable[[], Cutter]] = {
    "sentencex": _sentencex,
    "pysbd": _pysbd,
    "syntok": _syntok,
    "segtok": _segtok,
    "blingfire": _blingfire,
    "nupunkt": _nupunkt,
    "icu": _icu,
}


def main() -> None:
    """Print one line for each segmenter."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    tuned, unseen, candidates = list(cases(TUNED)), list(cases(UNSEEN)), _candidates()
    text = "\n".join(text for language, text, _ in tuned if language == "en")
    kilobytes = len(text.encode()) / 1000
    costs: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(arguments.rounds):
        for name, cut in candidates.items():
            started = time.process_time()
            for _ in range(3):
                list(cut(text, "en"))
            costs[name].append((time.process_time() - started) / 3)
    sys.stdout.write(
        f"| segmenter | tuned F1 ({len(tuned)}) | unseen F1 ({len(unseen)}) | unseen right | us/kB |\n"
    )
    sys.stdout.write("|---|---|---|---|---|\n")
    for name, cut in candidates.items():
        seen, fresh = (
            [(expected, ends(cut(one, code))) for code, one, expected in part] for part in (tuned, unseen)
        )
        exact = sum(expected == found for expected, found in fresh)
        cost = 1e6 * statistics.median(costs[name]) / kilobytes
        sys.stdout.write(f"| {name} | {_f1(seen):.3f} | {_f1(fresh):.3f} | {exact} | {cost:,.0f} |\n")


def _f1(read: list[tuple[frozenset[int], frozenset[int]]]) -> float:
    hits = sum(len(expected & found) for expected, found in read)
    return 2 * hits / sum(len(expected) + len(found) for expected, found in read)


if __name__ == "__main__":
    main()
