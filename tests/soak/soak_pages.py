"""kill -9 between detection and delivery, 200 times: ``python tests/soak/soak_pages.py [KILLS]``.

Ctrl-C ends the killing early; what was killed so far is still delivered and counted.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.exporters.conftest import serving
    from tests.soak.killed_pages import MOMENTS, KilledPages

    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder, serving() as service:
        soak = KilledPages(Path(folder), service)
        try:
            with suppress(KeyboardInterrupt):
                for number in range(kills):
                    soak.kill_once(MOMENTS[number % len(MOMENTS)])
            soak.close()
            soak.finish()
        finally:
            soak.close()
        keys = soak.keys()
        doubled = sum(sum(counts.values()) - 1 for counts in keys.values())
        strange = {name: counts for name, counts in keys.items() if len(counts) != 1}
        lost = soak.falls - len(keys)
        print(
            f"{soak.killed.total()} kills {dict(soak.killed)}: {soak.falls} pages, {lost} lost, {doubled} sent again "
            f"with the same key, {len(strange)} with another key, {soak.incidents()} incidents"
        )
        sys.exit(1 if lost or strange or soak.incidents() != soak.falls else 0)
