"""Hand a question to the worker and wait for its answer."""

from __future__ import annotations

import sys

from tasks import ask

print(ask.delay(sys.argv[1]).get(timeout=60))
