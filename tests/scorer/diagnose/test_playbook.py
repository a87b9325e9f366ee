"""Which row of the playbook is told: never one whose symptom was not seen."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.scorer.diagnose.test_diagnosis import ONSET, Attributes, case_of, one_of
from tests.scorer.diagnose.test_store import FALL, MINUTE, lived, told

from ragvigil.scorer.diagnose.case import SIGNALS
from ragvigil.scorer.diagnose.diagnosis import diagnose
from ragvigil.scorer.diagnose.playbook import Side, chosen
from ragvigil.scorer.store._sqlite_diagnosis import SqliteDiagnosis
from ragvigil.scorer.store.sqlite import SqliteStore

RELEVANCE = "judge.answer_relevance"


NONE: set[str] = set()


@pytest.mark.parametrize(
    ("series", "side", "fell", "grown", "held", "row"),
    [
        ("faithfulness", "generation", {RELEVANCE}, {"HALLUCINATION_FACT"}, NONE, "groundedness-low"),
        ("faithfulness", "generation", {RELEVANCE}, NONE, NONE, "groundedness-low"),
        ("faithfulness", "generation", NONE, {"OVER_REFUSAL"}, NONE, "answer-relevance-low"),
        (RELEVANCE, "generation", NONE, NONE, {"faithfulness"}, "wrong-section"),
        (RELEVANCE, "generation", NONE, NONE, NONE, "answer-relevance-low"),
        (RELEVANCE, "generation", {"faithfulness"}, {"HALLUCINATION_FACT"}, NONE, "groundedness-low"),
        ("judge.six_axes", "generation", {RELEVANCE}, NONE, {"faithfulness"}, "wrong-section"),
        ("citation", "generation", {"citations_present"}, NONE, NONE, "citations-missing"),
        ("citation", "generation", NONE, {"MISATTRIBUTION"}, NONE, "citations-wrong"),
        ("citation", "retrieval", {"retrieved", "citations_present"}, NONE, NONE, "nothing-retrieved"),
        ("faithfulness", "generation", {"citations_present"}, NONE, NONE, "groundedness-low"),
        ("citation", "retrieval", {"retrieved"}, {"MISSING_REFUSAL"}, NONE, "nothing-retrieved"),
        ("faithfulness", "retrieval", {"retrieved"}, {"MISSING_REFUSAL"}, NONE, "nothing-retrieved"),
        ("retrieval", "retrieval", NONE, NONE, NONE, "nothing-retrieved"),
        ("criteria.tone", "unclear", {"language_match"}, NONE, NONE, "language-drifts"),
    ],
)
def test_the_row_has_the_symptom_that_was_seen(
    series: str, side: Side, fell: set[str], grown: set[str], held: set[str], row: str
) -> None:
    """Above all "high faithfulness" only where faithfulness surely held."""
    assert [one.id for one in chosen(series, side, fell, grown, held=held, segment=False)] == [row]


def test_wrong_citations_are_first_looked_for_in_the_prompt() -> None:
    """Where every cited id is invented, no id format helps: the passages or their ids never came that far."""
    (row,) = chosen("citation", "generation", set(), set(), segment=False)
    assert row.fixes[0].startswith("look in an example's trace whether the cited ids stand in its prompt")
    assert "every cited id is invented" in row.causes[0]


def test_a_criterion_of_ones_own_has_the_row_of_the_segment() -> None:
    """No row is about tone, but a segment can be looked at."""
    assert [one.id for one in chosen("criteria.tone", "unclear", set(), set(), segment=True)] == [
        "one-segment"
    ]
    assert chosen("criteria.tone", "unclear", set(), set(), segment=False) == ()
    assert chosen("judge_health", "unclear", set(), set(), segment=True) == ()


def test_faithfulness_is_a_signal_of_the_other_series() -> None:
    """Read beside what fell: the diagnosis of an irrelevant answer looks at whether it was faithful."""
    assert "faithfulness" in SIGNALS

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.5 if at >= ONSET else 0.95, draw)
    random = np.random.default_rng(4)
    size = case.evidence.size
    signals = {
        "context_relevance": np.clip(random.normal(0.8, 0.05, size), 0.0, 1.0),
        "faithfulness": (random.random(size) < 0.95).astype(np.float64),
    }
    fields = {name: getattr(case, name) for name in ("since", "evidence", "record", "tags")}
    found = diagnose(type(case)(series=RELEVANCE, signals=signals, **fields))
    assert found.playbook == ("wrong-section",)
    signals["faithfulness"] = np.where(case.evidence.time >= ONSET, 0.0, signals["faithfulness"])
    found = diagnose(type(case)(series=RELEVANCE, signals=signals, **fields))
    assert found.playbook == ("answer-relevance-low",)


@pytest.mark.parametrize("series", ["citation", "faithfulness"])
def test_an_index_that_finds_nothing_is_no_fault_of_the_generator(series: str) -> None:
    """It was: "citations are written by the generator", though nothing was there to cite."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.1 if at >= ONSET else 0.98, draw)
    nothing = (case.evidence.time >= ONSET) & (np.random.default_rng(6).random(case.evidence.size) < 0.9)
    signals = {
        "retrieved": (~nothing).astype(np.float64),
        "context_relevance": np.where(nothing, np.nan, 0.8),
    }
    fields = {name: getattr(case, name) for name in ("since", "evidence", "record", "tags")}
    found = diagnose(type(case)(series=series, signals=signals, **fields))
    assert found.fault.side == "retrieval"
    assert found.fault.why.startswith("more questions find no passage: retrieved 1.00 to 0.")
    assert found.playbook == ("nothing-retrieved",)


@pytest.mark.parametrize(
    ("uncited", "row", "why"),
    [
        (1.0, "citations-missing", "more answers make claims and cite nothing: citations present 1.00 to 0."),
        (0.6, "citations-missing", "more answers make claims and cite nothing: citations present 1.00 to 0."),
        (0.2, "citations-wrong", "more answers make claims and cite nothing: citations present 1.00 to 0.8"),
        (0.0, "citations-wrong", "citations are written by the generator"),
    ],
)
def test_answers_that_cite_nothing_send_nobody_to_look_for_their_ids(
    uncited: float, row: str, why: str
) -> None:
    """Nor do ids that are wrong send anybody to look whether the prompt asks for them; the share of the wrong ones."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.1 if at >= ONSET else 0.98, draw)
    wrong = (case.evidence.outcome == 0.0) & (case.evidence.time >= ONSET)
    none = wrong & (np.random.default_rng(7).random(case.evidence.size) < uncited)
    signals = {"citations_present": (~none).astype(np.float64)}
    fields = {name: getattr(case, name) for name in ("since", "evidence", "record", "tags")}
    found = diagnose(type(case)(series="citation", signals=signals, **fields))
    assert found.fault.why.startswith(why)
    assert found.playbook == (row,)


@pytest.mark.parametrize(("refused", "row"), [(0.1, "groundedness-low"), (0.7, "answers-without-evidence")])
def test_a_tag_that_grew_little_beside_another_chooses_no_row(refused: float, row: str) -> None:
    """Six of ten answers invent, one of ten of those from passages that say nothing: that is not what to mend first."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.4 if at >= ONSET else 0.98, draw)
    wrong = case.evidence.outcome == 0.0
    also = wrong & (np.random.default_rng(5).random(case.evidence.size) < refused)
    fields = {name: getattr(case, name) for name in ("series", "since", "evidence", "record", "signals")}
    found = diagnose(type(case)(tags={"HALLUCINATION_FACT": wrong, "MISSING_REFUSAL": also}, **fields))
    assert [one.tag for one in found.tags] == ["HALLUCINATION_FACT", "MISSING_REFUSAL"]
    assert found.playbook == (row,)


def test_verdicts_are_read_from_the_store_beside_another_series(tmp_path: Path) -> None:
    """Of the present judge, by record."""
    settings = lived(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        key = store.monitoring.series()[0]
        alerts = told(store, None, minutes=range(1, 10))
        incident = next(one for one in store.monitoring.neighbours(key, 0) if one.id == alerts[0].incident_id)
        store.checkpoint()
    with closing(sqlite3.connect(settings.store.path)) as connection:
        connection.row_factory = sqlite3.Row
        for table in ("series", "observations"):
            columns = [row["name"] for row in connection.execute(f"PRAGMA table_info({table})")]
            taken = ", ".join("'faithfulness'" if name == "series" else name for name in columns)
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {taken} FROM {table} WHERE series = 'citation'"
            )
        case = SqliteDiagnosis(connection, lambda series, record: "").case(incident, FALL + 9 * MINUTE)
    assert case.signals["retrieved"].mean() == pytest.approx(0.98, abs=0.005)
    known = np.isfinite(case.evidence.outcome)
    assert known.sum() > 500
    np.testing.assert_array_equal(case.signals["faithfulness"], case.evidence.outcome)
