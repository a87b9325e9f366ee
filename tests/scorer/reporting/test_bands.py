"""Bands, red flags, and how the report is written."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console
from tests.scorer.reporting.made import answer, made

from ragvigil.scorer.estimate.figure import Figure
from ragvigil.scorer.reporting.bands import banded, overall, red_flags
from ragvigil.scorer.reporting.forms import markdown, terminal
from ragvigil.scorer.reporting.sections import sections


def test_bands_are_by_value_and_surely_by_the_interval() -> None:
    """The limits of docs/report.md; the lowest decides."""
    figures = {
        "faithfulness": Figure("faithfulness", 0.93, 0.88, 0.96, 300),
        "context relevance": Figure("context relevance", 0.75, 0.69, 0.8, 300),
    }
    found = banded(figures)
    assert [(one.band, one.surely) for one in found[:3]] == [
        ("excellent", "good"),
        (None, None),
        ("good", "needs work"),
    ]
    whole = overall(found)
    assert (whole.band, whole.surely) == ("good", "needs work")
    assert "not measured: answer relevance, context precision, context recall" in whole.why


def test_nothing_is_excellent_beside_a_red_flag() -> None:
    """Citations have no band, and a report called them excellent while it raised a flag about them."""
    figures = {
        "faithfulness": Figure("faithfulness", 0.95, 0.93, 0.97, 300),
        "context relevance": Figure("context relevance", 0.9, 0.85, 0.94, 300),
    }
    assert overall(banded(figures)).band == "excellent"
    whole = overall(banded(figures), ("citation correctness is below 0.9",))
    assert (whole.band, whole.surely) == ("needs work", "needs work")
    assert whole.why.startswith("for a red flag stands; excellent would be the lowest of 2 measures")


def test_one_end_to_end_number_is_refused() -> None:
    """Without retrieval apart from generation nobody knows what to mend."""
    whole = overall(banded({"faithfulness": Figure("faithfulness", 0.93, 0.9, 0.96, 300)}))
    assert whole.band is None
    assert whole.why.startswith("REFUSED: nothing measures retrieval")


def test_what_words_tell_has_no_band_and_is_called_so() -> None:
    """The limits are the judge's: "context relevance 40.9 %, needs work" stood above "context relevance: too few"."""
    figures = {
        "faithfulness": Figure("faithfulness", 0.93, 0.9, 0.96, 300),
        "context relevance": Figure("context relevance by words", 0.41, 0.4, 0.42, 3_395),
    }
    bands = banded(figures)
    assert bands[2].band is None
    whole = overall(bands)
    assert whole.band is None
    assert whole.why.startswith("REFUSED: retrieval is measured by words alone")
    report = replace(made([answer(number) for number in range(1, 101)]), bands=bands, overall=whole)
    table = next(one for one in sections(report) if one.title == "Bands")
    assert table.rows[2] == (
        "context relevance by words",
        "41.0 %",
        "40.0 % to 42.0 %",
        "3,395",
        "-",
        "-",
        "no limits are set for what words tell",
    )


def test_a_red_flag_needs_the_whole_interval() -> None:
    """Noise raises none."""
    assert red_flags({"faithful answers": Figure("faithful answers", 0.78, 0.7, 0.85, 60)}) == ()
    assert red_flags({"faithful answers": Figure("faithful answers", 0.4, 0.3, 0.49, 60)}) == (
        "less than half of the answers are faithful: a serious incident",
    )


def test_questions_make_no_markup() -> None:
    """They come from strangers."""
    report = made([answer(number) for number in range(1, 501)])
    text = markdown(sections(report))
    assert "<script>" not in text
    assert "[x](" not in text.replace("\\[x\\](", "")
    assert "https://" not in text
    out = io.StringIO()
    terminal(sections(replace(report, service="a\x1b[31mb")), Console(file=out, width=200))
    assert "\x1b[31mb" not in out.getvalue()
