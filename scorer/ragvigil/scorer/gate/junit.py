"""What came of a gate as JUnit XML: a test case for each limit and comparison."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from ragvigil.exporters import clean
from ragvigil.scorer.gate.outcome import Outcome
from ragvigil.scorer.gate.run import Held
from ragvigil.scorer.gate.told import found, lacking, limit, moved, title, why

_SUITE = "ragvigil gate"
_LONGEST = 500


def as_junit(held: Held) -> str:
    """The document: one suite; what does not hold is a failure, whose text names the worst answers."""
    suite = ET.Element("testsuite", name=_SUITE)
    properties = ET.SubElement(suite, "properties")
    for name, value in (("judge", held.judge), ("answers", str(held.answers))):
        ET.SubElement(properties, "property", name=name, value=_shown(value))
    failures = [_limit(suite, one) for one in held.outcomes]
    for one in held.compared:
        said = f"{moved(one)}: {one.said}"
        failures.append(
            _case(suite, "ragvigil.gate.baseline", one.name, one.state, "" if one.state == "holds" else said)
        )
    failures += [_case(suite, "ragvigil.gate", should, "fails", said) for should, said in lacking(held)]
    suite.attrib |= {
        "tests": str(len(failures)),
        "failures": str(sum(failures)),
        "errors": "0",
        "skipped": "0",
        "time": "0",
    }
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _limit(suite: ET.Element, one: Outcome) -> bool:
    place = f"ragvigil.gate{f'.{one.segment}' if one.segment else ''}"
    message = (
        ""
        if one.decision.state == "holds"
        else f"{found(one.figure, one.answers)}, {limit(one)} wanted: {why(one)}"
    )
    worst = "\n".join(f"{_shown(each.id)} ({each.state}): {_shown(each.answer)}" for each in one.worst)
    return _case(suite, place, f"{title(one)} {limit(one)}", one.decision.state, message, worst)


def _case(suite: ET.Element, place: str, name: str, state: str, message: str, text: str = "") -> bool:
    """Add a case; whether it is a failure."""
    case = ET.SubElement(suite, "testcase", classname=_shown(place), name=_shown(name), time="0")
    if message:
        failure = ET.SubElement(case, "failure", message=_shown(message), type=state)
        failure.text = text or None
    return bool(message)


def _shown(text: str) -> str:
    """Without the characters that no XML may hold, escaped or not."""
    return clean(text, limit=_LONGEST).replace("\ufffe", "").replace("\uffff", "")
