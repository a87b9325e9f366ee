"""What watching a stream object must not change: copies, pickles, proxies, mocks, registries, other threads."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar
from unittest.mock import MagicMock, Mock

import pytest

from ragvigil.tracer import _iterators, trace_generator

from .conftest import Recording


class Words:
    """Three words, one at a time."""

    def __init__(self) -> None:
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.read += 1
        if self.read > 3:
            raise StopIteration
        return f"{self.read} "


def traced(stream: Any) -> Any:
    """The stream as a traced function returns it."""

    @trace_generator
    def write(question: str) -> Any:
        return stream

    return write("why")


def answers(recording: Recording) -> list[object]:
    """The answers on the spans so far; None where one could not be read."""
    return [span["attributes"].get("gen_ai.output.messages") for span in recording.spans()]


def said(answer: str) -> str:
    """The answer as a span carries it."""
    return (
        f'[{{"role":"assistant","parts":[{{"type":"text","content":"{answer}"}}],"finish_reason":"unknown"}}]'
    )


def pickled(stream: Words) -> Words:
    """The stream after a journey to another process."""
    arrived: Words = pickle.loads(pickle.dumps(stream))
    return arrived


DUPLICATES: tuple[Callable[[Words], Words], ...] = (copy.copy, copy.deepcopy, pickled)


@pytest.mark.parametrize("duplicate", DUPLICATES)
def test_a_stream_is_copied_and_pickled_in_mid_stream(
    recording: Recording, duplicate: Callable[[Words], Words]
) -> None:
    """The copy is of the stream's own class and is not watched; the stream goes on."""
    stream = traced(Words())
    assert next(stream) == "1 "
    copied = duplicate(stream)
    assert type(copied) is Words
    assert list(copied) == list(stream) == ["2 ", "3 "]
    assert type(stream) is Words
    assert answers(recording) == [said("1 2 3 ")]


class Proxy:
    """Hands everything on to what it stands for, the class too."""

    def __init__(self, target: object) -> None:
        object.__setattr__(self, "_target", target)

    def __getattribute__(self, name: str) -> object:
        return getattr(object.__getattribute__(self, "_target"), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(object.__getattribute__(self, "_target"), name, value)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        inner: Iterator[str] = object.__getattribute__(self, "_target")
        return next(inner)


def test_what_a_proxy_stands_for_keeps_its_class(recording: Recording) -> None:
    """``proxy.__class__ = …`` would exchange the class of the other object."""
    target = Words()
    stream = traced(Proxy(target))
    assert type(target) is Words
    assert list(stream) == ["1 ", "2 ", "3 "]
    assert (type(target), type(stream)) == (Words, Proxy)
    assert answers(recording) == [said("1 2 3 ")]


class Registering(type):
    """Counts the classes made through it, as plug-in registries do."""

    made: ClassVar[list[str]] = []

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> None:
        super().__init__(name, bases, namespace)
        Registering.made.append(name)


class Registered(Words, metaclass=Registering):
    """Of a class whose metaclass would notice a subclass."""


def test_a_metaclass_hears_of_no_class_of_ours(recording: Recording) -> None:
    """Such a stream is not watched, and its span says that it could not be read."""
    assert list(traced(Registered())) == ["1 ", "2 ", "3 "]
    assert Registering.made == ["Registered"]
    assert Registered.__subclasses__() == []
    assert recording.attributes()["ragvigil.unreadable"] == ["answer: Registered"]


@pytest.mark.parametrize("kind", [Mock, MagicMock])
def test_a_mock_is_left_alone(recording: Recording, kind: type[Mock]) -> None:
    """A mock answers whatever it is asked, remembers it, and may be specified as any class."""
    mock = kind()
    mock.__iter__ = Mock(return_value=iter("ab"))
    mock.__next__ = Mock(side_effect="ab")
    before = type(mock)
    stream = traced(mock)
    assert stream is mock
    assert [next(stream), next(stream)] == ["a", "b"]
    assert type(mock) is mock.__class__ is before
    assert mock.method_calls == []
    assert len(recording.spans()) == 1


class Shared:
    """A stream that several threads may read."""

    def __init__(self, pieces: int) -> None:
        self._left = pieces
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        with self._lock:
            self._left -= 1
            if self._left < 0:
                raise StopIteration
        return "x"


def test_threads_that_share_a_stream_get_every_piece_once(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """One span, no context left behind in any of them, and not a word in the log."""
    stream = traced(Shared(4_000))
    with ThreadPoolExecutor(4) as pool:
        shares = [pool.submit(lambda: len(list(stream))) for _ in range(4)]
    assert sum(share.result() for share in shares) == 4_000
    assert type(stream) is Shared
    assert len(recording.spans()) == 1
    assert caplog.records == []


class Late:
    """The turn of a stream that another thread ends while it is waited for."""

    taken = False

    def __init__(self, watched: _iterators.Watched) -> None:
        self._watched = watched

    def acquire(self, *, blocking: bool) -> bool:
        assert not blocking
        self._watched.end()
        self.taken = True
        return True

    def release(self) -> None:
        self.taken = False


def test_a_stream_that_another_thread_ends_just_before_a_piece_is_read(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The piece is handed over, and nothing is raised into the service."""
    turns: list[Late] = []

    class EndedLate(_iterators.Watched):
        def __init__(self, kind: type, call: Any) -> None:
            super().__init__(kind, call)
            turns.append(Late(self))
            self.turn: Any = turns[0]

    monkeypatch.setattr(_iterators, "Watched", EndedLate)
    assert next(traced(Shared(2))) == "x"
    assert not turns[0].taken
    assert len(recording.spans()) == 1
