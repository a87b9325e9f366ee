"""Requests between two processes, each of which may act at any moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from ragvigil.scorer.request_files import RefusedError, RequestFiles


def requests_in(folder: Path) -> RequestFiles[str, str]:
    """Of texts."""
    return RequestFiles(folder, TypeAdapter(str), TypeAdapter(str))


def test_requests_are_answered_once_and_go(tmp_path: Path) -> None:
    """With the first answer that is read."""
    requests = requests_in(tmp_path)
    name = requests.ask("why?")
    assert requests.next() == (name, "why?")
    requests.answer(name, "so")
    assert (requests.next(), requests.answered(name), requests.answered(name)) == (None, "so", None)
    assert list(tmp_path.iterdir()) == []


def test_a_request_that_is_withdrawn_at_this_moment_keeps_no_other_waiting(tmp_path: Path) -> None:
    """It is in the folder's list and there no more, as a link to nothing is."""
    requests = requests_in(tmp_path)
    for name in ("0", "zz"):
        (tmp_path / f"{name}.request").symlink_to(tmp_path / "gone")
    name = requests.ask("why?")
    assert requests.next() == (name, "why?")
    requests.withdraw(name)
    assert requests.next() is None


def test_a_request_that_may_not_be_read_keeps_no_other_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told once, and stays."""
    requests = requests_in(tmp_path)
    for name in ("0", "zz"):
        (tmp_path / f"{name}.request").mkdir()
        os.utime(tmp_path / f"{name}.request", (1, 1))
    name = requests.ask("why?")
    assert (requests.next(), requests.next()) == ((name, "why?"), (name, "why?"))
    requests.answer(name, "so")
    assert requests.next() is None
    assert sorted(path.name for path in tmp_path.glob("*.request")) == ["0.request", "zz.request"]
    assert len(caplog.records) == 2


def test_no_answer_stays_of_a_request_that_is_withdrawn_while_it_is_answered(tmp_path: Path) -> None:
    """Before the answer stands there, or after."""
    requests = requests_in(tmp_path)
    before, after = requests.ask("why?"), requests.ask("how?")
    requests.withdraw(before)
    requests.answer(before, "so")
    requests.answer(after, "thus")
    requests.withdraw(after)
    assert list(tmp_path.iterdir()) == []


def test_a_request_belongs_to_whom_the_inbox_belongs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root's own, in a folder of root's own, would never be seen by a scorer that runs as another user."""
    given, given_away = list[tuple[int, int]](), os.fchown

    def noted(file: int, user: int, group: int) -> None:
        given.append((user, group))
        given_away(file, user, group)

    monkeypatch.setattr(os, "fchown", noted)
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    if os.geteuid() == 0:
        os.chown(inbox, 65534, 65534)
    owner = inbox.stat()
    name = requests_in(inbox / "forget").ask("why?")
    assert set(given) == {(owner.st_uid, owner.st_gid)}
    for made in (inbox / "forget", inbox / "forget" / f"{name}.request"):
        assert (made.stat().st_uid, made.stat().st_gid) == (owner.st_uid, owner.st_gid)


def test_a_folder_that_root_made_before_is_given_to_whom_the_inbox_belongs(tmp_path: Path) -> None:
    """Nobody but root could leave a request there any more."""
    if os.geteuid() != 0:
        pytest.skip("only root can make files of others")
    (tmp_path / "forget").mkdir()
    os.chown(tmp_path, 65534, 65534)
    requests_in(tmp_path / "forget").ask("why?")
    assert (tmp_path / "forget").stat().st_uid == 65534


def test_who_asks_is_told_at_once_that_the_scorer_may_not_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And as whom to ask; the request goes, for it holds an id."""
    requests, read = requests_in(tmp_path), Path.read_bytes

    def forbidden(self: Path) -> bytes:
        if self.suffix == ".request":
            raise PermissionError(13, "Permission denied", str(self))
        return read(self)

    name = requests.ask("why?")
    monkeypatch.setattr(Path, "read_bytes", forbidden)
    assert requests.next() is None
    with pytest.raises(RefusedError, match=rf"may not read it: ask as its user, uid {os.geteuid()}"):
        requests.answered(name)
    assert list(tmp_path.iterdir()) == []


def test_who_asks_is_told_at_once_that_the_scorer_does_not_understand(tmp_path: Path) -> None:
    """A command of another version; without a word of what it asked."""
    wanted = RequestFiles(tmp_path, TypeAdapter(dict[str, str]), TypeAdapter(str)).ask({"id": "wanda"})
    requests = requests_in(tmp_path)
    assert requests.next() is None
    with pytest.raises(RefusedError, match="of one version") as refused:
        requests.answered(wanted)
    assert "wanda" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_nobody_fetched_in_a_day_goes(tmp_path: Path) -> None:
    """Whoever asked has gone; so does a draft, which may hold an id, of one who died while writing it."""
    requests = requests_in(tmp_path)
    old, new = requests.ask("why?"), requests.ask("how?")
    for name in (old, new):
        requests.answer(name, "so")
    (tmp_path / "dead.request.new").write_text("wanda")
    for name in (f"{old}.answer", "dead.request.new"):
        os.utime(tmp_path / name, (1, 1))
    assert requests.next() is None
    assert [path.name for path in tmp_path.iterdir()] == [f"{new}.answer"]


def test_a_request_that_is_left_for_later_keeps_no_other_waiting(tmp_path: Path) -> None:
    """Where answering it failed."""
    requests = requests_in(tmp_path)
    failed = requests.ask("why?")
    os.utime(tmp_path / f"{failed}.request", (1, 1))
    name = requests.ask("how?")
    assert requests.next({failed}) == (name, "how?")
    assert requests.next({failed, name}) is None


def test_a_link_where_the_folder_should_be_is_not_followed(tmp_path: Path) -> None:
    """Root asks, too: nobody may have it write elsewhere, or give away what is there."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "folder").symlink_to(elsewhere)
    with pytest.raises(OSError, match="folder"):
        requests_in(tmp_path / "folder").ask("why?")
    assert list(elsewhere.iterdir()) == []


def test_an_answer_is_written_through_no_link(tmp_path: Path) -> None:
    """Whoever owns the folder may have put one where a draft or the answer will stand."""
    requests = requests_in(tmp_path / "folder")
    name = requests.ask("why?")
    precious = tmp_path / "precious"
    precious.write_text("as it was")
    for link in (f"{name}.answer.new", f"{name}.answer"):
        (tmp_path / "folder" / link).symlink_to(precious)
    requests.answer(name, "so")
    assert (precious.read_text(), requests.answered(name)) == ("as it was", "so")


def test_an_answer_of_another_version_is_told_and_goes(tmp_path: Path) -> None:
    """What was done is not known then."""
    requests = requests_in(tmp_path)
    name = requests.ask("why?")
    (tmp_path / f"{name}.answer").write_text("{")
    with pytest.raises(RefusedError, match="what was done is not known"):
        requests.answered(name)
    assert requests.answered(name) is None
