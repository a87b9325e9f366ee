"""Healthy answers rest on what was retrieved; faulty ones fail in exactly the way that is claimed."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks import Prepared, leaked_personal_data
from ragvigil.scorer.demo.answerer import ABSTENTION, Answer, Statement, compose, read_answer
from ragvigil.scorer.demo.corpus import Passage
from ragvigil.scorer.demo.faults import Fault, Saboteur
from ragvigil.scorer.demo.questions import load_questions
from ragvigil.scorer.demo.retrieval import Hit, Index
from ragvigil.scorer.trace import Document, RagTrace

QUESTION = "How do I remove common leading whitespace from a line?"


@pytest.fixture(scope="module")
def real(
    corpus: tuple[Passage, ...],
) -> tuple[tuple[Passage, ...], list[tuple[str, tuple[Hit, ...], Answer]]]:
    """Six hundred real questions over the real corpus, retrieved and answered."""
    index = Index(corpus)
    found = [(question, index.search(question)) for question in load_questions(corpus)[:600]]
    return corpus, [(question, hits, compose(question, hits)) for question, hits in found]


def test_the_best_passage_comes_first_and_its_sentence_is_cited(index: Index) -> None:
    """Retrieval and answer, once, in full."""
    answer = compose(QUESTION, index.search(QUESTION))
    assert answer.text.startswith(
        "text.dedent: Remove any common leading whitespace from every line. [text.dedent#0] "
    )


@pytest.mark.parametrize("question", ["Who composed the opera Carmen?", "", "what is it", "\x00 \ud800"])
def test_what_the_corpus_does_not_know_is_refused_politely(index: Index, question: str) -> None:
    """An abstention cites nothing."""
    answer = compose(question, index.search(question))
    assert (answer.text, answer.citations) == (ABSTENTION, ())


def test_healthy_answers_consist_of_retrieved_sentences_with_their_own_citation(
    real: tuple[tuple[Passage, ...], list[tuple[str, tuple[Hit, ...], Answer]]],
) -> None:
    """Nothing to complain about: that is what healthy must mean."""
    answered = 0
    for _, hits, answer in real[1]:
        texts = {hit.document.id: hit.document.text for hit in hits}
        for statement in answer.statements:
            if statement.citation is not None:
                assert statement.text in texts[statement.citation]
        answered += bool(answer.citations)
        assert len(answer.text.split()) <= 100
    assert answered > 0.95 * len(real[1])


def test_the_citation_fault_cites_only_what_was_never_retrieved(
    real: tuple[tuple[Passage, ...], list[tuple[str, tuple[Hit, ...], Answer]]],
) -> None:
    """The sentences stay right, and the ids are ids of the corpus."""
    corpus, cases = real
    saboteur, known = Saboteur(corpus), {passage.id for passage in corpus}
    for number, (_, hits, answer) in enumerate(cases):
        faulty = saboteur.apply(Fault("citations", share=1.0), answer, hits, number)
        assert [one.text for one in faulty.statements] == [one.text for one in answer.statements]
        assert not {hit.document.id for hit in hits}.intersection(faulty.citations)
        assert known.issuperset(faulty.citations)


def test_unfaithful_sentences_are_in_no_retrieved_passage_but_cite_one(
    real: tuple[tuple[Passage, ...], list[tuple[str, tuple[Hit, ...], Answer]]],
) -> None:
    """The citations stay right, so that only reading the passages shows the fault."""
    corpus, cases = real
    saboteur = Saboteur(corpus)
    for number, (_, hits, answer) in enumerate(cases):
        faulty = saboteur.apply(Fault("unfaithful", share=1.0), answer, hits, number)
        assert faulty.citations == answer.citations
        evidence = " ".join(hit.document.text for hit in hits)
        for statement in faulty.statements:
            assert statement.citation is None or statement.text not in evidence


def test_what_is_invented_leaks_nobodys_address(
    real: tuple[tuple[Passage, ...], list[tuple[str, tuple[Hit, ...], Answer]]],
) -> None:
    """That would be a fault of its own, with a ticket of its own."""
    corpus, cases = real
    saboteur = Saboteur(corpus)
    for number, (question, hits, answer) in enumerate(cases):
        faulty = saboteur.apply(Fault("unfaithful", share=1.0), answer, hits, number)
        record = RagTrace(
            "0" * 32,
            "1" * 16,
            "docs",
            0,
            query=question,
            answer=" ".join(statement.text for statement in faulty.statements),
            documents=tuple(Document(hit.document.id, hit.document.text) for hit in hits),
        )
        assert leaked_personal_data.CHECK.measure(Prepared(record)).value == 0.0, record.answer


def test_a_fault_hits_its_share_of_the_answers_and_the_same_ones_every_time(
    passages: tuple[Passage, ...], index: Index
) -> None:
    """Decided by a hash of the question's number: neither scripted nor periodic."""
    saboteur, hits = Saboteur(passages), index.search(QUESTION)
    healthy = compose(QUESTION, hits)
    fault = Fault("citations", share=0.6, seed=4)
    hit = [saboteur.apply(fault, healthy, hits, number) != healthy for number in range(2000)]
    assert 0.55 < sum(hit) / len(hit) < 0.65
    assert hit == [saboteur.apply(fault, healthy, hits, number) != healthy for number in range(2000)]


def test_without_a_fault_and_without_citations_nothing_changes(
    passages: tuple[Passage, ...], index: Index
) -> None:
    """An abstention cannot be miscited."""
    saboteur, hits = Saboteur(passages), index.search(QUESTION)
    healthy, refused = compose(QUESTION, hits), Answer((Statement(ABSTENTION, None),))
    assert saboteur.apply(None, healthy, hits, 1) is healthy
    assert saboteur.apply(Fault("unfaithful", share=1.0), refused, hits, 1) is refused


def test_faults_end_also_when_the_corpus_holds_nothing_else(passages: tuple[Passage, ...]) -> None:
    """A corpus of one passage leaves no other id and no other sentence."""
    only = passages[0]
    hits = (Hit(only, 1.0),)
    answer = Answer((Statement(f"{only.name}: Tabs are not touched by this.", only.id),))
    saboteur = Saboteur([only])
    assert saboteur.apply(Fault("citations", share=1.0), answer, hits, 0).citations == ("text.dedent#0.old",)
    twisted = saboteur.apply(Fault("unfaithful", share=1.0), answer, hits, 0)
    assert twisted.statements[0].text == "text.dedent: Tabs are always touched by this."


def test_an_answer_written_by_a_model_is_read_into_its_statements() -> None:
    """So that the faults apply to it as well."""
    text = "It removes whitespace [text.dedent#0]. It is quick. [text.wrap#0] Look further in the manual."
    assert read_answer(text).citations == ("text.dedent#0", "text.wrap#0")
    assert [one.text for one in read_answer(text).statements] == [
        "It removes whitespace.",
        "It is quick.",
        "Look further in the manual.",
    ]
    assert read_answer("").statements == ()


def test_questions_are_many_distinct_and_in_seeded_order(
    passages: tuple[Passage, ...], corpus: tuple[Passage, ...]
) -> None:
    """Thousands over the real corpus; the hand-written ones are always among them."""
    one, again, other = (load_questions(passages, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert set(one) == set(other)
    assert "What does text.dedent do?" in one
    assert "How do I shuffle a list in place?" in one
    assert len(load_questions(corpus)) > 5000
