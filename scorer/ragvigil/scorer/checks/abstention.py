"""abstention: 1 when the answer says that it has no answer, 0 when it does not.

Range {0, 1}, by refusal wording in the languages of the pattern file; a refusal that follows a claim is a caveat, but
not one behind what the documents are about, what was asked or looked through. ``pure`` in the details tells a bare
refusal from one that goes on to make claims. Whether it *should* have refused is another question.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if not prepared.abstains:
        return Finding(0.0)
    return Finding(1.0, details={"pure": not prepared.bears_claims})


CHECK = Check("abstention", "18", _measure, range="{0, 1}", better="neither")
