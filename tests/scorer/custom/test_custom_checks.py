"""Checks of the operator's own, with the real process: values, failures, hangs, and expressions."""

from __future__ import annotations

import logging
import re
import sqlite3
import textwrap
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.commands._app import app
from ragvigil.scorer.config import CustomCheck, load
from ragvigil.scorer.custom.checks import CustomChecks
from ragvigil.scorer.custom.expression import Expression, MissingError
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult

RECORDING = Path(__file__).parents[2] / "fixtures" / "traces" / "langchain_stream.pb"
CODE = textwrap.dedent(
    """
    import os, sys, time
    from ragvigil.scorer.custom import check

    print("said while loading")

    @check(version="7")
    def share(record):
        print("said while measuring")
        return len(record.documents) / 4, "one of four"

    @check
    def fine(record):
        return "nine" in record.answer

    @check()
    def silent(record):
        return None

    @check()
    def wild(record):
        return 12

    @check()
    def broken(record):
        raise KeyError(record.answer)

    @check()
    def light(record):
        return not {"ragvigil.scorer.checks", "ragvigil.scorer.config"} & sys.modules.keys()

    @check()
    def slow(record):
        time.sleep(30)

    @check()
    def ending(record):
        os._exit(3)

    @check()
    def leaving(record):
        sys.exit(0)

    def plain(record):
        return 1.0
    """
)
RECORD = RagTrace(
    *("0" * 32, "1" * 16, "shop", 0),
    query="When does it open?",
    answer="It opens at nine.",
    documents=(Document("a", "The shop opens at nine."),),
    segment={"language": "en"},
)


LEAVING_AT_ONCE = "import sys\nsys.exit('no licence')\n"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A file of functions."""
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return path


@contextmanager
def loaded(code: Path, *names: str, seconds: float = 5.0) -> Generator[CustomChecks]:
    """Custom checks of these names."""
    with closing(
        CustomChecks({name: CustomCheck(function=f"{code}:{name}", seconds=seconds) for name in names})
    ) as checks:
        yield checks


def test_functions_measure_the_record(code: Path) -> None:
    """Numbers, flags, nothing, with their versions; what they print disturbs nobody."""
    with loaded(code, "share", "fine", "silent") as checks:
        for _ in range(3):
            assert [(one.check, one.version, one.value, one.reason) for one in checks.run(RECORD, ())] == [
                ("custom.share", "7", 0.25, "one of four"),
                ("custom.fine", "1", 1.0, None),
                ("custom.silent", "1", None, "the check has nothing to say"),
            ]


def test_their_process_loads_nothing_of_the_scorer_s(code: Path) -> None:
    """It starts again after each function that hangs, and every built-in check with its patterns takes a second."""
    with loaded(code, "light") as checks:
        assert [one.value for one in checks.run(RECORD, ())] == [1.0]


def test_a_function_that_fails_hurts_only_itself(code: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whether it raises, answers nonsense, hangs or ends its process; the reason quotes no content."""
    at = code.read_text().splitlines().index("    raise KeyError(record.answer)") + 1
    with (
        caplog.at_level(logging.CRITICAL),
        loaded(code, "fine", "wild", "slow", "broken", "ending", "share", seconds=1.0) as checks,
    ):
        found = {one.check: (one.value, one.reason) for one in checks.run(RECORD, ())}
    assert found == {
        "custom.fine": (1.0, None),
        "custom.wild": (None, "the check failed: its answer cannot be used: 12 is not in [0, 1]"),
        "custom.slow": (None, "the check failed: more than 1 s"),
        "custom.broken": (
            None,
            f"the check failed: KeyError in {code.name}, line {at}: raise KeyError(record.answer)",
        ),
        "custom.ending": (None, "the check failed: its process ended"),
        "custom.share": (0.25, "one of four"),
    }


def test_a_function_that_exits_ends_nothing_but_itself(code: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each record ended the process of all functions, which started anew; after three it rested."""
    at = code.read_text().splitlines().index("    sys.exit(0)") + 1
    with caplog.at_level(logging.CRITICAL), loaded(code, "leaving", "fine") as checks:
        found = [[(one.value, one.reason) for one in checks.run(RECORD, ())] for _ in range(5)]
    said = f"the check failed: SystemExit in {code.name}, line {at}: sys.exit(0)"
    assert found == [[(None, said), (1.0, None)]] * 5


def test_a_file_that_exits_when_it_is_read_is_the_only_mistake(code: Path) -> None:
    """None of the functions could be loaded, and nobody heard which file was at fault."""
    other = code.with_name("leaving.py")
    other.write_text(LEAVING_AT_ONCE)
    settings = {
        "fine": CustomCheck(function=f"{code}:fine"),
        "gone": CustomCheck(function=f"{other}:gone"),
    }
    with pytest.raises(ConfigError) as caught:
        CustomChecks(settings)
    assert "SystemExit: no licence" in str(caught.value)
    assert "custom_checks.fine" not in str(caught.value)


def test_one_that_always_hangs_rests(code: Path, caplog: pytest.LogCaptureFixture) -> None:
    """So that scoring does not wait for it on every record."""
    with caplog.at_level(logging.CRITICAL), loaded(code, "slow", "fine", seconds=0.1) as checks:
        reasons = [checks.run(RECORD, ())[0].reason for _ in range(4)]
        assert checks.run(RECORD, ())[1].value == 1.0
    assert reasons[:3] == ["the check failed: more than 0.1 s"] * 3
    assert reasons[3] == "the check rests: it took too long, or ended its process, 3 times in a row"


def test_one_that_cannot_be_loaded_again_lends_its_name_to_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """After another one ended their process: the rest keep their own values, with the versions of their new files."""
    measure = (
        "from ragvigil.scorer.custom import check\n@check(version={!r})\ndef f(record):\n    return {}\n"
    )
    for name, body in (("a", "0.1"), ("b", "__import__('os')._exit(3)"), ("g", "0.3")):
        (tmp_path / f"{name}.py").write_text(measure.format("1", body))
    sections = {name: CustomCheck(function=f"{tmp_path / name}.py:f", seconds=20) for name in ("a", "b", "g")}
    with caplog.at_level(logging.CRITICAL), closing(CustomChecks(sections)) as checks:
        (tmp_path / "a.py").unlink()
        (tmp_path / "g.py").write_text(
            measure.format("2", "0.40")
        )  # another size: Python keeps what it compiled by second and size
        checks.run(RECORD, ())  # b ends the process after a has answered
        (tmp_path / "b.py").write_text(measure.format("1", "0.2"))
        checks.close()
        found = checks.run(RECORD, ())
    assert [(one.check, one.version, one.value) for one in found] == [
        ("custom.a", "1", None),
        ("custom.b", "1", 0.2),
        ("custom.g", "2", 0.4),
    ]
    assert "no such file" in (found[0].reason or "")


def test_a_process_that_does_not_start_again_costs_a_round_only(
    code: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried once for all who wait for it, and again with the next record."""
    with caplog.at_level(logging.CRITICAL), loaded(code, "fine", "share") as checks:
        checks.close()
        with monkeypatch.context() as patch:
            patch.setattr("sys.executable", str(code.with_name("nothing")))
            found = checks.run(RECORD, ())
        assert [one.value for one in checks.run(RECORD, ())] == [1.0, 0.25]
    assert [one.reason for one in found] == [
        "the check failed: their process did not start: FileNotFoundError"
    ] * 2


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("plain", "is not decorated"),
        ("nothing", r"custom_checks.mine.function: \S*\.py: no nothing there; checks in it: share, "),
        ("", "write path/to/file.py:name"),
    ],
)
def test_what_cannot_be_loaded_is_a_mistake_in_the_settings(code: Path, name: str, problem: str) -> None:
    """Told at the start, by name."""
    with pytest.raises(ConfigError, match=problem):
        CustomChecks({"mine": CustomCheck(function=f"{code}:{name}")})


def test_services_are_chosen(code: Path) -> None:
    """A check of another service says nothing of this one."""
    section = CustomCheck(expression="1", services=("other",))
    assert CustomChecks({"mine": section}).run(RECORD, ()) == ()


def test_they_come_with_the_others(code: Path) -> None:
    """As the pipeline runs them, an expression over the checks' values beside them."""
    checking = Checking(
        custom={"good": CustomCheck(expression="supported_claims > 0.5 and failure_tags < 1")}
    )
    assert checking.run(RECORD)[-1].check == "custom.good"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("len(words(answer)) <= 4", True),
        ("supported_claims >= 0.9 and not ('ten' in answer)", True),
        ("0.5 if 'nine' in lower(answer) else 0", 0.5),
        ("min(1, documents / 4)", 0.25),
        ("segment('language') == 'en'", True),
        ("known(cost_usd) or known(supported_claims)", True),
        ("service in ('shop', 'other')", True),
        ("max(0, 1 - abs(-2) / 4) * 2", 1.0),
        ("0 < documents <= 1", True),
        ("-1 + 2 == 1 or cost_usd > 1", True),
    ],
)
def test_expressions_say_what_they_say(text: str, value: object) -> None:
    """Over the record and the checks."""
    checks = run_checks(RECORD)
    assert Expression(text, [one.check for one in checks]).of(RECORD, checks) == value


@pytest.mark.parametrize(
    "text",
    [
        *(
            "answer.__class__",
            "open('x')",
            "2 ** 9999999",
            "[x for x in words(answer)]",
            "(lambda: 1)()",
            "1 +",
        ),
        *(
            "nobody_knows > 1",
            "answer[0]",
            "f'{answer}'",
            "min(1, *words(answer))",
            "b'x'",
            "(1 + " * 300,
            "1; 2",
        ),
        *("+".join(["1"] * 300), "__import__('os')", "len(words(answer), key=len)", "'%s' % answer", ""),
        *(
            "words < 80",
            "len(words) < 80",
            "known",
            "segment() == 'a'",
            "len()",
            "min()",
            "abs(1, 2)",
            "known()",
        ),
    ],
)
def test_nothing_else_can_be_said(text: str) -> None:
    """No attribute, loop, power or name of Python; a function only with its values."""
    with pytest.raises(ValueError, match=r"\w"):
        Expression(text, ["supported_claims"])
    with pytest.raises(ValueError, match="did you mean supported_claims"):
        Expression("suported_claim > 0.5", ["supported_claims"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("cost_usd < 1", "cost_usd has no value"),
        ("segment('tenant') == 'a'", "segment tenant has no value"),
        ("documents / 0", "the check failed: float division by zero"),
        ("documents * 3", "the check failed: 3.0 is not in [0, 1]"),
        ("(answer if documents else 1) + 1", "the check failed: str is no number"),
        ("answer if documents else 1", "the check failed: str is no number"),
        ("None", "the expression has no value"),
    ],
)
def test_an_expression_that_fails_says_why(text: str, reason: str) -> None:
    """And has no value."""
    (found,) = CustomChecks({"mine": CustomCheck(expression=text)}).run(RECORD, ())
    assert (found.value, found.reason) == (None, reason)


def test_a_missing_value_is_named() -> None:
    """A check that had nothing to say makes the expression have nothing to say."""
    with pytest.raises(MissingError, match="abstention"):
        Expression("abstention < 1", ["abstention"]).of(RECORD, [CheckResult("abstention", "1", None, "x")])


def test_an_expression_may_ask_for_a_failure_tag() -> None:
    """By its name; the value of `failure_tags` only says whether there is any."""
    record = replace(RECORD, answer="It opens at nine [doc-9].")
    *_, found = Checking(custom={"mine": CustomCheck(expression="'MISATTRIBUTION' not in tags")}).run(record)
    assert found.value == 0.0
    *_, found = Checking(custom={"mine": CustomCheck(expression="'OVER_REFUSAL' not in tags")}).run(record)
    assert found.value == 1.0


def test_an_expression_that_breaks_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it raises: the checks beside it keep their values, and the reason quotes no content."""

    def broken(*_: object) -> object:
        raise LookupError("It opens at nine.")

    monkeypatch.setattr(Expression, "of", broken)
    *others, found = Checking(custom={"mine": CustomCheck(expression="1")}).run(RECORD)
    assert (found.value, found.reason) == (None, "the check failed: LookupError")
    assert any(one.value is not None for one in others)


@pytest.mark.parametrize(
    "line", ['expression = ""', 'function = ""', 'expression = " "', 'expression = "words < 80"']
)
def test_settings_that_measure_nothing_are_refused_before_the_start(tmp_path: Path, line: str) -> None:
    """By check-config, with the name of the section."""
    (tmp_path / "a.toml").write_text(f"[custom_checks.mine]\n{line}\n")
    done = CliRunner().invoke(app, ["check-config", str(tmp_path / "a.toml")])
    assert isinstance(done.exception, ConfigError)
    assert "custom_checks.mine" in str(done.exception)


def test_the_example_in_the_settings_can_be_loaded() -> None:
    """What the page on settings shows must work as it stands."""
    shown = re.findall(r'such as "(.+)"', CustomCheck.model_fields["expression"].description or "")
    checks = run_checks(RECORD)
    assert [Expression(text, [one.check for one in checks]).of(RECORD, checks) for text in shown] == [True]


def test_settings_want_one_of_the_two(tmp_path: Path) -> None:
    """And name the section."""
    (tmp_path / "a.toml").write_text('[custom_checks.mine]\nexpression = "1"\nfunction = "a:b"\n')
    with pytest.raises(ConfigError, match="one of the two"):
        load(tmp_path / "a.toml")


def test_their_results_are_stored_with_the_others(code: Path, tmp_path: Path) -> None:
    """A recording through the whole scorer: each has its row, with its version."""
    settings = tmp_path / "r.toml"
    settings.write_text(
        f'[custom_checks.share]\nfunction = "{code}:share"\nseconds = 20\n[custom_checks.any]\nexpression = "1"\n'
    )
    store = tmp_path / "e.db"
    command = ["replay", "--config", str(settings), "--store", f"sqlite:///{store}", str(RECORDING)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute(
            "SELECT name, check_version, count(value) FROM scores JOIN instruments ON id = instrument_id "
            "WHERE name LIKE 'custom.%' OR name IN ('failure_tags', 'grounded_answer') GROUP BY name ORDER BY name"
        ).fetchall()
    assert [row[0] for row in rows] == ["custom.any", "custom.share", "failure_tags", "grounded_answer"]
    assert rows[1][1] == "7"
    assert rows[0][2] >= 1


def test_a_failing_check_is_told_once_for_each_cause(code: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It had "the check failed: KeyError" with each record, and no line anywhere said where; no content is in it."""
    with loaded(code, "broken", "wild") as checks, caplog.at_level(logging.ERROR):
        for _ in range(3):
            checks.run(RECORD, ())
    told = [one.getMessage() for one in caplog.records]
    assert len(told) == 2
    assert re.fullmatch(
        r"custom check broken: KeyError in \S+\.py, line \d+: raise KeyError\(record\.answer\)", told[0]
    )
    assert "nine" not in caplog.text
    caplog.clear()
    checks = CustomChecks({"mine": CustomCheck(expression="documents * 3")})
    with caplog.at_level(logging.ERROR):
        checks.run(RECORD, ())
        checks.run(RECORD, ())
    assert [one.getMessage() for one in caplog.records] == ["custom check mine: 3.0 is not in [0, 1]"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("len(documents)", "'len(documents)': documents is a number, not a text or a list"),
        ("model", "its value is a text, not a number in [0, 1]"),
        ("words(answer)", "its value is a list"),
        ("answer + answer", "answer is a text, not a number"),
        ("query < 3", "'query < 3': query is a text, not a number"),
        ("lower(documents) == 'a'", "documents is a number, not a text"),
        ("known(answer) and len(words(documents)) < 3", "documents is a number, not a text"),
        ("'a' in supported_claims", "supported_claims is a number, not a text or a list"),
    ],
)
def test_an_expression_that_never_fits_is_refused_at_the_start(text: str, problem: str) -> None:
    """`check-config` passed it, and it failed on every record."""
    with pytest.raises(ConfigError, match=re.escape(problem)):
        CustomChecks({"mine": CustomCheck(expression=text)})


def test_deep_comparisons_are_looked_at_once() -> None:
    """Or a hundred of them, one in the other, would hold up the start for ever."""
    Expression("(" * 60 + "1" + " < 2)" * 60, ())
