"""``python -m tests.exporters.make_golden`` renews what every channel shows in every situation."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.exporters import apprised
from tests.exporters.conftest import serving
from tests.exporters.contracts import CONTRACTS, told
from tests.exporters.mails import rendered
from tests.exporters.situations import LOUD, SITUATIONS

from ragvigil.exporters._chart import chart_of

GOLDEN = Path(__file__).parent / "golden"
DRAWN = ("trigger", "update", "resolve")


def main() -> None:
    """Write every file anew."""
    for name, contract in CONTRACTS.items():
        for situation in contract.situations():
            with serving() as service:
                text = contract.seen(asyncio.run(told(contract, service, situation)))
            (GOLDEN / f"{name}_{situation}.txt").write_text(text)
    for situation in LOUD:
        with serving() as service:
            text = asyncio.run(apprised.rendered(service, situation))
        (GOLDEN / f"apprise_{situation}.txt").write_text(text)
        text, html = rendered(situation)
        (GOLDEN / f"mail_{situation}.txt").write_text(text)
        (GOLDEN / f"mail_{situation}.html").write_text(html)
    for situation in DRAWN:
        chart = chart_of(SITUATIONS[situation])
        assert chart is not None
        (GOLDEN / f"chart_{situation}.png").write_bytes(chart.png)


if __name__ == "__main__":
    main()
