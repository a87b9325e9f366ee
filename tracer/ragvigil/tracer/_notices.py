"""One log line per cause per minute, for everything that the tracer keeps from the service."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable

logger = logging.getLogger("ragvigil.tracer")

LONGEST_DETAIL = 300
"""Characters of an error's own words that reach the log."""
_MOST_CAUSES = 256


def describe(error: BaseException) -> str:
    """Class and message of an error, shortened; the class alone when it cannot be printed.

    >>> describe(ValueError("no such index"))
    'ValueError: no such index'
    """
    try:
        return f"{type(error).__name__}: {error}"[:LONGEST_DETAIL]
    except (Exception, SystemExit):
        return f"{type(error).__name__} (its message cannot be printed)"


def typed(kind: type) -> str:
    """A type's full name, with the version of its library where that says it.

    >>> typed(dict)
    'dict'
    """
    module = kind.__module__
    if module == "builtins":
        return kind.__qualname__
    package = module
    while package:
        version = getattr(sys.modules.get(package), "__version__", None)
        if isinstance(version, str):
            return f"{module}.{kind.__qualname__} ({package} {version[:32]})"
        package = package.rpartition(".")[0]
    return f"{module}.{kind.__qualname__}"


class Notices:
    """Says each cause at most once per interval, and how often it happened meanwhile; never raises."""

    def __init__(
        self, *, interval_seconds: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval = interval_seconds
        self._clock = clock
        self._lock = threading.RLock()
        self._said: dict[str, tuple[float, int]] = {}
        self._once: set[str] = set()

    def say(self, cause: str, detail: BaseException | str) -> None:
        """Log one warning for this cause, or count it silently when it was said less than an interval ago."""
        try:
            now = self._clock()
            with self._lock:
                last, withheld = self._said.get(cause, (now - self._interval, 0))
                quiet = now - last < self._interval
                self._said[cause] = (last, withheld + 1) if quiet else (now, 0)
            if not quiet:
                words = detail if isinstance(detail, str) else describe(detail)
                repeats = f" ({withheld} more since the last such line)" if withheld else ""
                logger.warning("ragvigil: %s: %s%s", cause, words[:LONGEST_DETAIL], repeats)
        except (Exception, SystemExit):  # noqa: S110 - a failing log handler of the service is the service's own
            pass

    def once(self, cause: str, detail: str) -> None:
        """Log one warning with these words, ever; of very many, those that come late are not logged."""
        try:
            words = f"{cause[:LONGEST_DETAIL]}: {detail[:LONGEST_DETAIL]}"
            with self._lock:
                if words in self._once or len(self._once) >= _MOST_CAUSES:
                    return
                self._once.add(words)
            logger.warning("ragvigil: %s", words)
        except (Exception, SystemExit):  # noqa: S110 - as above
            pass

    def forget(self) -> None:
        """Forget what was said, and take a fresh lock: for a forked child and for tests."""
        self._lock = threading.RLock()
        self._said = {}
        self._once = set()


notices = Notices()
"""The process-wide notices of the tracer."""
