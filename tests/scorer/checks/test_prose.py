"""Passages read in one go: the same words, numbers and negations as sentence by sentence."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.prose import BREAK, read
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import denies, values, words
from ragvigil.scorer.trace import Document

PIECES = (
    *(
        "The",
        "cats",
        "don't",
        "don\u2019t",
        "not",
        "no",
        "in",
        "Lisboa",
        "não",
        "café",
        "日本語。",
        "state-of-the-art",
    ),
    *(
        "1 500",
        "1,234.5",
        "2 300",
        "5",
        "million",
        "7",
        "am",
        "9:30",
        "3/4",
        "1'500",
        "x.5",
        "2nd",
        "two",
        "dos",
    ),
    *(
        "...",
        "—",
        "“quoted”",
        "(see",
        "p.",
        "3).",
        "U.S.",
        "e.g.",
        "\n",
        "\n\n",
        "\x1c",
        "\u00a0",
        "?",
        "!",
        "a" * 70,
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join) | st.text()


@given(texts)
def test_a_text_read_at_once_has_the_words_of_its_sentences(text: str) -> None:
    """Stems, numbers and negations of each, whatever the script; sentences without a word are left out."""
    spans = [span for span in sentences(text) if words(text[slice(*span)])]
    each = [words(text[slice(*span)]) for span in spans]
    reading = read(text, 4000)
    assert reading.spans == spans
    stems = [[*(word.stem for word in sequence if word.content), BREAK] for sequence in each]
    assert reading.stems == list(chain.from_iterable(stems))
    assert reading.numbers == {one for sequence in each for told in values(sequence) for one in told}
    assert [reading.denies(place) for place in range(len(reading))] == list(map(denies, each))
    assert [[word.stem for word in reading.words(place)] for place in range(len(reading))] == [
        [word.stem for word in sequence] for sequence in each
    ]


def test_segments_are_found_by_where_they_stand() -> None:
    """In prose and in the long values of a record; a short value stands nowhere as a sentence."""
    long = "It is a long story about a pump. " * 4 + "It ends."
    evidence = Evidence(
        [Document("a", "One pump. Two pumps."), Document("b", f'{{"name": "x", "text": "{long}"}}')]
    )
    assert [evidence.sentences_at("a", start) for start in (0, 10, 3)] == [[0], [1], []]
    last = evidence.segments[-1]
    assert last.place is not None
    assert evidence.sentences_at("b", last.place[0]) == [len(evidence.segments) - 1]
    assert [one.negated for one in evidence.segments[0:2]] == [False, False]


def test_a_word_said_twice_counts_beside_another_wanted_one_only() -> None:
    """As the models were fitted."""
    alone = Evidence([Document("a", "Pump pump.")], {"pump"})
    beside = Evidence([Document("a", "Pump pump leaks.")], {"pump", "leak"})
    assert alone.pairs == set()
    assert beside.pairs == {("pump", "pump"), ("pump", "leak")}
