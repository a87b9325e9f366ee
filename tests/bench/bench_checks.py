"""Items per second and core of the checks and the built-in judge, beside a plain-Python floor, in one run.

    python tests/bench/bench_checks.py [--items 200] [--rounds 5]

Each item is an answer of about 1 kB with 10 passages of about 1 kB, made from a fixed seed. The floor is what
anybody would write in an afternoon: cited ids exist (pattern and set), quotes are found verbatim, numbers are
found, sentences overlap by words; it reads the same texts. Rounds alternate; CPU time is counted, medians shown. The
collector of cycles looks as seldom as in the score process, for all that is timed.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from ragvigil import prompts
from ragvigil.scorer.checks import CHECKS, Check, Finding, run_checks
from ragvigil.scorer.checks.alignment.recent import CITED, READ, RECENT
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.sample import decide
from ragvigil.scorer.score import collect_less
from ragvigil.scorer.trace import Document, RagTrace

_SYLLABLES = (
    "ba",
    "de",
    "fi",
    "go",
    "lu",
    "ma",
    "ne",
    "pi",
    "ro",
    "su",
    "ta",
    "ve",
    "xo",
    "kra",
    "sto",
    "pla",
)
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d[\d.,]*")
_CITED = re.compile(r"\[([^\[\]]+)\]")
_QUOTED = re.compile(r'"([^"]+)"')
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def main() -> None:
    """Print one line for each thing that is timed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    records = _records(arguments.items)
    rubric, judge = prompts.load("faithfulness"), Builtin()
    without_words = tuple(check for check in CHECKS if check.cost in ("record", "answer"))
    without_claims = tuple(check for check in CHECKS if check.cost != "claims")
    empty = (Check("empty", "1", lambda prepared: Finding(1.0)),)
    timed: dict[str, Callable[[RagTrace], object]] = {
        "plain-Python floor": _floor,
        "all checks": run_checks,
        "those without alignment": lambda record: run_checks(record, without_claims),
        "those without the passages' words": lambda record: run_checks(record, without_words),
        "built-in judge": lambda record: judge.judge_now(record, rubric),
        "checks, then judge (shared)": lambda record: (run_checks(record), judge.judge_now(record, rubric)),
        "framework around one check": lambda record: run_checks(record, empty),
        "sample decision": lambda record: decide(record.trace_id, 0.1),
    }
    collect_less()
    rates = _rates(timed, records, arguments.rounds)
    floor = rates["plain-Python floor"]
    for name, rate in rates.items():
        sys.stdout.write(
            f"{name:34} {rate:12,.0f} items/s  {1e6 / rate:9.1f} us  {rate / floor:7.2f} x floor\n"
        )


def _rates(
    timed: dict[str, Callable[[RagTrace], object]], records: Sequence[RagTrace], rounds: int
) -> dict[str, float]:
    seen: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds):
        for name, work in timed.items():
            RECENT.clear()
            READ.clear()
            CITED.clear()
            started = time.process_time()
            for record in records:
                work(record)
            seen[name].append(len(records) / (time.process_time() - started))
    return {name: statistics.median(rates) for name, rates in seen.items()}


def _floor(record: RagTrace) -> tuple[float, bool, float, float]:
    answer, texts = record.answer or "", [document.text or "" for document in record.documents]
    ids = {document.id for document in record.documents}
    cited = _CITED.findall(answer)
    quoted = all(any(quote in text for text in texts) for quote in _QUOTED.findall(answer))
    numbers = {number for text in texts for number in _NUMBER.findall(text)}
    mine = _NUMBER.findall(answer)
    vocabularies = [set(_WORD.findall(text.lower())) for text in texts]
    shares = [
        max(len(words & vocabulary) for vocabulary in vocabularies) / len(words)
        for sentence in _SENTENCE.split(answer)
        if (words := set(_WORD.findall(sentence.lower())))
    ]
    return (
        sum(one in ids for one in cited) / max(1, len(cited)),
        quoted,
        sum(one in numbers for one in mine) / max(1, len(mine)),
        sum(share >= 0.5 for share in shares) / max(1, len(shares)),
    )


def _records(count: int) -> list[RagTrace]:
    source = random.Random(7)
    vocabulary = ["".join(source.choices(_SYLLABLES, k=source.randint(1, 4))) for _ in range(4000)]
    return [_record(number, source, vocabulary) for number in range(count)]


def _record(number: int, source: random.Random, vocabulary: Sequence[str]) -> RagTrace:
    texts = [_text(source, vocabulary, 1000) for _ in range(10)]
    sentences = [sentence for text in texts for sentence in _SENTENCE.split(text)]
    chosen = [*source.sample(sentences, 4), *_SENTENCE.split(_text(source, vocabulary, 600))]
    answer = " ".join(f"{one[:-1]} [doc-{source.randint(1, 11)}#{number}]." for one in chosen)[:1000]
    return RagTrace(
        trace_id=f"{number:032x}",
        span_id="1" * 16,
        service="bench",
        started_at=0,
        query=" ".join(source.choices(vocabulary, k=8)) + "?",
        answer=answer,
        documents=tuple(
            Document(f"doc-{rank}#{number}", text, rank=rank) for rank, text in enumerate(texts, 1)
        ),
    )


def _text(source: random.Random, vocabulary: Sequence[str], length: int) -> str:
    words: list[str] = []
    while sum(map(len, words)) + len(words) < length:
        sentence = [_token(source, vocabulary) for _ in range(source.randint(8, 24))]
        words += [sentence[0].capitalize(), *sentence[1:-1], sentence[-1] + "."]
    return " ".join(words)


def _token(source: random.Random, vocabulary: Sequence[str]) -> str:
    kind = source.random()
    if kind < 0.03:
        return str(source.randint(2, 3000))
    if kind < 0.4:
        return source.choice(("the", "of", "and", "is", "not", "in", "to", "a"))
    return vocabulary[int(len(vocabulary) * source.random() ** 2)]


if __name__ == "__main__":
    main()
