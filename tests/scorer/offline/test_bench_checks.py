"""`ragvigil bench-checks` on sets written here: figures by hand, splits, groups, what cannot be scored, the command."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragvigil import prompts
from ragvigil.prompts import Prompt
from ragvigil.scorer.commands._app import app
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.bench import Line, judge_all, report
from ragvigil.scorer.offline.labelled import labelled, sets_in
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Claim, State, Verdict

EVIDENCE = [{"id": "d1", "text": "The tank holds 12 litres. It was sold in 1901."}]
TRUE, FALSE = "The tank holds 12 litres.", "A dragon guards the treasure of Oslo."


class Told:
    """A judge that gives each answer the faithfulness that its first word says."""

    name, version = "told", "1"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict, or what goes wrong."""
        word = (record.answer or "").split()[0]
        if word == "raise":
            raise OSError("the endpoint is away")
        states: Mapping[str, State] = {"silent": "no_claims", "foreign": "not_scoreable"}
        if word in states:
            return Verdict(self.name, "1", rubric.digest, states[word], None, None)
        value = float(word)
        claim = Claim(record.answer or "", 0, 9, (), "unsupported", value, unsupported_spans=((0, 4),))
        claims = (claim,) if value < 0.5 else ()
        return Verdict(self.name, "1", rubric.digest, "supported", value, value, claims)

    async def close(self) -> None:
        """Nothing is open."""


def row(answer: str, label: int, **more: object) -> dict[str, object]:
    """One labelled answer."""
    return {"query": "How much?", "evidence": EVIDENCE, "answer": answer, "label": label, **more}


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    """A set, gzip where the name says so."""
    path = folder / name
    text = "".join(json.dumps(one) + "\n" for one in rows)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def measured(path: Path, draws: int = 50) -> dict[str, Line]:
    """The lines of the report by name."""
    judged, _ = asyncio.run(judge_all(labelled(path), Told(), prompts.load("faithfulness")))
    return {line.name: line for line in report(judged, draws=draws)}


def ranked(count: int = 40, split: str = "dev") -> list[dict[str, object]]:
    """Answers that the judge ranks without a mistake, each from a source of its own."""
    return [
        row(
            f"{(place + 0.5) / count:.3f} said", int(place >= count / 2), group=f"{split}{place}", split=split
        )
        for place in range(count)
    ]


def test_a_judge_without_mistakes_has_full_marks(tmp_path: Path) -> None:
    """With an interval; calibration is not perfect, for it is never sure."""
    line = measured(write(tmp_path, "mine.jsonl", ranked()))["mine"]
    assert (line.rows, line.unsupported, line.auroc) == (40, 0.5, (1.0, 1.0, 1.0))
    assert line.f1 is not None
    assert line.f1[0] > 0.9
    assert line.calibration_error == pytest.approx(0.25, abs=0.01)


def test_thresholds_come_from_other_rows(tmp_path: Path) -> None:
    """Those of split dev, and what is measured is the rest: there the same scores mean the opposite."""
    others = [one | {"label": 1 - int(str(one["label"])), "split": "test"} for one in ranked(split="t")]
    line = measured(write(tmp_path, "mine.jsonl", [*ranked(), *others]))["mine"]
    assert line.rows == 40
    assert line.auroc == (0.0, 0.0, 0.0)
    assert line.balanced_accuracy is not None
    assert line.balanced_accuracy[0] < 0.1


def test_without_rows_to_tune_on_no_row_chooses_its_own_threshold(tmp_path: Path) -> None:
    """Scores that mean nothing stay at a coin's balanced accuracy, whatever split the rows are of."""
    draw = random.Random("noise")
    noise = [
        row(f"{draw.random():.3f} said", draw.randrange(2), dataset="noise", group=f"g{place}", split="test")
        for place in range(200)
    ]
    dev = [one | {"split": "dev"} for one in noise]
    tested = measured(write(tmp_path, "test.jsonl", noise), 0)["noise"]
    tuned = measured(write(tmp_path, "dev.jsonl", dev), 0)["noise"]
    assert tested.balanced_accuracy == tuned.balanced_accuracy
    assert tested.balanced_accuracy is not None
    assert tested.balanced_accuracy[0] < 0.53


def test_whole_groups_are_drawn(tmp_path: Path) -> None:
    """Copies of a row are no more evidence: the interval is that of the sources."""
    noisy = [one | {"label": int(place % 3 > 0)} for place, one in enumerate(ranked())]
    alone = measured(write(tmp_path, "one.jsonl", noisy), 200)["one"].auroc
    copied = measured(write(tmp_path, "ten.jsonl", [one for one in noisy for _ in range(10)]), 200)[
        "ten"
    ].auroc
    assert alone is not None
    assert copied is not None
    assert alone[1] is not None
    assert alone[2] is not None
    assert copied[1] is not None
    assert copied[2] is not None
    assert copied[0] == pytest.approx(alone[0], abs=0.01)
    assert copied[2] - copied[1] == pytest.approx(alone[2] - alone[1], abs=0.05)


def test_parts_have_lines_of_their_own(tmp_path: Path) -> None:
    """By task and by subset; a part with too few of a kind has no ranking."""
    rows = [one | {"dataset": "set", "task": "QA"} for one in ranked()]
    rows += [row("0.9 said", 1, dataset="set", task="Summary", subset="news")]
    found = measured(write(tmp_path, "mine.jsonl.gz", rows))
    assert list(found) == ["set", "set/QA", "set/Summary", "set/news"]
    assert (found["set/news"].rows, found["set/news"].auroc) == (1, None)


def test_what_cannot_be_scored_is_counted(tmp_path: Path) -> None:
    """No claim means nothing unsupported; a refusal to judge and a failure are no score."""
    rows = [*ranked(), row("silent", 1), row("foreign", 0), row("raise", 0), row("", 0)]
    line = measured(write(tmp_path, "mine.jsonl", rows))["mine"]
    assert (line.rows, line.unscored) == (41, {"failed": 1, "no answer": 1, "not_scoreable": 1})


def test_marked_spans_are_compared_by_character(tmp_path: Path) -> None:
    """Four characters taken of the six that are marked."""
    rows: list[dict[str, object]] = [
        one | {"unsupported_spans": [] if one["label"] else [[0, 6]]} for one in ranked()
    ]
    found = measured(write(tmp_path, "mine.jsonl", rows))["mine"].characters_f1
    assert found is not None
    assert found[0] == pytest.approx(2 * 4 / (4 + 6))


def test_refusals_are_measured_without_evidence(tmp_path: Path) -> None:
    """Where people said what refuses."""
    rows: list[dict[str, object]] = [
        {"query": "q", "evidence": [], "answer": answer, "label": 1, "refusal": told}
        for answer, told in (
            ("I don't know.", True),
            ("It opens.", True),
            ("I'm sorry, but I cannot say.", False),
        )
    ]
    line = measured(write(tmp_path, "mine.jsonl", rows))["mine"]
    assert (line.refusals, line.unsupported) == ((0.5, 0.5), None)


def test_a_set_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    """The file and the line; an empty folder too."""
    with pytest.raises(InputError, match="holds no"):
        sets_in(tmp_path)
    (tmp_path / "bad.jsonl").write_text('{"answer": 3}\nnonsense\n')
    with pytest.raises(
        InputError, match=r"bad\.jsonl, line 2: not JSON .*; put one JSON object on each line$"
    ):
        list(labelled(tmp_path / "bad.jsonl"))
    (tmp_path / "worse.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match="worse"):
        list(labelled(tmp_path / "worse.jsonl.gz"))
    whole = bytearray(gzip.compress(json.dumps(row(TRUE, 1)).encode() * 50))
    whole[len(whole) // 2] ^= 0xFF
    (tmp_path / "broken.jsonl.gz").write_bytes(whole)
    with pytest.raises(InputError, match="broken"):
        list(labelled(tmp_path / "broken.jsonl.gz"))
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match=r"empty\.jsonl: holds no row"):
        list(labelled(tmp_path / "empty.jsonl"))


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        *(("label", value, "must be 1") for value in ("1", 0.5, 2, [1])),
        ("answer", 5, "must be text, not a number; put it in quotes$"),
        ("evidence", "a", r"must be a list of passages, not text; put it in \[ \]$"),
        ("refusal", "yes", "must be true or false"),
        ("split", ["dev"], "must be text"),
        ("unsupported_spans", "0-3", "must be a list of"),
        *(
            ("unsupported_spans", [[0, 1], value], r"must be a list of \[start, end\)")
            for value in (["a", 3], 5, [3], [3, 1], [-1, 2], [True, 2], [0, 1.5], None)
        ),
    ],
)
def test_a_row_that_means_nothing_says_where_and_what(
    tmp_path: Path, field: str, value: object, problem: str
) -> None:
    """File, line, field and fix, in this order; not a traceback, and not silence."""
    path = write(tmp_path, "mine.jsonl", [row(TRUE, 1), row(TRUE, 1) | {field: value}])
    with pytest.raises(InputError, match=rf"mine\.jsonl, line 2, {field}(\[1\])?: {problem}"):
        list(labelled(path))


def test_spans_are_cut_to_the_answer(tmp_path: Path) -> None:
    """What lies behind its end is no part of what is compared."""
    path = write(
        tmp_path, "mine.jsonl", [row("12345", 0, unsupported_spans=[[0, 2], [3, 99], [7, 9], [2, 2]])]
    )
    assert [one.spans for one in labelled(path)] == [((0, 2), (3, 5))]


def test_rows_that_measure_nothing_are_counted(tmp_path: Path) -> None:
    """Not one vanishes: without an answer, evidence or label each is in the line with why."""
    rows: list[dict[str, object]] = [
        row("", 0),
        row(TRUE, 0) | {"answer": None},
        row(TRUE, 1, evidence=()),
        row(TRUE, 1) | {"label": None},
    ]
    line = measured(write(tmp_path, "mine.jsonl", rows))["mine"]
    assert (line.rows, line.unscored) == (0, {"no answer": 2, "no evidence": 1, "not labelled": 1})


def run(*arguments: str) -> Any:
    """The command's output as JSON."""
    done = CliRunner().invoke(app, ["bench-checks", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


def test_the_command_measures_the_built_in_judge(tmp_path: Path) -> None:
    """On real texts, from the command line, with its speed."""
    rows = [row(TRUE, 1, group=f"t{place}") for place in range(12)]
    rows += [row(FALSE, 0, group=f"f{place}") for place in range(12)]
    write(tmp_path, "mine.jsonl", rows)
    write(tmp_path, "other.jsonl", rows)
    told = run(str(tmp_path), "--only", "mine", "--draws", "20")
    (line,) = told["lines"]
    assert (told["judge"], line["name"], line["rows"], line["auroc"]) == (
        "builtin",
        "mine",
        24,
        [1.0, 1.0, 1.0],
    )
    assert told["answers_per_second"] > 0
    missed = CliRunner().invoke(app, ["bench-checks", str(tmp_path), "--only", "nothere"])
    assert isinstance(missed.exception, InputError)
    assert str(missed.exception) == f"--only nothere: is not in {tmp_path}; it holds mine, other"
    shown = CliRunner().invoke(app, ["bench-checks", str(tmp_path), "--draws", "0"])
    assert shown.exit_code == 0
    assert "other" in shown.output
    assert "1.000 " in shown.output
    assert "nan" not in shown.output
