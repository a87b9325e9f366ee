"""One part of a tick after another: what fails in one costs nothing of the next."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Attempts:
    """Runs parts by name, and says of each what keeps it from working: once for each cause, not with every tick."""

    def __init__(self) -> None:
        self._failing: dict[str, str] = {}

    def succeeds(self, name: str, part: Callable[[], object]) -> bool:
        """Run the part of that name; whether it went well. A new failure is logged with its traceback.

        >>> Attempts().succeeds("nothing", lambda: None)
        True
        """
        try:
            part()
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
            if self._failing.get(name) != cause:
                self._failing[name] = cause
                _log.exception("%s failed; the next ticks try again", name)
            return False
        if self._failing.pop(name, None) is not None:
            _log.warning("%s works again", name)
        return True
