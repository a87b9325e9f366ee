"""What people are asked to read, and what becomes of labels from files."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.labels.conftest import Shop, filled
from typer.testing import CliRunner, Result

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.erasure.forgetting import Wanted
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.labels.book import book_of
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place

PLACE = Place("shop", "production")


def run(shop: Shop, *arguments: str) -> Result:
    """A command on the shop's store; what it raises comes out as it is."""
    return CliRunner().invoke(
        app, [*arguments, "--store", shop.store], catch_exceptions=False, standalone_mode=False
    )


def told(shop: Shop, *arguments: str) -> dict[str, Any]:
    """What a command says as JSON."""
    result = run(shop, *arguments, "--json")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def change(shop: Shop, sql: str, *values: str) -> None:
    """Something happens to the store."""
    with closing(sqlite3.connect(shop.settings.store.path)) as connection, connection:
        connection.execute(sql, values)


def label_all(shop: Shop, folder: Path, *options: str, by: str = "ana") -> None:
    """Draw in two waves and label by file, as the truth is."""
    for _ in range(2):
        path = folder / f"{by}.jsonl"
        run(shop, "calibrate", "draw", "--out", str(path), "--by", by, *options)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            row["label"] = shop.label[row["trace_id"]]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert told(shop, "calibrate", "read", str(path), "--by", by)["kept"] == len(rows)


def test_a_draw_takes_more_of_what_is_doubtful_and_keeps_each_probability(shop: Shop) -> None:
    """The first wave is 40 %; flagged answers are a tenth of the traffic and more of the draw."""
    assert told(shop, "calibrate", "draw")["new"] == 80
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        drawn = book_of(connection, PLACE).drawn
    frame = drawn.frame
    flagged = [frame.verdict[item.place] == 0 for item in drawn.items]
    assert sum(flagged) / 80 > 1.4 * sum(verdict == 0 for verdict in frame.verdict) / sum(frame.judged)
    assert sum(1 / item.inclusion for item in drawn.items) == pytest.approx(sum(frame.judged))
    assert list(frame.dimensions) == ["language"]
    # Random order: where an answer stands says nothing of what the judge said.
    assert 0.2 < sum(flagged[:40]) / sum(flagged) < 0.8


def test_the_same_draw_goes_on_until_it_is_read_then_gets_its_second_wave(shop: Shop, tmp_path: Path) -> None:
    """Nothing is drawn twice, and 200 labels are enough."""
    first = told(shop, "calibrate", "draw")
    assert told(shop, "calibrate", "draw") == {**first, "new": 0}
    label_all(shop, tmp_path)
    done = told(shop, "calibrate", "draw")
    assert (done["draw"], done["new"], done["items"], done["unread"]) == (first["draw"], 0, 200, 0)
    assert told(shop, "calibrate", "draw", "--new")["draw"] != first["draw"]


def test_what_is_written_for_people_says_nothing_of_the_judge(shop: Shop, tmp_path: Path) -> None:
    """Neither as columns nor as words, in CSV and in JSON lines."""
    for name in ("one.csv", "one.jsonl"):
        run(shop, "calibrate", "draw", "--out", str(tmp_path / name))
        text = (tmp_path / name).read_text()
        assert "All parts cost 5 euros." in text
        assert not any(word in text for word in ("verdict", "cheap", "unsupported", "inclusion", "0.9"))


def test_csv_comes_back_with_labels_and_formulas_are_only_text(tmp_path: Path) -> None:
    """A spreadsheet fills the columns label and annotator; what an answer says is never run by it."""
    shop = filled(tmp_path, questions=300)
    path = tmp_path / "labels.csv"
    change(shop, "UPDATE records SET query = '=HYPERLINK(\"http://x\")'")
    run(shop, "calibrate", "draw", "--out", str(path))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["question"] for row in rows} == {'\'=HYPERLINK("http://x")'}
    for row in rows[:5]:
        row |= {"label": "Faithful", "annotator": "bo", "note": "price, as it says"}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert told(shop, "calibrate", "read", str(path)) == {"kept": 5, "without_label": len(rows) - 5}
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        given = reading_labels.labels(connection)
    assert {(one.annotator, one.label, one.note, one.source) for one in given} == {
        ("bo", "faithful", "price, as it says", "file")
    }


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ";"), ("a.csv", "\t"), ("a.jsonl", "")])
def test_a_file_comes_back_as_spreadsheets_and_editors_save_it(
    shop: Shop, tmp_path: Path, name: str, delimiter: str
) -> None:
    """Half of the spreadsheets write semicolons; an answer may hold what other formats call a line end."""
    path = tmp_path / name
    change(shop, "UPDATE records SET answer = ?", "5 euros\u2028and\x85no more")
    run(shop, "calibrate", "draw", "--out", str(path))
    if delimiter:
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
            writer.writeheader()
            writer.writerows([{**rows[0], "label": "skip"}, *rows[1:]])
    else:
        path.write_text(path.read_text().replace('"label": ""', '"label": "skip"', 1))
    assert told(shop, "calibrate", "read", str(path), "--by", "ana")["kept"] == 1


ROW = {"trace_id": "TRACE", "label": "faithful", "annotator": "ana"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            ['{"trace_id": "TRACE", "label": "fine"}'],
            "line 1: label 'fine' is not known; write faithful, partial",
        ),
        (["", '{"trace_id": "abc", "label": "skip"}'], "line 2: trace_id 'abc' is not 32 lower-case hex"),
        (
            ['{"trace_id": '],
            "line 1: not JSON (expecting value, column 14); put one JSON object on each line",
        ),
        (["[1]"], "line 1: holds a list; put one JSON object on each line"),
        (
            ['{"trace_id": "TRACE", "answer": "5"}'],
            "no row has a 'label'; is it what ragvigil calibrate draw",
        ),
        (
            [json.dumps({**ROW, "trace_id": "0" * 32})],
            "line 1: trace_id " + "0" * 32 + " is not in the store",
        ),
        ([json.dumps({**ROW, "final": "maybe"})], "line 1: final is 'maybe'; write 1"),
        ([json.dumps(ROW), json.dumps(ROW)], "line 2: ana labels the same answer as in line 1"),
        ([json.dumps({**ROW, "annotator": "x" * 101})], "line 1: annotator is missing or too long"),
    ],
)
def test_a_wrong_row_is_named_with_its_fix_and_nothing_is_taken(
    shop: Shop, tmp_path: Path, rows: list[str], said: str
) -> None:
    """Also when rows before it are right."""
    trace = next(iter(shop.truth))
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(rows).replace("TRACE", trace))
    with pytest.raises(InputError) as error:
        run(shop, "calibrate", "read", str(path), "--by", "ana")
    assert said in str(error.value)
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        assert reading_labels.labels(connection) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trace,label\n", "line 1: the header lacks trace_id"),
        ('trace_id,label\n"abc"d,faithful\n', "line 2: is no CSV"),
        ("trace_id,label\nabc,faithful\n", "line 2: trace_id 'abc'"),
    ],
)
def test_a_csv_that_is_none_is_named(shop: Shop, tmp_path: Path, text: str, said: str) -> None:
    """File, line and fix."""
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        run(shop, "calibrate", "read", str(path))


def test_labels_go_with_the_answers_they_are_of(shop: Shop, tmp_path: Path) -> None:
    """An erasure takes them too; the frame of the draw holds numbers only."""
    label_all(shop, tmp_path)
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        trace = connection.execute(
            "SELECT trace_id FROM labels JOIN records ON id = record_id LIMIT 1"
        ).fetchone()[0]
    with SqliteStore(shop.settings) as store:
        store.erasures.begin(Wanted("trace", trace), 1)
        store.erasures.erase([trace])
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("labels", "label_items")
        ]
    assert counts == [199, 199]


def test_a_label_of_an_answer_that_changed_is_not_counted(shop: Shop, tmp_path: Path) -> None:
    """What was read is not what stands there now."""
    label_all(shop, tmp_path)
    change(shop, "UPDATE records SET input_hash = x'00' WHERE id = (SELECT record_id FROM labels LIMIT 1)")
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        assert len(reading_labels.labels(connection)) == 199


def test_too_few_verdicts_are_told_with_what_helps(tmp_path: Path) -> None:
    """Before anything is drawn."""
    shop = filled(tmp_path, questions=20)
    with pytest.raises(InputError, match=r"only \d+ verdicts in 7 days .* judge more \(sample.rate\)"):
        run(shop, "calibrate", "draw")
