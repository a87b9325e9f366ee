"""injected_instructions: 1 when a retrieved passage holds instructions to the model, 0 when none does.

Range {0, 1}, 0 is good. Known wordings of attacks in eleven languages, marks by which
chat models part messages, and runs of characters that nobody sees. What a manual says with the same words is none: a
denial ("do not ignore"), a report ("a text that tells a model to ignore"), and what is about one thing ("the
instructions on the old label"). Attacks in words of their own are missed, and those that are quoted within a
sentence. Sentences beyond the evidence's limit are not read. None without evidence text.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.instructions import hides, instructing

_MOST_LISTED = 10
_MOST_CHARACTERS = 120


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    found = [(prepared.evidence.names[place], text) for place, text in instructing(prepared.evidence)]
    names = prepared.names
    found += [
        (name, "hidden characters or chat marks")
        for name, one in zip(names, prepared.record.documents, strict=True)
        if one.text and hides(one.text)
    ]
    if not found:
        return Finding(0.0)
    told = [{"passage": name, "text": text[:_MOST_CHARACTERS]} for name, text in found[:_MOST_LISTED]]
    return Finding(1.0, f"{found[0][0]} instructs: {found[0][1][:_MOST_CHARACTERS]}", {"passages": told})


CHECK = Check("injected_instructions", "4", _measure, range="{0, 1}", better="low", cost="question")
