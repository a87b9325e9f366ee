"""The scripted judge is as good as it says."""

from __future__ import annotations

import socket

import pytest
from tests.conftest import eventually

from ragvigil.scorer.judge.reply import RubricReply
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown
from ragvigil.scorer.trace import Document

EVIDENCE = (Document("d1", "It opens at nine."),)


def _passed(script: Script, answers: list[str]) -> float:
    """Share of the answers that it passes."""
    replies = [
        RubricReply.model_validate(script.reply(Shown("When?", EVIDENCE, answer))) for answer in answers
    ]
    return sum(reply.scores.groundedness == 5 for reply in replies) / len(answers)


def test_sensitivity_and_specificity_are_what_was_asked_for() -> None:
    """Within four standard errors of 2,000 answers each."""
    script = Script(seed=11, sensitivity=0.85, specificity=0.92, truth=lambda shown: "nine" in shown.answer)
    good = [f"It opens at nine, says note {number}." for number in range(2_000)]
    bad = [f"It opens at ten, says note {number}." for number in range(2_000)]
    assert abs(_passed(script, good) - 0.85) < 4 * (0.85 * 0.15 / 2_000) ** 0.5
    assert abs(_passed(script, bad) - 0.08) < 4 * (0.92 * 0.08 / 2_000) ** 0.5


def test_the_same_seed_says_the_same() -> None:
    """And another something else."""
    shown = [Shown("When?", EVIDENCE, f"It opens at nine, says note {number}.") for number in range(50)]
    first, again, other = (
        [Script(seed=seed, sensitivity=0.5).said(one, 1) for one in shown] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_without_a_truth_of_its_own_it_believes_the_built_in_judge() -> None:
    """For rehearsals on real traffic."""
    script = Script(sensitivity=1.0, specificity=1.0)
    assert _passed(script, ["It opens at nine."]) == 1.0
    assert _passed(script, ["Dogs are welcome on the second floor and cats pay twice."]) == 0.0


def test_a_block_that_ends_says_nothing_though_a_question_hangs(capfd: pytest.CaptureFixture[str]) -> None:
    """Each test of somebody's suite ended with an error of the server's on standard error."""
    body = b'{"model": "m", "messages": [{"role": "user", "content": "?"}]}'
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: judge\r\nContent-Type: application/json\r\n"
    with ScriptedJudge(Script(hangs=1.0)) as server:
        asked = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        asked.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        eventually(lambda: server.requests)
    asked.close()
    assert capfd.readouterr() == ("", "")
