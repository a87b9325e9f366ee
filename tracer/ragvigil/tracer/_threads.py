"""Carries the traced request into plain threads and thread pools, which carry nothing by themselves.

``threading.Thread.start`` and ``ThreadPoolExecutor.submit`` are replaced while a tracer runs. Outside of a traced
request they do what they did before. Inside of one, only what is ours goes along, not the service's context: its own
spans in that thread stay where they were.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import Token
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import set_span_in_context

from ragvigil.tracer._baggage import carried, with_baggage
from ragvigil.tracer._facts import AttributeValue
from ragvigil.tracer._notices import notices
from ragvigil.tracer._scope import SCOPE_KEY, Scope, scope_of, without_ended


class Load:
    """What of a request goes along: its scope, its facts in baggage, and our span where it is the current one."""

    __slots__ = ("_facts", "_scope")

    def __init__(self, scope: Scope, facts: Mapping[str, AttributeValue]) -> None:
        self._scope = scope
        self._facts = facts

    @classmethod
    def of_here(cls) -> Load | None:
        """The load of the request around; None outside of one. Never raises."""
        try:
            here = without_ended(otel_context.get_current(), for_root=False)
            scope = scope_of(here)
            return None if scope.span is None else cls(scope, carried(here))
        except (Exception, SystemExit) as error:
            notices.say("a request could not be carried into a thread", error)
            return None

    def run(self, function: Callable[..., object], *args: object, **kwargs: object) -> object:
        """Run the function as a part of the request."""
        token = self._arrive()
        try:
            return function(*args, **kwargs)
        finally:
            if token is not None:
                otel_context.detach(token)

    def _arrive(self) -> Token[Context] | None:
        try:
            scope = self._scope
            there = otel_context.set_value(
                SCOPE_KEY, scope, with_baggage(otel_context.get_current(), self._facts)
            )
            if not scope.apart and scope.span is not None:
                there = set_span_in_context(scope.span, there)
            return otel_context.attach(there)
        except (Exception, SystemExit) as error:
            notices.say("a request could not be carried into a thread", error)
            return None


class Replacement:
    """A method of a class with another one in its place, that can be put back."""

    def __init__(
        self, owner: type, name: str, make: Callable[[Callable[..., object]], Callable[..., object]]
    ) -> None:
        self._owner = owner
        self._name = name
        self._make = make
        self._original: object = None
        self._ours: object = None

    def install(self) -> None:
        """Put ours in its place, unless it still is there under somebody else's."""
        if self._ours is None:
            original = vars(self._owner)[self._name]
            self._original, self._ours = original, functools.wraps(original)(self._make(original))
            setattr(self._owner, self._name, self._ours)

    def remove(self) -> None:
        """Put the original back; ours stays, idle, where somebody else has wrapped it meanwhile."""
        if self._ours is not None and vars(self._owner).get(self._name) is self._ours:
            setattr(self._owner, self._name, self._original)
            self._ours = None


class Carrying:
    """Whether requests are carried into threads: while at least one tracer wants it."""

    def __init__(self) -> None:
        self._users = 0
        self._submitting = threading.local()
        self._replacements = (
            Replacement(threading.Thread, "start", self._starting),
            Replacement(ThreadPoolExecutor, "submit", self._submitting_to),
        )
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        """Take a fresh lock: in a forked child another thread may have held it."""
        self._lock = threading.Lock()

    def use(self) -> None:
        """Carry from now on; each use needs a release."""
        with self._lock:
            self._users += 1
            for replacement in self._replacements:
                replacement.install()

    def release(self) -> None:
        """Carry no more, if this was the last to want it."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                for replacement in self._replacements:
                    replacement.remove()

    def _starting(self, original: Callable[..., object]) -> Callable[..., object]:
        def start(thread: threading.Thread, *args: object, **kwargs: object) -> object:
            # A pool's workers live longer than the request that starts them; its tasks bring their own.
            load = None if not self._users or hasattr(self._submitting, "now") else Load.of_here()
            if load is None:
                return _bound(original, thread)(*args, **kwargs)
            restore = _within(thread, load)
            try:
                return _bound(original, thread)(*args, **kwargs)
            except BaseException:
                restore()
                raise

        return start

    def _submitting_to(self, original: Callable[..., object]) -> Callable[..., object]:
        def submit(pool: ThreadPoolExecutor, /, *args: Any, **kwargs: object) -> object:
            load = Load.of_here() if self._users and args and callable(args[0]) else None
            if load is None:
                return _bound(original, pool)(*args, **kwargs)
            self._submitting.now = True
            try:
                return _bound(original, pool)(functools.partial(load.run, args[0]), *args[1:], **kwargs)
            finally:
                vars(self._submitting).pop("now", None)

        return submit


def _bound(method: Callable[..., object], instance: object) -> Callable[..., object]:
    """The method of this instance: what others have put in a method's place may know its instance only by binding."""
    bind: Callable[[object, type], Callable[..., object]] | None = getattr(method, "__get__", None)
    return functools.partial(method, instance) if bind is None else bind(instance, type(instance))


def _within(thread: threading.Thread, load: Load) -> Callable[[], None]:
    """Let the thread run as a part of the request; what undoes it when the thread does not start."""
    own, before = thread.run, vars(thread).get("run")

    def restore() -> None:
        if before is None:
            vars(thread).pop("run", None)
        else:
            vars(thread)["run"] = before

    def run() -> None:
        restore()
        load.run(own)

    vars(thread)["run"] = run
    return restore


carrying = Carrying()
"""The process-wide carrying of requests into threads."""
