"""The desk, at a real pseudo-terminal and beside a running scorer."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import Serve
from tests.scorer.labels.conftest import Shop, settings_in
from tests.scorer.labels.test_draw_and_read import PLACE, run

from ragvigil.scorer.config import load
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.labels.book import book_of, draws_of
from ragvigil.scorer.labels.page import page
from ragvigil.scorer.labels.port import Given
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace

PROMPT = "[q]uit > "


class Sitting:
    """A person at `ragvigil label` in a terminal of 80 columns."""

    def __init__(self, *options: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ragvigil.scorer", "label", *options],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "COLUMNS": "80"},
            start_new_session=True,
        )
        os.close(slave)
        self.shown = ""

    def until(self, words: str, *, seconds: float = 30) -> str:
        """What appears up to these words, and is then gone."""
        deadline = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < deadline, self.shown
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self.master, 65_536).decode()
                except OSError:  # the other end is closed
                    assert words in self.shown, self.shown
        seen, _, self.shown = self.shown.partition(words)
        return seen + words

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self.master, keys.encode())

    def leave(self) -> int:
        """Wait until it ends."""
        code = self.process.wait(30)
        os.close(self.master)
        return code


def given(shop: Shop) -> list[Given]:
    """What is stored."""
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        return list(reading_labels.labels(connection))


def test_a_person_labels_takes_back_notes_leaves_and_goes_on(shop: Shop) -> None:
    """Every key does what the help says, each label is in the store before the next answer is shown."""
    run(shop, "calibrate", "draw")
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        drawn = book_of(connection, PLACE).drawn
    first, second = (item.record_id for item in drawn.items[:2])
    desk = Sitting("--by", "ana", "--store", shop.store)
    shown = desk.until(PROMPT)
    assert "80 answers to read, as ana" in shown
    assert "All parts cost 5 euros." in shown
    assert not re.search(r"verdict|judge|cheap|0\.\d", shown)
    desk.press("x\x1b[Az")  # none of these decides anything
    desk.until("nothing to undo")
    desk.until(PROMPT)
    desk.press("u")
    desk.until("--- 2 of 80")
    desk.until(PROMPT)
    assert [(one.record_id, one.label) for one in given(shop)] == [(first, "unfaithful")]
    desk.press("z")
    desk.until("taken back: unfaithful")
    desk.until(PROMPT)
    assert given(shop) == []
    desk.press("n")
    desk.until("note: ")
    desk.press("the price differs\r")
    desk.until(PROMPT)
    desk.press("p")
    desk.until("--- 2 of 80")
    desk.until(PROMPT)
    desk.press("s")
    desk.until("--- 3 of 80")
    desk.press("q")
    desk.until("2 labels kept, 78 answers left")
    assert desk.leave() == 0
    assert [(one.record_id, one.label, one.note, one.source) for one in given(shop)] == [
        (first, "partial", "the price differs", "desk"),
        (second, "skip", "", "desk"),
    ]
    again = Sitting("--by", "ana", "--store", shop.store)
    assert "78 answers to read" in again.until(PROMPT)
    again.press("\x03")
    again.until("0 labels kept")
    assert again.leave() == 0


def test_two_people_who_disagree_send_the_answer_to_a_third_and_an_adjudicator_settles(shop: Shop) -> None:
    """Each reads what lacks a reader; a tie is shown again, and only then."""
    run(shop, "calibrate", "draw", "--readers", "2", "--overlap", "0.05")
    for name, key in (("ana", "f"), ("bo", "u")):
        desk = Sitting("--by", name, "--store", shop.store)
        assert "80 answers to read" in desk.until(PROMPT)
        desk.press(key)
        desk.until("--- 2 of")
        desk.press("q")
        assert desk.leave() == 0
    ana, bo = given(shop)
    assert ana.record_id == bo.record_id
    third = Sitting("--by", "cy", "--adjudicate", "--store", shop.store)
    assert "1 answers to read" in third.until(PROMPT)
    third.press("p")
    third.until("1 labels kept, 0 answers left")
    assert third.leave() == 0
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        assert book_of(connection, PLACE).settled[ana.record_id].label == "partial"
    assert "nothing to read for cy" in run(shop, "label", "--by", "cy", "--adjudicate").stdout


def test_a_running_scorer_keeps_the_labels(shop: Shop, serve: Serve, tmp_path: Path) -> None:
    """It is the only one that writes."""
    shutil.copy(shop.store, tmp_path / "ragvigil.db")
    scorer = serve(environment={"RAGVIGIL_JUDGE__KIND": "none"})
    beside = Shop(load(overrides={"store": {"url": f"sqlite:///{scorer.store}"}}), shop.truth)
    run(beside, "calibrate", "draw")
    desk = Sitting("--by", "ana", "--store", beside.store)
    desk.until(PROMPT)
    desk.press("f")
    desk.until("--- 2 of 80")
    desk.press("q")
    desk.until("1 labels kept")
    assert desk.leave() == 0
    assert [one.label for one in given(beside)] == ["faithful"]
    assert scorer.process.poll() is None


def test_a_person_reads_one_services_answers_where_several_were_drawn_from(shop: Shop) -> None:
    """Everybody was given everybody's answers."""
    run(shop, "calibrate", "draw", "--labels", "50")
    with pytest.raises(
        InputError, match=rf"--service: nothing was drawn of it; drawn was of: {PLACE.service}"
    ):
        run(shop, "label", "--service", "nobody")
    with closing(open_for_reading(shop.settings.store.path)) as connection:
        assert len(draws_of(connection, PLACE.service, None)) == len(draws_of(connection, None, None)) == 1
        with pytest.raises(InputError, match="drawn was of"):
            draws_of(connection, None, "staging")


def test_without_a_terminal_the_way_by_file_is_named(shop: Shop) -> None:
    """A pipe is no desk."""
    run(shop, "calibrate", "draw")
    found = subprocess.run(
        [sys.executable, "-m", "ragvigil.scorer", "label", "--store", shop.store],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert found.returncode == 2
    assert "needs a terminal; labels in a file: ragvigil calibrate read FILE" in found.stderr


@pytest.mark.parametrize("hostile", ["\x1b[2J\x1b[1;1Hfaithful", "a\x07b", "\u202etxet", "x\r---"])
def test_an_answer_cannot_steer_the_terminal(hostile: str) -> None:
    """Control and direction characters are gone, the words stay."""
    record = RagTrace(
        "0" * 32, "1" * 16, "s", 0, query=hostile, answer=hostile, documents=(Document(hostile, hostile),)
    )
    shown = page(record, width=80)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", shown)
    assert shown.count("ANSWER") == 1


def test_a_store_without_a_verdict_says_so_and_names_no_option_that_was_not_given(tmp_path: Path) -> None:
    """`ragvigil calibrate` complained of --service on the first day."""
    shop = Shop(settings_in(tmp_path), {})
    SqliteStore(shop.settings).close()
    with pytest.raises(InputError, match=r"^answers: none has been judged yet; ragvigil status"):
        run(shop, "calibrate", "report")
    with pytest.raises(InputError, match=r"^--service: no answer of it has been judged; ragvigil status"):
        run(shop, "calibrate", "report", "--service", "nobody")
