"""``python -m tests.exporters.make_golden`` renews what every channel shows in every situation."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.exporters.conftest import serving
from tests.exporters.contracts import CONTRACTS, told
from tests.exporters.mails import rendered
from tests.exporters.situations import SITUATIONS

GOLDEN = Path(__file__).parent / "golden"


def main() -> None:
    """Write every file anew."""
    for name, contract in CONTRACTS.items():
        for situation in SITUATIONS:
            with serving() as service:
                text = contract.seen(asyncio.run(told(contract, service, situation)))
            (GOLDEN / f"{name}_{situation}.txt").write_text(text)
    for situation in SITUATIONS:
        text, html = rendered(situation)
        (GOLDEN / f"mail_{situation}.txt").write_text(text)
        (GOLDEN / f"mail_{situation}.html").write_text(html)


if __name__ == "__main__":
    main()
