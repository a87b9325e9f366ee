"""From the claims of an answer to the answer: what makes it better, and what it can never be."""

from __future__ import annotations

from collections.abc import Sequence

from tests.scorer.checks.laid_claims import laid, laid_on, supported

from ragvigil.scorer.checks.alignment.assess import Answered, assess, novelty_ceiling
from ragvigil.scorer.checks.alignment.model import ANSWER_FEATURES, answer_figures, claim_figures, load
from ragvigil.scorer.checks.reading.claims import read_statements
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.trace import Document

PASSAGES = (
    "The bridge over the river was built by two brothers in 1874.\nIt carries trams and pedestrians.",
    "Honey keeps for years when the jar is closed well.\nBees collect nectar near the hive.",
    "The parser reads one token at a time.\nA grammar may be given as text or built in code.",
)
"""Three texts that have nothing to do with one another, a sentence a line."""


def read(claims: Sequence[str]) -> tuple[list[float], list[tuple[float, ...]]]:
    """The probabilities and the figures of claims, each as one among others."""
    model, alignments = load("lexical-1"), [laid(claim)[0] for claim in claims]
    return (
        [supported(one, lone=False) for one in alignments],
        [claim_figures(one, model.words(one)) for one in alignments],
    )


GOOD = "Tickets cost 12 euros for adults and 5 euros for children."
BAD = "Penguins waddle across frozen glaciers and hunt krill."


def test_better_claims_make_a_better_answer() -> None:
    """At most as good as the worst; a lone claim is as good as itself."""
    model = load("lexical-1")
    good, mixed, bad = (
        model.faithfulness(*read(one), refuses=False) for one in ((GOOD, GOOD), (GOOD, BAD), (BAD, BAD))
    )
    assert good > mixed >= bad
    assert mixed <= read((BAD,))[0][0]
    assert model.faithfulness(*read((GOOD,)), refuses=False) == read((GOOD,))[0][0]


def test_an_answer_that_also_says_that_there_is_none_is_less_likely_right() -> None:
    """One of the two is wrong."""
    model = load("lexical-1")
    claims = read((GOOD, GOOD))
    assert model.faithfulness(*claims, refuses=True) < model.faithfulness(*claims, refuses=False)


def test_doubtful_claims_that_follow_one_another_are_told_from_scattered_ones() -> None:
    """Inventions come in runs; the other figures do not depend on the order."""
    place = ANSWER_FEATURES.index("worst_neighbours")
    figures = [(0.0,)] * 4
    together = answer_figures([0.2, 0.2, 0.9, 0.9], figures, refuses=False)
    apart = answer_figures([0.2, 0.9, 0.2, 0.9], figures, refuses=False)
    assert together[place] < apart[place]
    assert (together[:place], together[place + 1 :]) == (apart[:place], apart[place + 1 :])


def test_what_stands_there_is_supported_and_what_is_invented_is_not() -> None:
    """Whatever the fit; the evidence of another question carries nothing."""
    model = load("lexical-1")
    for passage in PASSAGES:
        evidence = Evidence([Document("a", passage)])
        for sentence in (sentence for one in PASSAGES for sentence in one.split("\n")):
            probability = supported(laid_on(evidence, sentence)[0])
            assert (probability >= model.supported_at) == (sentence in passage), sentence


def test_an_answer_from_its_passage_passes_and_one_from_elsewhere_does_not() -> None:
    """Also with claims that share a word with the passage."""
    for passage in PASSAGES:
        evidence = Evidence([Document("a", passage)])
        for answer in PASSAGES:
            answered = Answered(answer, read_statements(answer, []), evidence, ())
            (assessment,) = assess([answered], load("lexical-1"))
            assert assessment.faithfulness is not None
            assert (assessment.faithfulness >= 0.5) == (answer == passage), answer


def test_answers_assessed_together_are_assessed_as_each_alone() -> None:
    """More claims than are laid at once, lone ones, none at all, and answers without a passage or with data."""
    model, question = load("lexical-1"), ("opening", "hour")
    data = Document("b", '{"name": "The museum", "opens": "9:00", "parking": false}')
    evidence = [
        *(
            Evidence([Document(name, passage) for name in "ab"[:many]])
            for many in (1, 2)
            for passage in PASSAGES
        ),
        *(Evidence([Document("a", PASSAGES[0]), data]), Evidence([Document("a", "")]), Evidence([])),
    ]
    texts = (
        *PASSAGES,
        " ".join(PASSAGES) * 5,
        "It opens at nine.",
        "The harbour is 9 km long.",
        "I don't know.",
        "",
    )
    asked = [Answered(text, read_statements(text, []), one, question) for text in texts for one in evidence]
    alone = [assess([one], model, most_claims=20)[0] for one in asked]
    assert assess(asked, model, most_claims=20) == alone
    assert {len(one.claims) for one in alone} >= {0, 1, 20}
    assert assess([], model) == []


def test_a_lone_claim_that_is_mostly_invented_is_never_supported() -> None:
    """The ceiling falls with the share that is novel, whatever the fit."""
    alignment, figures = laid(
        "The bridges of Hamburg, its museum of chocolate and its harbour please tourists."
    )
    ceiling = novelty_ceiling(alignment, lone=True)
    assert 0.5 < figures["novel_share"] < 1
    assert ceiling < load("lexical-1").supported_at
    assert supported(alignment) <= ceiling
    assert novelty_ceiling(laid(GOOD)[0], lone=True) == 1


def test_a_claim_among_others_of_which_prose_has_no_word_is_not_supported() -> None:
    """Nor one of its kin; what an answer says in a word or two, or beside a record, is left to the fit."""
    ceilings = {
        text: novelty_ceiling(laid(text)[0], lone=False)
        for text in ("Dogs please tourists upstairs.", "Enjoy dogs!", f"Dogs please tourists. {GOOD}")
    }
    assert list(ceilings.values()) == [0.49, 1.0, 1.0]
    record = Evidence([Document("a", '{"WiFi": true, "Parking": false}')])
    assert novelty_ceiling(laid_on(record, "Dogs please tourists upstairs.")[0], lone=False) == 1.0
