"""Read traces first: notes, grouped by the categories that people gave, counted with intervals."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.diagnose.test_store import FALL, lived

from ragvigil.scorer.commands._app import run
from ragvigil.scorer.labels.notes import UNSORTED, Note, counted
from ragvigil.scorer.labels.port import Given
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore


def note(record: int, text: str, *, by: str = "ana", inclusion: float | None = 0.1) -> Note:
    """What somebody wrote."""
    return Note(record, f"{record:032x}", "q", by, "unfaithful", text, inclusion)


def test_categories_are_counted_over_answers_with_the_probability_of_being_read() -> None:
    """Two people who say the same of one answer are one answer."""
    read = [note(n, "") for n in range(40)]
    read += [note(n, "the fee of last year #Stale", inclusion=0.1) for n in range(40, 60)]
    read += [note(40, "#stale indeed", by="ben"), note(41, "odd")]
    stale, unsorted = counted(read)
    assert (stale.name, stale.answers, stale.people) == ("stale", 20, 2)
    assert stale.share.value == pytest.approx(20 / 60)
    assert stale.share.lower is not None
    assert stale.share.lower < 20 / 60
    assert (unsorted.name, unsorted.answers) == (UNSORTED, 1)


def test_shares_stand_for_traffic_where_answers_were_drawn_with_other_probabilities() -> None:
    """Failures are read more often; counted plainly they would look common."""
    read = [note(n, "#bad", inclusion=0.5) for n in range(30)] + [
        note(n, "", inclusion=0.05) for n in range(30, 60)
    ]
    (bad,) = counted(read)
    assert bad.share.value == pytest.approx((30 / 0.5) / (30 / 0.5 + 30 / 0.05))
    assert bad.share.note == "of traffic"
    (plain,) = counted([*read, note(99, "", inclusion=None)])[:1]
    assert plain.share.note == "of what was read"


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    """A store in which ana has read thirty answers."""
    settings = lived(tmp_path)
    path = settings.store.path
    with SqliteStore(settings, durable=False) as store:
        with closing(open_for_reading(path)) as connection:
            found = [reading_labels.find(connection, f"{n:032x}", None)[0] for n in range(30)]
        given = [
            Given(record, digest, "ana", "unfaithful", "about another model #wrong-model" if n < 6 else "")
            for n, (record, _, digest) in enumerate(found)
        ]
        assert store.labels.keep_labels(given, FALL) == 30
        store.checkpoint()
    return path


def test_the_command_counts_and_lists(noted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As somebody types it."""
    for arguments, code in (
        (["--json"], 0),
        (["--category", "#wrong-model"], 0),
        (["--category", "none"], 1),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "sys.argv",
                ["ragvigil", "notes", "--since", "2026-08-01T00:00Z", "--store", str(noted), *arguments],
            )
            assert run() == code
    first, rest = capsys.readouterr().out.split("\n", 1)
    assert json.loads(first)["read"] == 30
    assert json.loads(first)["categories"][0]["name"] == "wrong-model"
    assert "6 answers, 1 people  20.0%" in rest
    assert rest.count("about another model") == 6
