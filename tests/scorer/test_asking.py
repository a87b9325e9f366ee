"""What is asked of the scorer that runs: who asks learns at once that it will not be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from ragvigil.scorer.asking import have_done
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.erasure.erase_unsent import erase_unsent
from ragvigil.scorer.erasure.forgetting import Wanted
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.request_files import RefusedError, RequestFiles
from ragvigil.scorer.store.sqlite import SqliteStore


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Of a scorer that runs and refuses whatever is asked."""

    def refused(self: RequestFiles[str, str], name: str) -> str:
        raise RefusedError(f"ask as its user, uid 7 ({name})")

    monkeypatch.setattr(RequestFiles, "answered", refused)
    found = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(found):
        pass
    found.inbox_path.mkdir()
    with (
        closing(Lock(tmp_path / "a.db.lock", what="store", remedy="")),
        closing(Lock(found.inbox_path / "lock", what="inbox", remedy="")),
    ):
        yield found


def test_a_refused_request_is_an_error_that_says_what_to_do(settings: Settings) -> None:
    """It waited for two minutes, and said that the request would be carried out when it can."""
    requests = RequestFiles(settings.inbox_path / "forget", TypeAdapter(str), TypeAdapter(str))
    with pytest.raises(StoreError, match=r"the request in .*: ask as its user, uid 7"):
        have_done(settings, requests, "why?", here=lambda _: None, seconds=60)


def test_what_a_receiver_refuses_to_cut_is_left_and_told(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """The rest of the erasure is done by then."""
    answered = erase_unsent(settings, Wanted("user", "wanda"), before=0.0, deadline=2.0**40)
    assert answered.unanswered
    assert "uid 7" in caplog.text
    assert list((settings.inbox_path / "forget-unsent").iterdir()) == []


def test_what_fails_because_the_store_cannot_be_opened_is_not_done_later(tmp_path: Path) -> None:
    """A silence that the command had refused for a wrong setting held back pages once a scorer ran."""
    url = {"url": f"sqlite:///{tmp_path / 'a.db'}"}
    with SqliteStore(load(overrides={"store": url, "monitor": {"bucket_seconds": 2.0}})):
        pass
    other = load(overrides={"store": url})
    requests = RequestFiles(other.inbox_path / "orders", TypeAdapter(str), TypeAdapter(str))
    with pytest.raises(StoreError, match="this store was made with 2"):
        have_done(other, requests, "hold back everything", here=lambda _: None, seconds=1)
    assert requests.next() is None
