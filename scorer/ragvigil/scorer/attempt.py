"""One part of a tick after another: what fails in one costs nothing of the next."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger(__name__)


def succeeds(name: str, part: Callable[[], object]) -> bool:
    """Run the part of that name; whether it went well. A failure is logged with its traceback.

    >>> succeeds("nothing", lambda: None)
    True
    """
    try:
        part()
    except Exception:
        _log.exception("%s failed; the next tick tries again", name)
        return False
    return True
