"""``instrument``: the instrumentations of the libraries that a service is built from, switched on without its code."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from ragvigil.tracer._configure import configure, current
from ragvigil.tracer._notices import describe, notices
from ragvigil.tracer._settings import disabled

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

logger = logging.getLogger("ragvigil.tracer")


class Library(NamedTuple):
    """A library, and what traces it."""

    module: str
    """Imported by whoever uses the library."""
    package: str
    """Distribution of its instrumentation."""
    instrumentor: str
    """Module and class of its instrumentation."""


_OPENINFERENCE = "openinference.instrumentation."
LIBRARIES = {
    "langchain": Library(
        "langchain_core",
        "openinference-instrumentation-langchain",
        f"{_OPENINFERENCE}langchain:LangChainInstrumentor",
    ),
    "llamaindex": Library(
        "llama_index.core",
        "openinference-instrumentation-llama-index",
        f"{_OPENINFERENCE}llama_index:LlamaIndexInstrumentor",
    ),
    "haystack": Library(
        "haystack", "openinference-instrumentation-haystack", f"{_OPENINFERENCE}haystack:HaystackInstrumentor"
    ),
    "openai": Library(
        "openai", "openinference-instrumentation-openai", f"{_OPENINFERENCE}openai:OpenAIInstrumentor"
    ),
    "anthropic": Library(
        "anthropic",
        "openinference-instrumentation-anthropic",
        f"{_OPENINFERENCE}anthropic:AnthropicInstrumentor",
    ),
}
"""By the name of their extra, ``pip install 'ragvigil[langchain]'``."""
VENDORS = frozenset({"openai", "anthropic"})
"""Those that ask a model; the others ask through them."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """What ``instrument`` found, by the names of extras."""

    on: tuple[str, ...] = ()
    """Libraries that are traced, those that nobody has imported yet as soon as somebody does."""
    lacking: tuple[str, ...] = ()
    """Libraries that are installed without their instrumentation; a vendor's client only where no framework is on."""
    why: str = ""
    """Why there is nothing of both."""

    def __str__(self) -> str:
        """One line, with the command that installs what is lacking.

        >>> str(Instrumented(("openai",), ("langchain",)))
        "instrumented: openai; installed without instrumentation: langchain (pip install 'ragvigil[langchain]')"
        """
        said = f"instrumented: {', '.join(self.on) or 'nothing'}"
        if self.why:
            said += f"; {self.why}"
        elif self.lacking:
            names = ", ".join(self.lacking)
            said += f"; installed without instrumentation: {names} (pip install 'ragvigil[{','.join(self.lacking)}]')"
        return said


def instrument(*, libraries: Collection[str] | None = None) -> Instrumented:
    """Trace the libraries that are installed here, and send what they do to the scorer; never raises.

    ``libraries`` are names of extras (``langchain``, ``llamaindex``, ``haystack``, ``openai``, ``anthropic``); None
    means all. Without a ``configure`` before, it is called with what the environment says. A library is imported by
    nobody but the service: its instrumentation waits for that. Called again, it switches on what is off. One log line
    says what is on, and what is installed but lacks its instrumentation.

    >>> instrument(libraries=()).on
    ()
    """
    if disabled():
        return Instrumented(why="tracing is off, as the environment says")
    try:
        if unknown := set(libraries or ()) - LIBRARIES.keys():
            raise ValueError(f"libraries={sorted(unknown)} are none of {', '.join(LIBRARIES)}")
        if libraries is not None and not libraries:
            return Instrumented(why="libraries= is empty")
        chosen = LIBRARIES if libraries is None else {name: LIBRARIES[name] for name in libraries}
        if current() is None:
            configure()
        found = _switches.on(chosen)
        logger.log(logging.WARNING if found.lacking or not found.on else logging.INFO, "%s", found)
        return found
    except (Exception, SystemExit) as error:
        notices.say("libraries are not instrumented", error)
        return Instrumented(why=describe(error))


def uninstrument() -> None:
    """Switch off what ``instrument`` switched on; never raises."""
    _switches.off()


class _Switches:
    """Which instrumentations are on."""

    def __init__(self) -> None:
        self._providers: dict[type[TracerProvider], TracerProvider] = {}
        self._wanted: set[str] = set()
        self._hooked: set[str] = set()
        self._imported: set[str] = set()
        """Those whose import is over, as their hook said."""
        self._running: dict[str, Any] = {}
        self._follows_langchain = False
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        """Take a fresh lock: in a forked child another thread may have held it, and none that ran there runs here.

        Nothing is imported while it is held: whoever imports a library waits for it in the library's hook.
        """
        self._lock = threading.Lock()
        self._starting: set[str] = set()

    def on(self, chosen: dict[str, Library]) -> Instrumented:
        """Switch these on, where they are installed."""
        installed = {name: library for name, library in chosen.items() if _is_installed(library.module)}
        ready = [name for name, library in installed.items() if _version(library.package)]
        with self._lock:
            self._wanted.update(ready)
            fresh = [name for name in ready if name not in self._hooked]
            again = [name for name in ready if name in self._imported]
            self._hooked.update(fresh)
        for name in fresh:
            self._hook(name)
        for name in again:
            self._start(name)
        on = tuple(name for name in ready if name in self._wanted)
        # A framework's own spans tell its model calls; who names the client wants the client's as well.
        enough = VENDORS if chosen is LIBRARIES and set(on) - VENDORS else frozenset[str]()
        lacking = tuple(name for name in installed if name not in ready and name not in enough)
        if not on and not lacking:
            why = "the log says why" if installed else f"none of {', '.join(chosen)} is installed"
            return Instrumented(why=why)
        return Instrumented(on, lacking)

    def off(self) -> None:
        """Switch all off that are on."""
        with self._lock:
            running, self._running = self._running, {}
            self._wanted.clear()
        for name, instrumentor in running.items():
            try:
                instrumentor.uninstrument()
            except (Exception, SystemExit) as error:
                notices.say(f"{name} is still instrumented", error)

    def _hook(self, name: str) -> None:
        """Start when the library is imported: at once, where it is."""
        wrapt: Any = import_module("wrapt")  # every instrumentation brings it

        def start(_module: object) -> None:
            with self._lock:
                self._imported.add(name)
            self._start(name)

        wrapt.register_post_import_hook(start, LIBRARIES[name].module)

    def _start(self, name: str) -> None:
        """Start its instrumentation; never raises into the import that it follows."""
        with self._lock:
            if name not in self._wanted or name in self._running or name in self._starting:
                return
            self._starting.add(name)
        try:
            instrumentor = self._started(name)
            with self._lock:
                if instrumentor is not None and name in self._wanted:
                    self._running[name], instrumentor = instrumentor, None
            if instrumentor is not None:  # switched off meanwhile
                instrumentor.uninstrument()
        except (Exception, SystemExit) as error:
            self._refused(name, describe(error))
        finally:
            with self._lock:
                self._starting.discard(name)

    def _started(self, name: str) -> Any:
        """Its instrumentation, which runs now; None where it does not."""
        library = LIBRARIES[name]
        instrumentor: Any = _instrumentor(library)
        if instrumentor.is_instrumented_by_opentelemetry:
            self._refused(name, "it was instrumented before, for another receiver")
            return None
        instrumentor.instrument(tracer_provider=self._forwarding(vendors=name in VENDORS))
        if not instrumentor.is_instrumented_by_opentelemetry:
            self._refused(name, f"{library.package} {_version(library.package)} does not fit its version")
            return None
        if name == "langchain" and not self._follows_langchain:
            from ragvigil.tracer._beneath import follow_langchain

            self._follows_langchain = True
            follow_langchain()
        return instrumentor

    def _refused(self, name: str, why: str) -> None:
        self._wanted.discard(name)
        notices.say(f"{name} is not instrumented", why)

    def _forwarding(self, *, vendors: bool) -> TracerProvider:
        """The provider of all instrumentations: nothing of it reaches the service's other exporters."""
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider

        from ragvigil.tracer._beneath import VendorsProvider
        from ragvigil.tracer._foreign import Forwarding
        from ragvigil.tracer._sampler import EVERY_SPAN

        limits = SpanLimits(max_span_attributes=_MOST_ATTRIBUTES, max_span_attribute_length=SpanLimits.UNSET)
        kind = VendorsProvider if vendors else TracerProvider
        with self._lock:
            if kind not in self._providers:
                provider = kind(sampler=EVERY_SPAN, span_limits=limits, shutdown_on_exit=False)
                provider.add_span_processor(Forwarding())
                self._providers[kind] = provider
            return self._providers[kind]


_MOST_ATTRIBUTES = 2_048
"""OpenInference writes one attribute for each field of each document and message."""

_switches = _Switches()


def _instrumentor(library: Library) -> object:
    module, _, name = library.instrumentor.partition(":")
    made: object = getattr(import_module(module), name)()
    return made


def _is_installed(module: str) -> bool:
    """Whether the module could be imported; asking imports no more than the package around it."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _version(package: str) -> str | None:
    # Imported here: it takes a quarter of the time that everything else takes, and most services need it not.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
