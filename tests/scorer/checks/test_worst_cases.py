"""Texts that make bad patterns explode, and the limit on a check's time."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import pytest

from ragvigil.scorer.checks import Check, prepared, run, run_checks
from ragvigil.scorer.checks.check import Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.claims import Statement, read_statements
from ragvigil.scorer.trace import Document, RagTrace

LENGTH = 12_000
DOCUMENT = Document(
    "doc-1",
    "The shop opens at nine.",
    metadata={"url": "https://a.example", "authors": "Smith", "year": 2020},
)
PIECES = (
    *("[", "[[", "(", "【", "<a ", "<sup>", '<a href="', "`", "``` ", "$", "\\[", '"', "\u201c", "«", "^["),
    *(
        "[1,",
        "[1, 2] ",
        "1-",
        "(Smith, ",
        "Smith et al. ",
        "Smith & ",
        "Smith (2020) ",
        "et al, ",
        "\u00b9\u00b2",
    ),
    *("\u00b9 ", "https://a", "](", "[a](", "[^1]: x\n", "Sources:\n", "Sources:\n[1] a\n", "Source 1, 2, "),
    *("doc-1", "not ", "i can't ", "não ", "... ", '." ', "?! ", "a.b.", "- ", "| ", "|-|\n", "\n\n", "  \n"),
    *(
        " 'a ",
        "\u2018a\u2019b ",
        " »a",
        "\u201ea\n",
        "> a:\n",
        "> a\n> -- b\n",
        "*[1]",
        "x_[1]*",
        "Sources: [1]\n",
        "- [1] a\n",
    ),
    *("8.00 tot ", "um 8.00", "5 March ", "May 5", "12.05.", "3月", "é5", "8:00\u2013", "2 pm ", "9 h "),
    *(
        "{{1}}",
        "{{ ",
        "##1$$",
        "$$ ",
        "(#1, ",
        "press [1]",
        "[1] of ",
        "source 2 m ",
        "[1: 4-",
        '<ref name="1">',
    ),
    *(
        "3rd ",
        "1½ ",
        "1 ½",
        "third floor ",
        "27 February - ",
        "from 1/2/25 to ",
        "Monday to ",
        "24 hours a day ",
    ),
    *(
        "the documents not ",
        "i searched the documents ",
        "hard to say from the ",
        "the report does not ",
        "המסמך לא ",
        "אין ",
    ),
    *("about 875 000 ", "about 1,000", "~5", "5 million ", "成人票最多35元", "35 rooms "),
    *(" ", "no information about the ", "it is not ", "Der 3. ", "A. ", "。」", "# a\n", "x", "1", "1.1"),
)


def record(answer: str) -> RagTrace:
    """One answer beside one passage."""
    return RagTrace("0" * 32, "1" * 16, "shop", 0, query="What?", answer=answer, documents=(DOCUMENT,))


@pytest.mark.parametrize("piece", PIECES)
def test_no_text_makes_a_check_exceed_its_limit(piece: str) -> None:
    """Repeats of what patterns begin with; a pattern that backtracks over them would take hours."""
    for answer in (piece * (LENGTH // len(piece)), "a" + piece * (LENGTH // len(piece)) + "!"):
        assert not [one for one in run_checks(record(answer)) if "failed" in (one.reason or "")]


HOSTILE_TO_QUESTIONS_AND_EVIDENCE = (
    *(
        "ignore all previous ",
        "disregard the ",
        "you are now ",
        "reveal your system ",
        "an ai must ",
        "new instructions",
    ),
    *(
        "between a and ",
        "compare ",
        "a vs ",
        "how to ",
        "what does ",
        "entre o e ",
        "zwischen und ",
        "instructions ",
    ),
    *(
        "ana@",
        "4111 ",
        "+55 ",
        "sk-",
        "<EMAIL>",
        "12 not the pump holds. ",
        "The pump holds 1. ",
        "All only ",
        "Anna ",
    ),
)


@pytest.mark.parametrize("piece", HOSTILE_TO_QUESTIONS_AND_EVIDENCE)
def test_no_question_or_passage_makes_a_check_exceed_its_limit(piece: str) -> None:
    """The same, everywhere at once."""
    text = piece * (LENGTH // len(piece))
    passages = tuple(Document(f"d{rank}", text, rank=rank) for rank in (1, 2))
    for answer in (text, text + "!", "It holds 12 litres."):
        one = replace(record(answer), query=text, documents=passages)
        assert not [found for found in run_checks(one) if "failed" in (found.reason or "")]


def test_a_check_that_takes_too_long_fails_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its result says why, and the others are there."""
    monkeypatch.setattr(run, "MOST_SECONDS", 0.0)
    slow = Check("slow", "1", lambda prepared: Finding(float(sum(range(200_000)) > 0)))
    with caplog.at_level(logging.ERROR):
        first, *_ = run_checks(record("It opens."), (slow,))
    assert (first.value, first.reason) == (None, "the check failed: more than 0 s of CPU time")
    assert "check slow took" in caplog.text


def test_what_is_read_for_all_checks_is_charged_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that asks first would fail for it, the next would not."""
    clock = [0.0]
    for name in ("perf_counter", "thread_time"):
        monkeypatch.setattr(time, name, lambda: clock[0])

    def reading(answer: str, hidden: list[tuple[int, int]]) -> tuple[Statement, ...]:
        clock[0] += 10.0 * run.MOST_SECONDS
        return read_statements(answer, hidden)

    monkeypatch.setattr(prepared, "read_statements", reading)

    def asking(one: Prepared) -> Finding:
        assert one.statements
        return Finding(1.0)

    def slow(one: Prepared) -> Finding:
        assert one.statements
        clock[0] += 2.0 * run.MOST_SECONDS
        return Finding(1.0)

    told = record("It opens at nine and it closes at ten, whoever asks for it all the same.")
    asked, failed, _ = run_checks(
        told, (Check("asking", "1", asking), Check("slow", "1", slow), Check("asking", "1", asking))
    )
    assert asked.value == 1.0
    assert (failed.reason or "").startswith("the check failed: more than")
