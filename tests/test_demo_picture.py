"""The picture in the README shows a page as it is today.

``python tests/test_demo_picture.py`` plays the demo and paints it anew.
"""

from __future__ import annotations

import asyncio
import html
import io
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from ragvigil.exporters import Alert, as_text
from ragvigil.scorer.demo.play import Frame, play
from ragvigil.scorer.demo.view import TerminalView, frame_of

PICTURE = Path(__file__).parent.parent / "docs" / "demo.svg"
GOLDEN = Path(__file__).parent / "exporters" / "golden" / "apprise_trigger.txt"
_LABEL = re.compile(r"^([A-Z][a-z ]+): ", re.MULTILINE)
_OF_THE_INCIDENT = {"Probable cause", "What changed", "Began about"}
"""Labels that the demo has no reason for: it names no single cause."""
_FONTS = re.compile(r"\s*@font-face \{.*?\n\s*\}\n", re.DOTALL)


class Painter(TerminalView):
    """Keeps the page about faithfulness and the view at that moment."""

    alert: Alert | None = None
    shot: Frame | None = None

    def page(self, alert: Alert) -> None:
        """A page arrived."""
        if alert.series == "faithfulness" and alert.action == "trigger":
            self.alert = alert

    def frame(self, frame: Frame) -> None:
        """Time passed; the first view that has the incident, too, is kept."""
        known = any(one.key.name == "faithfulness" for one in frame.snapshot.incidents)
        if self.alert is not None and self.shot is None and known:
            self.shot = frame


def paint() -> None:
    """Play the demo, and paint its page with one of the examples."""
    store = Path(tempfile.mkdtemp(prefix="ragvigil-picture-")) / "demo.db"
    view = Painter(store, Console(file=io.StringIO()), as_json=False)
    with view:
        report = asyncio.run(play(store, faults=True, view=view))
    if not report.holds or view.alert is None or view.shot is None:
        raise SystemExit(f"not painted: {report.problems}")
    console = Console(record=True, width=124, file=io.StringIO(), highlight=False)
    text = Text(as_text(replace(view.alert, examples=view.alert.examples[:1])))
    console.print(Panel(text, title="the on-call's phone", border_style="bold red", width=112))
    console.print(frame_of(view.shot))
    PICTURE.write_text(_FONTS.sub("\n", console.export_svg(title="make demo")), encoding="utf-8")


def shown() -> str:
    """The text of the picture."""
    return html.unescape(re.sub(r"<[^>]*>", "", PICTURE.read_text(encoding="utf-8"))).replace("\xa0", " ")


def test_the_picture_of_the_demo_has_what_a_page_has() -> None:
    """It stood in the README for days without cause, fault, remedy and trend."""
    labels = set(_LABEL.findall(GOLDEN.read_text(encoding="utf-8"))) - _OF_THE_INCIDENT
    assert {"Now", "Before", "At fault", "Try first", "Reach", "Where"} <= labels
    assert [label for label in sorted(labels) if f"{label}: " not in shown()] == []
    assert "trend" in shown()


def test_the_picture_loads_nothing() -> None:
    """Rich writes the address of its fonts into it."""
    assert "url(http" not in PICTURE.read_text(encoding="utf-8").replace('"', "")


if __name__ == "__main__":
    paint()
