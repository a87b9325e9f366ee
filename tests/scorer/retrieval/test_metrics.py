"""What must hold of every metric, whatever the ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.retrieval import Query, by_score, precision, recall
from ragvigil.scorer.retrieval.hops import outcome
from ragvigil.scorer.retrieval.measure import Each
from ragvigil.scorer.retrieval.metrics import ALL, METRICS, Metric, highest
from ragvigil.scorer.retrieval.rankings import interleaved, told_once

PASSAGES = [f"p{number}" for number in range(12)]
LABELS = st.dictionaries(st.sampled_from(PASSAGES), st.integers(-1, 3), min_size=1)
RANKINGS = st.lists(st.sampled_from([*PASSAGES, None]), max_size=16).map(tuple)
EVERY = pytest.mark.parametrize("name", METRICS)


def value(name: str, labels: dict[str, int], ids: tuple[str | None, ...], k: int, level: int = 1) -> float:
    """One metric of one query."""
    return Each(Query("q", None, labels), told_once(ids), level).value((name, k))


@EVERY
@given(labels=LABELS, ids=RANKINGS, k=st.integers(1, 20), level=st.integers(1, 3))
def test_a_metric_stays_between_0_and_its_highest(
    name: str, labels: dict[str, int], ids: tuple[str | None, ...], k: int, level: int
) -> None:
    """Also where a passage stands in the list several times: counted each time, recall would pass 1."""
    most = highest(name, list(labels.values()), k, level)
    assert 0.0 <= value(name, labels, ids, k, level) <= most + 1e-12


@pytest.mark.parametrize("name", ["recall", "hit_rate", "mrr", "map"])
@given(labels=LABELS, ids=RANKINGS, k=st.integers(1, 20))
def test_a_deeper_look_finds_no_less(
    name: str, labels: dict[str, int], ids: tuple[str | None, ...], k: int
) -> None:
    """Else a figure at k = 10 below that at k = 5 would be taken for a fault of the retriever."""
    assert value(name, labels, ids, k) <= value(name, labels, ids, k + 1)


@EVERY
@given(labels=LABELS, k=st.integers(1, 20))
def test_the_best_order_has_the_most_that_there_is(name: str, labels: dict[str, int], k: int) -> None:
    """A perfect retriever has 1, or with fewer relevant passages than k the highest precision."""
    if not Query("q", None, labels).relevant():
        return
    ids = tuple(sorted(labels, key=lambda one: -labels[one]))
    expected = highest(name, list(labels.values()), k)
    if name in ("recall", "map"):
        relevant = len(Query("q", None, labels).relevant())
        expected = min(k, relevant) / relevant
    assert value(name, labels, ids, k) == pytest.approx(expected)


@EVERY
@given(labels=LABELS, ids=RANKINGS, data=st.data())
def test_the_order_within_the_first_k_matters_to_rank_metrics_alone(
    name: str, labels: dict[str, int], ids: tuple[str | None, ...], data: st.DataObject
) -> None:
    """Recall, precision and hit rate count; the order is what MRR, nDCG and MAP are for."""
    other = tuple(data.draw(st.permutations(ids)))
    if name in ("recall", "precision", "hit_rate"):
        assert value(name, labels, ids, 16) == value(name, labels, other, 16)
    relevant = sorted(told_once(ids), key=lambda one: -labels.get(one or "", 0))
    assert value(name, labels, tuple(relevant), 16) >= value(name, labels, other, 16) - 1e-12


@given(scores=st.dictionaries(st.sampled_from(PASSAGES), st.sampled_from([0.0, 0.5, 1.0])))
def test_equal_scores_stand_by_falling_id_whatever_the_order_they_came_in(scores: dict[str, float]) -> None:
    """As with trec_eval; else the figures of a run would depend on the order of its lines."""
    backwards = dict(reversed(list(scores.items())))
    found = by_score(scores)
    assert found == by_score(backwards)
    ranked = [(scores[one], one) for one in found]
    assert ranked == sorted(ranked, reverse=True)


def test_a_passage_that_comes_again_keeps_its_place_and_counts_once() -> None:
    """Its place is one that nothing else could have: the generator saw it twice."""
    assert value("precision", {"a": 1, "b": 1}, ("a", "a", "b"), 2) == 0.5
    assert value("recall", {"a": 1, "b": 1}, ("a", "a", "b"), 3) == 1.0


@given(labels=LABELS)
def test_nothing_found_is_0_everywhere(labels: dict[str, int]) -> None:
    """An empty list is a result, not an error."""
    assert {value(name, labels, (), 10) for name in METRICS} == {0.0}


def test_precision_divides_by_k_where_the_list_is_shorter() -> None:
    """Else a retriever that returns one passage would seem precise at any depth."""
    metrics: list[Metric] = [precision, recall]
    assert [one([1], [1, 1], 10, 1) for one in metrics] == [0.1, 0.5]


@given(ids=RANKINGS, k=st.integers(1, 20))
def test_two_hops_are_found_as_often_as_recall_is_whole(ids: tuple[str | None, ...], k: int) -> None:
    """The class of a miss must not change what is a miss; what lies beyond k is found further down."""
    found = outcome(ids, ("p0", "p1"), k)
    assert (found == "found") == (
        value("recall", {"p0": 1, "p1": 1}, ids, k) == 1.0 and {"p0", "p1"} <= set(ids[:k])
    )
    assert (found in ("found", "beyond k")) == (outcome(ids, ("p0", "p1"), ALL) == "found")


def test_several_searches_of_one_stage_are_taken_in_turn() -> None:
    """Neither search's second result is better than the other's first."""
    assert interleaved([("a", None, "b"), ("c", "a"), ()]) == ("a", "c", None, "b")
