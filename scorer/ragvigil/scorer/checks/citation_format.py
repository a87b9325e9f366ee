"""citation_format: share of the markers that are written in the service's usual style.

Range [0, 1], 1 is good. Usual is what the settings name for the service (`citations.NAME.usual`); where they name
none, the style of nine tenths of the service's latest markers, of 50 to some thousand in the answers before this
one; else that of most markers of the answer, so that only an answer which mixes styles scores below 1. A service
that changes its style for good scores low until a tenth of those markers is new. `ragvigil score` and `evaluate()`
know no answers before. A bare id and a rank are two styles; behind markers in the text, a line such as "Sources:
doc-1, doc-2" repeats in words what they mean, and is no other style. None where nothing is cited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import cast

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.references import unlabelled
from ragvigil.scorer.verdict import CheckResult


def _measure(prepared: Prepared) -> Finding:
    markers = sorted({(one.span, one.style) for one in prepared.citations})
    styles: Counter[str] = Counter(style for _, style in markers)
    if len(styles) > 1:
        named = unlabelled(prepared.answer)
        in_text = [style for span, style in markers if not any(a <= span[0] < b for a, b in named)]
        styles = Counter(in_text) or styles
    if not styles:
        return Finding(None, "the answer cites nothing")
    usual = prepared.rules.usual or styles.most_common(1)[0][0]
    others = ", ".join(sorted(style for style in styles if style != usual))
    return Finding(
        styles[usual] / styles.total(),
        f"cites as {others}, usually as {usual}" if others else None,
        {"usual": usual, "styles": dict(sorted(styles.items()))},
    )


def styles_in(result: CheckResult) -> Mapping[str, int]:
    """The markers of the answer by style, as this check has counted them; none where it has no value."""
    return cast("Mapping[str, int]", result.details.get("styles", {}))


CHECK = Check("citation_format", "13", _measure)
