"""Passages read in one go: the same words, numbers and negations as sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.prose import Reading, numbers_told, read, read_values
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.stretches import read_ahead
from ragvigil.scorer.checks.reading.vocabulary import Vocabulary, current
from ragvigil.scorer.checks.reading.words import values, words
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
        "Kiel,288,250",
        "Kiel,1,250,000 x",
        "2024-03-01,12,500",
        "Kiel,288,250 \x1c",
        "7,19.90,2",
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
texts = (
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
    | st.text()
    | st.text(st.characters(codec="ascii"))
)


@given(st.lists(texts, max_size=5))
def test_texts_read_at_once_have_the_words_of_their_sentences(several: list[str]) -> None:
    """Stems, numbers and negations of each, whatever the script; sentences without a word are left out."""
    vocabulary = Vocabulary()
    for _ in range(2):  # met for the first time, and known
        for text, reading in zip(several, read(several, 4000, vocabulary), strict=True):
            assert_read(text, reading, vocabulary)
        read(["other"], 4000, Vocabulary())  # what was kept is forgotten


def assert_read(text: str, reading: Reading, vocabulary: Vocabulary) -> None:
    """As `words` reads it, sentence by sentence."""
    spans = [span for span in sentences(text) if words(text[slice(*span)])]
    each = [words(text[slice(*span)]) for span in spans]
    assert reading.spans == spans
    stems = list(map(vocabulary.stems.__getitem__, reading.stems.tolist()))
    told = [[word.stem for word in sequence if word.content] for sequence in each]
    assert [stems[first:last] for first, last in pairwise([0, *reading.stem_ends])] == told
    assert numbers_told([reading], vocabulary) == {
        one for sequence in each for told in values(sequence) for one in told
    }
    assert all(reading.has_numbers(place) for place, sequence in enumerate(each) if values(sequence))
    assert [reading.denies(place) for place in range(len(reading))] == list(map(denies, each))
    assert [[word.stem for word in reading.words(place)] for place in range(len(reading))] == [
        [word.stem for word in sequence] for sequence in each
    ]


def test_only_a_sentence_with_a_number_may_have_one() -> None:
    """In the middle, at the start and at the end of a text."""
    (reading,) = read(
        ["5 pumps leak. The valve is shut. It has 7 bar. It is old. Two remain."], 4000, Vocabulary()
    )
    assert [reading.has_numbers(place) for place in range(5)] == [True, False, True, False, True]


def test_many_words_are_told_apart() -> None:
    """Also those that share a place in the table, and those that are too long for it."""
    vocabulary = Vocabulary()
    source = Random(5)
    made = ["".join(source.choices("abcdefgh", k=source.randint(1, 24))) for _ in range(30_000)]
    for start in range(0, len(made), 500):
        text = " ".join(made[start : start + 500])
        (reading,) = read([text[:3999]], 4000, vocabulary)
        assert_read(text[:3999], reading, vocabulary)


def test_threads_read_with_one_vocabulary() -> None:
    """New words that several meet at once have one number each."""
    source = Random(7)
    parts = [" ".join("".join(source.choices("abcd", k=5)) for _ in range(200)) for _ in range(40)]
    vocabulary = Vocabulary()

    def reading_of(text: str) -> Reading:
        return read([text], 4000, vocabulary)[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(reading_of, parts * 4))
    for text, reading in zip(parts * 4, found, strict=True):
        assert_read(text, reading, vocabulary)
    assert len(set(vocabulary.stems)) == len(vocabulary.stems)


def test_stems_that_another_thread_adds_meanwhile_are_marked() -> None:
    """While the wanted stems are looked up, one more is met: no number of theirs lies outside the marks."""
    vocabulary = Vocabulary()
    vocabulary.numbers(["pump"])

    class Meanwhile(list[str]):
        def __iter__(self) -> Iterator[str]:
            yield "pump"
            vocabulary.numbers(["valve", "leak"])
            yield "leak"

    assert vocabulary.marked(Meanwhile()).tolist() == [True, False, True]


def test_a_full_vocabulary_makes_room_for_a_new_one() -> None:
    """With the next record; what was read in the old one stays as it was."""
    before = current()
    old = Evidence([Document("a", "The pump leaks.")])
    for start in range(0, 40_000, 500):
        before.numbers(f"w{number}" for number in range(start, start + 500))
    assert before.full
    new = Evidence([Document("a", "The pump leaks.")])
    assert current() is not before
    assert new.places == old.places == {"pump": [0], "leak": [0]}
    assert old.segments[0].stems == new.segments[0].stems


def test_what_comes_after_the_last_sentence_that_is_read_is_left_out() -> None:
    """Also where that one ends a passage."""
    many = Document("a", "It leaks. " * 4000)
    evidence = Evidence([many, Document("b", "The pump is old.")])
    assert evidence.truncated
    assert len(evidence.segments) == 4000
    assert "pump" not in evidence.places


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
    said = ["pump", "pump", "leak", "pump"]
    assert alone.linked([said]) == [[False, False, False]]
    assert beside.linked([said]) == [[True, True, False]]


def test_what_is_read_ahead_of_several_records_is_not_read_again() -> None:
    """What may be data is left to the record that has it."""
    vocabulary = current()
    texts = ["One pumpxa leaks.", "Two pumpxe leak.", '{"pumpxi": 2}', ""]
    read_ahead([*texts, texts[0]])
    met = {word.stem for chunk in vocabulary.chunks for word in chunk.words}
    said = [{word.stem for word in words(text)} for text in ("pumpxa", "pumpxe", "pumpxi")]
    assert [one <= met for one in said] == [True, True, False]
    first = [read([text], 10, vocabulary)[0] for text in texts[:2]]
    read_ahead(texts[1::-1])
    assert [read([text], 10, vocabulary)[0] is one for text, one in zip(texts, first, strict=False)] == [
        True
    ] * 2


def test_short_values_of_a_record_are_read_at_once_and_each_as_if_alone() -> None:
    """Numbers, denials and stems stay with their value, and a value without words has none."""
    vocabulary = Vocabulary()
    said = ["wheelchair access\n", "opens 9:30\n", "\n", "no dogs\nallowed", "costs 5 million\n"]
    found = read_values(said, vocabulary)
    assert [[word.stem for word in one.words(0)] for one in found] == [
        [word.stem for word in words(one)] for one in said
    ]
    assert [one.denies(0) for one in found] == [False, False, False, True, False]
    assert [sorted(numbers_told([one], vocabulary)) for one in found] == [
        [],
        ["9:30"],
        [],
        [],
        ["5", "5000000"],
    ]
    assert [one.stems.size for one in found] == [one.stem_ends[0] for one in found] == [2, 2, 0, 2, 3]
    assert [len(one) for one in found] == [1] * 5


def test_all_values_of_a_large_record_are_read() -> None:
    """They are read some hundred at once."""
    record = json.dumps({f"room{number}": number for number in range(700)})
    segments = Evidence([Document("a", record)]).segments
    assert [one.value for one in segments] == list(range(700))
    assert [sorted(one.numbers) for one in segments] == [[str(number)] for number in range(700)]
