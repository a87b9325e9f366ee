"""citation_format: share of the markers that are written in the service's usual style (rubric A2, FORMAT_DRIFT).

Range [0, 1], 1 is good. Usual is what the settings name for the service (`citations.NAME.usual`); where they
name none, the style of most markers of the answer, so that only an answer which mixes styles scores below 1. A
bare id and a rank are two styles. None where nothing is cited.
"""

from __future__ import annotations

from collections import Counter

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared


def _measure(prepared: Prepared) -> Finding:
    styles = Counter(style for _, style in sorted({(one.span, one.style) for one in prepared.citations}))
    if not styles:
        return Finding(None, "the answer cites nothing")
    usual = prepared.rules.usual or styles.most_common(1)[0][0]
    value = styles[usual] / styles.total()
    others = ", ".join(sorted(style for style in styles if style != usual))
    return Finding(
        value,
        f"cites as {others}, usually as {usual}" if others else None,
        {"usual": usual, "styles": dict(sorted(styles.items()))},
    )


CHECK = Check("citation_format", "1", _measure)
